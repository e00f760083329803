import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import type { ModifyOrders } from '../../domain/commands.ts';
import { encodeEvent, encodeOrderEvent, ORDER_MODIFIED } from '../../domain/event-codec.ts';
import { priceText } from '../../domain/market.ts';
import {
  BUY,
  MAKER_ONLY,
  MAKER_ONLY_REPRICE,
  opposite,
  STOP_LIMIT,
  STOP_MARKET,
} from '../../domain/order-codes.ts';
import type { Amendment } from '../../domain/orders.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { ORDER_TYPES, SIDES, TIMES_IN_FORCE } from '../../domain/terms.ts';
import { type AccountIndex, amount, type Lots, type Ticks } from '../../domain/units.ts';
import { bestTicks, shrinkResting } from '../book/book.ts';
import { wouldTake } from '../book/match.ts';
import { addStop, removeStop } from '../book/stops.ts';
import { hold, purseOf, release } from '../memory/ledger.ts';
import {
  accountOf,
  displayLotsOf,
  heldPartsOf,
  isWaiting,
  marketOf,
  NO_ORDER,
  type OrderSlot,
  openLotsOf,
  orderTypeOf,
  priceTicksOf,
  setAmountParts,
  setDisplayLots,
  setHeldParts,
  setLastModifiedAtMs,
  setOpenLots,
  setPriceTicks,
  setStopTicks,
  setTotalLots,
  sideOf,
  stopTicksOf,
  timeInForceOf,
  totalLotsOf,
} from '../memory/order-rows.ts';
import { markForReview, sweepStops } from '../memory/pending.ts';
import type { Account, Market, State } from '../state.ts';
import { checkBalance, checkMargin, demandOf } from '../trading/check-funds.ts';
import {
  bandRefusal,
  checkAccount,
  checkLate,
  checkMarket,
  checkSize,
  checkSlices,
} from '../trading/check-placement.ts';
import { countResting, endOrder, marketOfOrder } from '../trading/end-order.ts';
import { executeOrder, makerTicks, unrestOrder } from '../trading/execute-order.ts';
import { findOrder } from '../trading/find-order.ts';
import { placingOf } from '../trading/placing.ts';
import { newWork, refuseForWork, type Work } from '../trading/work.ts';

/** Up to eight open orders get a new price or size, each by itself. */
export function modifyOrders(state: State, command: ModifyOrders, out: ByteWriter): undefined {
  const accountIndex = state.keys[command.by.key]?.account as AccountIndex;
  const request: Request = { state, command, accountIndex, work: newWork(), out };
  command.orders.forEach((amendment, element) => {
    const refusal = modify(request, amendment, element);
    if (refusal === undefined) return;
    const { rejected: reason, message } = refusal;
    encodeEvent(out, { kind: 'order-refused', element, reason, message });
  });
  return undefined;
}

/** What all amendments of one request share. */
type Request = {
  readonly state: State;
  readonly command: ModifyOrders;
  readonly accountIndex: AccountIndex;
  readonly work: Work;
  readonly out: ByteWriter;
};

/** The order as it will be; fields that the amendment does not name stay. */
type Target = {
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly totalLots: number;
  readonly openLots: number;
};

/** An open order and what it will become. */
type Change = {
  readonly state: State;
  readonly market: Market;
  readonly slot: OrderSlot;
  readonly target: Target;
};

/** Shape first, then state, in the precedence of a new order. A failed check changes nothing. */
function modify(request: Request, amendment: Amendment, element: number): Refusal | undefined {
  const { state, command, accountIndex, work, out } = request;
  const { orders } = state;
  const slot = findOrder(state, accountIndex, amendment);
  if (slot === NO_ORDER) return refuse('ORDER_NOT_FOUND');
  const unchanged = checkUnchanged(state, slot, amendment);
  if (unchanged !== undefined) return unchanged;
  const market = marketOfOrder(state, slot);
  const account = state.accounts[accountIndex] as Account;
  const target = targetOf(state, slot, amendment);
  const change: Change = { state, market, slot, target };
  const isOver = target.openLots <= 0;
  const early =
    (isOver ? undefined : checkShape(change)) ??
    checkAccount(state, account) ??
    checkMarket(state, market, { order: amendment }) ??
    checkLate(state, command);
  if (early !== undefined) return early;
  if (isOver) {
    endOrder(state, market, slot, { element, state: 'CANCELED_BY_AMEND' }, out);
    return undefined;
  }
  const refusal = checkTarget(change, work);
  if (refusal !== undefined) return refusal;

  setLastModifiedAtMs(orders, slot, state.timeMs);
  // At another price or size it no longer spends the amount that it was placed with.
  if (!isAsPlaced(change)) setAmountParts(orders, slot, 0n);
  const isQueuedAgain = !isWaiting(orders, slot) && !keepsPlace(change);
  if (isQueuedAgain) requeue(change);
  else if (isWaiting(orders, slot)) changeStop(change);
  else shrink(change);
  encodeOrderEvent(out, ORDER_MODIFIED, element, orders, slot);
  if (isQueuedAgain) {
    work.matchesLeft -= executeOrder(state, market, slot, element, out, work.matchesLeft);
  }
  return undefined;
}

/** What an amendment may repeat but never change; and a stop price is for stops that wait. */
function checkUnchanged(state: State, slot: OrderSlot, sent: Amendment): Refusal | undefined {
  const { orders } = state;
  return (
    differs('side', sent.side, SIDES[sideOf(orders, slot)]) ??
    differsInType(state, slot, sent) ??
    differsInProtection(state, slot, sent) ??
    (sent.stopTicks !== 0 && !isWaiting(orders, slot)
      ? refuse('AMEND_INVALID', 'stopPrice is for stop orders that have not been triggered')
      : undefined)
  );
}

const differs = (name: string, sent: string | undefined, has = ''): Refusal | undefined =>
  sent === undefined || sent === has
    ? undefined
    : refuse('AMEND_INVALID', `${name} ${sent} cannot change; nearest ${has}`);

/** A triggered stop is shown as LIMIT; its own name may be repeated too. */
function differsInType(state: State, slot: OrderSlot, sent: Amendment): Refusal | undefined {
  const has = ORDER_TYPES[orderTypeOf(state.orders, slot)];
  if (sent.orderType === 'LIMIT' && !isWaiting(state.orders, slot)) return undefined;
  return differs('orderType', sent.orderType, has);
}

/** What is shown as the price of an order without a limit is its protective price, which the venue sets. */
function differsInProtection(state: State, slot: OrderSlot, sent: Amendment): Refusal | undefined {
  const { orders } = state;
  if (orderTypeOf(orders, slot) !== STOP_MARKET || sent.priceTicks === 0) return undefined;
  const has = priceTicksOf(orders, slot);
  if (sent.priceTicks === has) return undefined;
  const { spec } = marketOfOrder(state, slot);
  return refuse(
    'AMEND_INVALID',
    `price ${priceText(spec, sent.priceTicks)}: a STOP_MARKET order has no limit to change, its ` +
      `protective price ${priceText(spec, has)} is set by the venue; leave price out`,
  );
}

function targetOf(state: State, slot: OrderSlot, amendment: Amendment): Target {
  const { orders } = state;
  const total = totalLotsOf(orders, slot);
  const open = openLotsOf(orders, slot);
  const totalLots = amendment.sizeLots === 0 ? total : amendment.sizeLots;
  return {
    priceTicks: amendment.priceTicks === 0 ? priceTicksOf(orders, slot) : amendment.priceTicks,
    stopTicks: amendment.stopTicks === 0 ? stopTicksOf(orders, slot) : amendment.stopTicks,
    totalLots,
    openLots: totalLots - (total - open),
  };
}

const isAsPlaced = ({ state, slot, target }: Change): boolean =>
  target.priceTicks === priceTicksOf(state.orders, slot) &&
  target.totalLots === totalLotsOf(state.orders, slot);

function checkShape(change: Change): Refusal | undefined {
  const { state, market, slot, target } = change;
  return (
    (isWaiting(state.orders, slot) ? crossedStop(change) : undefined) ??
    checkSlices(market, target.totalLots, displayFor(change))
  );
}

/** An order that only shrinks at its price is not checked against the band; a stop is when it triggers. */
function checkTarget(change: Change, work: Work): Refusal | undefined {
  const { state, market, slot, target } = change;
  const isStop = isWaiting(state.orders, slot);
  const isMeasured = !isStop && !keepsPlace(change);
  // The protective price of a stop-market is no limit; its placement was not measured by one either.
  const hasLimit = orderTypeOf(state.orders, slot) !== STOP_MARKET;
  return (
    (isMeasured ? bandRefusal(market, target.priceTicks) : undefined) ??
    checkSize(market, target.totalLots, hasLimit ? target.priceTicks : 0) ??
    (isStop ? undefined : checkWork(change, work)) ??
    checkTargetFunds(change) ??
    (isStop ? undefined : checkMakerOnly(change))
  );
}

/** An order that would re-enter the book and match needs matches left. */
function checkWork(change: Change, work: Work): Refusal | undefined {
  if (work.matchesLeft > 0 || keepsPlace(change)) return undefined;
  const { state, market, slot, target } = change;
  const { orders } = state;
  const timeInForce = timeInForceOf(orders, slot);
  if (timeInForce === MAKER_ONLY || timeInForce === MAKER_ONLY_REPRICE) return undefined;
  const takes = wouldTake(market.book, sideOf(orders, slot), target.priceTicks as Ticks);
  return takes ? refuseForWork(work) : undefined;
}

/** The checks of a new order, without what the old one holds and counts. */
function checkTargetFunds(change: Change): Refusal | undefined {
  const { state, market, slot, target } = change;
  const { orders } = state;
  const isStop = isWaiting(orders, slot);
  const orderType = isStop ? 'STOP_LIMIT' : 'LIMIT';
  const placing = placingOf(state, market, slot, { ...target, orderType });
  const heldParts = heldPartsOf(orders, slot);
  const demand = demandOf(placing);
  // What it holds already need not be available a second time; what it releases counts as collateral.
  const more = { ...demand, holdParts: demand.holdParts - heldParts };
  const check = (): Refusal | undefined =>
    (asksForLess(change) ? undefined : checkMargin(state, placing, more)) ??
    checkBalance(state, placing, more);
  return isStop ? check() : withoutResting(change, check);
}

/** As if the order did not rest: for the time of the check its lots are not in the sums of its account. */
function withoutResting(
  { state, market, slot }: Change,
  check: () => Refusal | undefined,
): Refusal | undefined {
  const openLots = openLotsOf(state.orders, slot);
  countResting(state, market, slot, -openLots);
  const refusal = check();
  countResting(state, market, slot, openLots);
  return refusal;
}

/** No larger, at the same or a less aggressive price, on the same trigger: it needs no new margin. */
function asksForLess({ state, slot, target }: Change): boolean {
  const { orders } = state;
  const priceTicks = priceTicksOf(orders, slot);
  const isNoBetter =
    sideOf(orders, slot) === BUY
      ? target.priceTicks <= priceTicks
      : target.priceTicks >= priceTicks;
  return (
    isNoBetter &&
    target.totalLots <= totalLotsOf(orders, slot) &&
    target.stopTicks === stopTicksOf(orders, slot)
  );
}

/** A post-only order that would take at its new price stays where it is. */
function checkMakerOnly({ state, market, slot, target }: Change): Refusal | undefined {
  const { orders } = state;
  const { priceTicks } = target;
  const side = sideOf(orders, slot);
  const timeInForce = timeInForceOf(orders, slot);
  if (makerTicks(market, side, timeInForce, priceTicks) !== undefined) return undefined;
  const best = bestTicks(market.book, opposite(side)) ?? priceTicks;
  const text = (ticks: number): string => priceText(market.spec, ticks);
  const nearest = text(side === BUY ? best - 1 : best + 1);
  return refuse(
    'ORDER_REQUEST_REJECTED',
    `${TIMES_IN_FORCE[timeInForce]} at price ${text(priceTicks)} would take from ${text(best)}; ` +
      `nearest ${nearest}`,
  );
}

/** The limit of a stop must still be reachable from its trigger: a BUY's above, a SELL's below. */
function crossedStop({ state, market, slot, target }: Change): Refusal | undefined {
  const { spec } = market;
  const { stopTicks, priceTicks } = target;
  if (orderTypeOf(state.orders, slot) !== STOP_LIMIT) return undefined;
  const isBuy = sideOf(state.orders, slot) === BUY;
  if (isBuy ? stopTicks <= priceTicks : priceTicks <= stopTicks) return undefined;
  const stop = priceText(spec, stopTicks);
  return refuse(
    isBuy ? 'BUY_STOP_ABOVE_LIMIT' : 'SELL_STOP_BELOW_LIMIT',
    `stopPrice ${stop}, limitPrice ${priceText(spec, priceTicks)}; nearest limitPrice ${stop}`,
  );
}

/** Smaller at the same price keeps its priority; everything else goes to the back. */
function keepsPlace({ state, slot, target }: Change): boolean {
  const { orders } = state;
  return (
    target.priceTicks === priceTicksOf(orders, slot) &&
    target.totalLots <= totalLotsOf(orders, slot)
  );
}

function shrink(change: Change): void {
  const { state, market, slot, target } = change;
  const { orders } = state;
  const less = openLotsOf(orders, slot) - target.openLots;
  countResting(state, market, slot, -less);
  setDisplayLots(orders, slot, displayFor(change));
  shrinkResting(market.book, orders, slot, target.totalLots as Lots);
  holdFor(state, market, slot);
}

/** Takes it out of the book; it is then executed again under the same id, so it may match. */
function requeue(change: Change): void {
  const { state, market, slot } = change;
  unrestOrder(state, market, slot);
  setTarget(change);
  holdFor(state, market, slot);
}

function changeStop(change: Change): void {
  const { state, market, slot } = change;
  removeStop(market.stops, state.orders, slot);
  setTarget(change);
  holdFor(state, market, slot);
  addStop(market.stops, state.orders, slot);
  sweepStops(state.pending, marketOf(state.orders, slot));
}

function setTarget(change: Change): void {
  const { state, slot, target } = change;
  const { orders } = state;
  setDisplayLots(orders, slot, displayFor(change));
  setPriceTicks(orders, slot, target.priceTicks);
  setStopTicks(orders, slot, target.stopTicks);
  setTotalLots(orders, slot, target.totalLots);
  setOpenLots(orders, slot, target.openLots);
}

/** An order that shows its whole size still does; an iceberg keeps its slice, at most the new total. */
function displayFor({ state, slot, target }: Change): number {
  const { orders } = state;
  const displayLots = displayLotsOf(orders, slot);
  if (displayLots === totalLotsOf(orders, slot)) return target.totalLots;
  return Math.min(displayLots, target.totalLots);
}

/** Holds exactly what the order now needs: more is reserved, or the excess released. */
function holdFor(state: State, market: Market, slot: OrderSlot): void {
  if (market.spec.type !== 'SPOT') return;
  const { orders, ledger } = state;
  const open = BigInt(openLotsOf(orders, slot));
  const isBuy = sideOf(orders, slot) === BUY;
  const needed = isBuy
    ? BigInt(priceTicksOf(orders, slot)) * open * market.perTickLot
    : open * market.perLot;
  const held = heldPartsOf(orders, slot);
  const asset = isBuy ? market.settleAsset : market.baseAsset;
  const purse = purseOf(ledger, accountOf(orders, slot), asset);
  if (needed > held) {
    hold(ledger, purse, amount(needed - held), state.timeMs);
    // What is held no longer counts as collateral.
    const accountIndex = accountOf(orders, slot);
    if (state.watch.place[accountIndex] !== 0) markForReview(state.pending, accountIndex);
  } else release(ledger, purse, amount(held - needed), state.timeMs);
  setHeldParts(orders, slot, needed);
  assert(needed >= 0n, 'an order holds what it needs');
}
