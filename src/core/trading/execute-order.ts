import type { ByteWriter } from '../../bytes/pack.ts';
import { unreachable } from '../../domain/assert.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { encodeOrderEvent, ORDER_OPENED } from '../../domain/event-codec.ts';
import { NO_ELEMENT } from '../../domain/events.ts';
import { tickLotsInParts } from '../../domain/market.ts';
import {
  BUY,
  FOK,
  IOC,
  MAKER_ONLY,
  MAKER_ONLY_REPRICE,
  opposite,
  type SideCode,
} from '../../domain/order-codes.ts';
import type { Rejection } from '../../domain/rejections.ts';
import type { OrderState } from '../../domain/terms.ts';
import { amount, type Lots, type Ticks } from '../../domain/units.ts';
import { bestTicks, removeResting, rest } from '../book/book.ts';
import {
  applyMatch,
  EXPIRES_BOTH,
  EXPIRES_MAKER,
  MEETS_MAKER,
  MEETS_NOBODY,
  newMatch,
  newTaker,
  nextMatch,
  wouldTake,
} from '../book/match.ts';
import { affordableLots, type PlanEnd } from '../book/plan.ts';
import { waitsForLastPrice } from '../book/stops.ts';
import { numberAt } from '../memory/columns.ts';
import { purseOf, release } from '../memory/ledger.ts';
import {
  accountOf,
  amountPartsOf,
  familyOf,
  filledCostPartsOf,
  heldPartsOf,
  isReduceOnly,
  marketOf,
  type OrderSlot,
  openLotsOf,
  priceTicksOf,
  setHeldParts,
  setOpenLots,
  setPriceTicks,
  setTotalLots,
  sideOf,
  standingOfOrder,
  stpModeOf,
  timeInForceOf,
  totalLotsOf,
} from '../memory/order-rows.ts';
import { markForReview, sweepStops } from '../memory/pending.ts';
import { hasNoAllowance } from '../memory/watch.ts';
import { type Hindrance, hindranceOf } from '../risk/ledger-room.ts';
import type { Market, State } from '../state.ts';
import { countResting, endOrder } from './end-order.ts';
import { isByAmount, isMarket } from './order-terms.ts';
import { settleMatch } from './settle-match.ts';

const taker = newTaker();
const match = newMatch();
/** The progress of the current taker. */
const taken = { met: 0, ordersMax: 0 };

/**
 * Executes an admitted order: it matches what its price and time in force allow, then rests or ends.
 * `element` is its place in the request, for the event. It meets at most `ordersMax` orders, and the rest
 * of it is then cancelled; returns how many it met.
 */
export function executeOrder(
  state: State,
  market: Market,
  slot: OrderSlot,
  element: number,
  out: ByteWriter,
  ordersMax: number = WORK_BOUNDS.matchesPerRequest,
): number {
  taken.met = 0;
  taken.ordersMax = ordersMax;
  if (mayEnter(state, market, slot)) {
    const endedBy = takeFromBook(state, market, slot, out);
    endOrRest(state, market, slot, { element, endedBy }, out);
  } else endOrder(state, market, slot, { element, state: 'CANCELED_BY_MAKER_ONLY' }, out);
  return taken.met;
}

function endOrRest(
  state: State,
  market: Market,
  slot: OrderSlot,
  { element, endedBy }: { readonly element: number; readonly endedBy: PlanEnd | undefined },
  out: ByteWriter,
): void {
  const end = endOf(state, slot, endedBy);
  if (end === undefined) {
    restOrder(state, market, slot);
    encodeOrderEvent(out, ORDER_OPENED, element, state.orders, slot);
  } else endOrder(state, market, slot, { element, state: end.state, reason: end.reason }, out);
}

/** How an executed order ends, and why; undefined where it rests. */
export function endOf(
  state: State,
  slot: OrderSlot,
  endedBy: PlanEnd | undefined,
): { readonly state: OrderState; readonly reason?: Rejection } | undefined {
  switch (endedBy) {
    case 'own':
      return { state: 'CANCELED_BY_SELF_TRADE_PROTECTION' };
    case 'reduced':
      return { state: 'CANCELED_BY_USER', reason: 'POSITION_TOO_SMALL' };
    case 'cut':
      return { state: unfilledState(state, slot), reason: 'BUSY' };
    case undefined:
      if (openLotsOf(state.orders, slot) === 0) return { state: filledState(state, slot) };
      return slotMayRest(state, slot) ? undefined : { state: unfilledState(state, slot) };
    default:
      return unreachable(endedBy);
  }
}

/** Does what the plan of the same taker says (book/plan.ts), order by order. */
function takeFromBook(
  state: State,
  market: Market,
  slot: OrderSlot,
  out: ByteWriter,
): PlanEnd | undefined {
  const { orders } = state;
  setTaker(state, slot);
  const { onlyReduces } = taker;
  const spends = isByAmount(orders, slot);
  // Counted once: an account that matches its own order keeps its position, and would otherwise match for
  // ever without reducing it.
  const openLots = openLotsOf(orders, slot);
  const reducible = onlyReduces ? reducibleLots(state, slot) : openLots;
  for (;;) {
    if (spends) sizeByAmount(state, market, slot);
    const meeting = nextMatch(market.book, orders, taker, match);
    if (meeting === MEETS_NOBODY) return undefined;
    if (onlyReduces) {
      const left = reducible - (openLots - openLotsOf(orders, slot));
      if (left === 0) return 'reduced';
      match.lots = Math.min(match.lots, left) as Lots;
    }
    if (taken.met === taken.ordersMax) return 'cut';
    taken.met++;
    if (meeting === MEETS_MAKER) {
      const hindrance = hindranceTo(state, market, slot);
      if (hindrance === 'taker') return 'cut';
      if (hindrance === 'maker') {
        const reason = 'SIZE_TOO_LARGE';
        const end = { element: NO_ELEMENT, state: 'CANCELED_BY_USER', reason } as const;
        endOrder(state, market, match.maker, end, out);
        continue;
      }
      meet(state, market, slot, out);
      const left = openLotsOf(orders, slot);
      // Its own match has closed the position: it ends there, whatever else is in the book.
      if (onlyReduces && left > 0 && openLots - left === reducible) return 'reduced';
      continue;
    }
    if (meeting === EXPIRES_MAKER || meeting === EXPIRES_BOTH) expireMaker(state, market, out);
    if (meeting !== EXPIRES_MAKER) return 'own';
  }
}

/** A perpetual match may move more than the ledger can hold; spot moves only what is held. */
function hindranceTo(state: State, market: Market, slot: OrderSlot): Hindrance {
  if (market.spec.type === 'SPOT') return undefined;
  return hindranceOf(state, market, slot, match);
}

/** One maker: settles the match, updates the book, and ends the maker when it is filled. */
function meet(state: State, market: Market, slot: OrderSlot, out: ByteWriter): void {
  const { orders } = state;
  const { maker } = match;
  const isReducing = isReduceOnly(orders, maker);
  const reducible = isReducing ? reducibleLots(state, maker) : 0;
  if (isReducing) {
    if (reducible === 0) {
      endReduced(state, market, maker, out);
      return;
    }
    match.lots = Math.min(match.lots, reducible) as Lots;
  }
  const { lots } = match;
  settleMatch(state, market, slot, match, out);
  countResting(state, market, maker, -lots);
  const isFilled = applyMatch(market.book, orders, taker, match);
  if (!isByAmount(orders, slot)) setOpenLots(orders, slot, openLotsOf(orders, slot) - lots);
  else setTotalLots(orders, slot, totalLotsOf(orders, slot) + lots);
  if (isFilled) {
    endOrder(state, market, maker, { element: NO_ELEMENT, state: 'FILLED' }, out);
  } else if (isReducing && lots === reducible) endReduced(state, market, maker, out);
  if (waitsForLastPrice(market.stops)) {
    sweepStops(state.pending, marketOf(orders, slot));
  }
}

/** A purchase by amount: at each price as many lots as the rest of the amount buys. */
function sizeByAmount(state: State, market: Market, slot: OrderSlot): void {
  const { orders } = state;
  const best = bestTicks(market.book, opposite(taker.side));
  const spent = filledCostPartsOf(orders, slot);
  const amountParts = amountPartsOf(orders, slot) - spent;
  const { perTickLot } = market;
  taker.openLots =
    best === undefined ? (0 as Lots) : affordableLots({ amountParts, perTickLot }, best);
}

function setTaker(state: State, slot: OrderSlot): void {
  const { orders } = state;
  taker.side = sideOf(orders, slot);
  taker.limitTicks = priceTicksOf(orders, slot);
  taker.openLots = openLotsOf(orders, slot);
  taker.account = accountOf(orders, slot);
  taker.family = familyOf(orders, slot);
  taker.stpMode = stpModeOf(orders, slot);
  taker.onlyReduces = isReduceOnly(orders, slot);
}

function expireMaker(state: State, market: Market, out: ByteWriter): void {
  const end = { element: NO_ELEMENT, state: 'CANCELED_BY_SELF_TRADE_PROTECTION' } as const;
  endOrder(state, market, match.maker, end, out);
}

function endReduced(state: State, market: Market, maker: OrderSlot, out: ByteWriter): void {
  const reason = 'POSITION_TOO_SMALL';
  const end = { element: NO_ELEMENT, state: 'CANCELED_BY_USER', reason } as const;
  endOrder(state, market, maker, end, out);
}

/** How much the order may still take off the position on the other side. */
function reducibleLots(state: State, slot: OrderSlot): number {
  const { orders, standings } = state;
  const lots = numberAt(standings.lots, standingOfOrder(orders, slot));
  return Math.max(0, sideOf(orders, slot) === BUY ? -lots : lots);
}

/** A post-only order that would match is repriced, or does not enter. */
function mayEnter(state: State, market: Market, slot: OrderSlot): boolean {
  const { orders } = state;
  const side = sideOf(orders, slot);
  const priceTicks = priceTicksOf(orders, slot);
  const entersAt = makerTicks(market, side, timeInForceOf(orders, slot), priceTicks);
  if (entersAt === priceTicks) return true;
  // A market order never rests, so it has no other price to rest at.
  if (entersAt === undefined || isMarket(orders, slot)) return false;
  reprice(state, market, slot, entersAt);
  return true;
}

/**
 * The price at which an order enters the book. A post-only order that would match has none; one that may be
 * repriced goes one tick before the best opposite price, if that is inside the band.
 */
export function makerTicks(
  market: Market,
  side: SideCode,
  timeInForce: number,
  priceTicks: number,
): number | undefined {
  if (timeInForce !== MAKER_ONLY && timeInForce !== MAKER_ONLY_REPRICE) return priceTicks;
  const best = bestTicks(market.book, opposite(side));
  if (best === undefined || !wouldTake(market.book, side, priceTicks as Ticks)) return priceTicks;
  const repriced = side === BUY ? best - 1 : best + 1;
  const { lowerTicks, upperTicks } = market.price;
  const isInside = repriced >= Math.max(1, lowerTicks) && repriced <= upperTicks;
  return timeInForce === MAKER_ONLY_REPRICE && isInside ? repriced : undefined;
}

/** A better price holds less; the difference comes back. */
export function reprice(state: State, market: Market, slot: OrderSlot, priceTicks: number): void {
  const { orders, ledger } = state;
  const better = priceTicksOf(orders, slot) - priceTicks;
  setPriceTicks(orders, slot, priceTicks);
  if (market.spec.type !== 'SPOT' || sideOf(orders, slot) !== BUY) return;
  const spare = tickLotsInParts(market.perTickLot, better, openLotsOf(orders, slot));
  setHeldParts(orders, slot, heldPartsOf(orders, slot) - spare);
  const purse = purseOf(ledger, accountOf(orders, slot), market.settleAsset);
  release(ledger, purse, amount(spare), state.timeMs);
}

export function restOrder(state: State, market: Market, slot: OrderSlot): void {
  const { orders, watch, pending } = state;
  rest(market.book, orders, slot);
  countResting(state, market, slot, openLotsOf(orders, slot));
  const accountIndex = accountOf(orders, slot);
  // The account is at ratio 50, or was at its last review: a new resting order needs a review.
  if (hasNoAllowance(watch, accountIndex)) markForReview(pending, accountIndex);
}

export function unrestOrder(state: State, market: Market, slot: OrderSlot): void {
  countResting(state, market, slot, -openLotsOf(state.orders, slot));
  removeResting(market.book, state.orders, slot);
}

function slotMayRest(state: State, slot: OrderSlot): boolean {
  const { orders } = state;
  if (isMarket(orders, slot)) return false;
  const timeInForce = timeInForceOf(orders, slot);
  return timeInForce !== IOC && timeInForce !== FOK;
}

/** An amount spent to the last part is filled; one that cannot buy another lot is not. */
function filledState(state: State, slot: OrderSlot): OrderState {
  const { orders } = state;
  if (!isByAmount(orders, slot)) return 'FILLED';
  if (filledCostPartsOf(orders, slot) === amountPartsOf(orders, slot)) return 'FILLED';
  return unfilledState(state, slot);
}

const unfilledState = (state: State, slot: OrderSlot): OrderState =>
  filledCostPartsOf(state.orders, slot) === 0n ? 'CANCELED_ALL_BY_IOC' : 'CANCELED_PARTIAL_BY_IOC';
