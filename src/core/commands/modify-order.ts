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
} from '../../domain/order-codes.ts';
import type { Amendment } from '../../domain/orders.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { TIMES_IN_FORCE } from '../../domain/terms.ts';
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
  type Lateness,
} from '../trading/check-placement.ts';
import { countResting, endOrder, marketOfOrder } from '../trading/end-order.ts';
import { executeOrder, makerTicks, unrestOrder } from '../trading/execute-order.ts';
import { findOrder } from '../trading/find-order.ts';
import { type Placing, placingOf } from '../trading/placing.ts';
import { newWork, refuseForWork, type Work } from '../trading/work.ts';

/** Up to eight open orders get a new price or size, each by itself. */
export function modifyOrders(state: State, command: ModifyOrders, out: ByteWriter): undefined {
  const row = state.keys[command.by.key]?.account as AccountIndex;
  const work = newWork();
  command.orders.forEach((amendment, element) => {
    const refusal = modify(state, row, amendment, command, element, work, out);
    if (refusal === undefined) return;
    const { rejected: reason, message } = refusal;
    encodeEvent(out, { kind: 'order-refused', element, reason, message });
  });
  return undefined;
}

/** What the order shall be; what is not named stays. */
type Target = {
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly totalLots: number;
  readonly openLots: number;
};

/** Shape first, then state, in the precedence of a new order. A failed check changes nothing. */
function modify(
  state: State,
  row: AccountIndex,
  amendment: Amendment,
  late: Lateness,
  element: number,
  work: Work,
  out: ByteWriter,
): Refusal | undefined {
  const { orders } = state;
  const slot = findOrder(state, row, amendment);
  if (slot === NO_ORDER) return refuse('ORDER_NOT_FOUND');
  const market = marketOfOrder(state, slot);
  const account = state.accounts[row] as Account;
  const target = targetOf(state, slot, amendment);
  const isOver = target.openLots <= 0;
  const early =
    (isOver ? undefined : checkShape(state, market, slot, target)) ??
    checkAccount(state, account) ??
    checkMarket(state, market, { order: amendment }) ??
    checkLate(state, late);
  if (early !== undefined) return early;
  if (isOver) {
    endOrder(state, market, slot, { element, state: 'CANCELED_BY_AMEND' }, out);
    return undefined;
  }
  const refusal = checkTarget(state, { row, account, market }, slot, target, work);
  if (refusal !== undefined) return refusal;

  setLastModifiedAtMs(orders, slot, state.timeMs);
  if (isWaiting(orders, slot)) changeStop(state, market, slot, target);
  else if (keepsPlace(state, slot, target)) shrink(state, market, slot, target);
  else {
    requeue(state, market, slot, target, element, work, out);
    return undefined;
  }
  encodeOrderEvent(out, ORDER_MODIFIED, element, orders, slot);
  return undefined;
}

function targetOf(state: State, slot: OrderSlot, amendment: Amendment): Target {
  const { orders } = state;
  const total = totalLotsOf(orders, slot);
  const open = openLotsOf(orders, slot);
  const totalLots = amendment.sizeLots === 0 ? total : amendment.sizeLots;
  return {
    priceTicks: amendment.priceTicks === 0 ? priceTicksOf(orders, slot) : amendment.priceTicks,
    // A stop that has fired, or never was one, has no stop price to change.
    stopTicks:
      amendment.stopTicks === 0 || !isWaiting(orders, slot)
        ? stopTicksOf(orders, slot)
        : amendment.stopTicks,
    totalLots,
    openLots: totalLots - (total - open),
  };
}

function checkShape(
  state: State,
  market: Market,
  slot: OrderSlot,
  target: Target,
): Refusal | undefined {
  return (
    (isWaiting(state.orders, slot) ? crossedStop(state, market, slot, target) : undefined) ??
    checkSlices(market, target.totalLots, slicesOf(state, slot, target.totalLots))
  );
}

/** Whose order it is, and where. */
type Owner = Pick<Placing, 'row' | 'account' | 'market'>;

/** One that only shrinks is not measured by the band: its price is no news. A stop is when it fires. */
function checkTarget(
  state: State,
  owner: Owner,
  slot: OrderSlot,
  target: Target,
  work: Work,
): Refusal | undefined {
  const { orders } = state;
  const { market } = owner;
  const isStop = isWaiting(orders, slot);
  const isMeasured = !isStop && !keepsPlace(state, slot, target);
  return (
    (isMeasured ? bandRefusal(market, target.priceTicks) : undefined) ??
    checkSize({ market, sizeLots: target.totalLots, priceTicks: target.priceTicks }) ??
    (isStop ? undefined : checkWork(state, market, slot, target, work)) ??
    checkTargetFunds(state, owner, slot, target) ??
    (isStop ? undefined : checkMakerOnly(state, market, slot, target))
  );
}

/** An order that would enter the book anew and take needs something left to match. */
function checkWork(
  state: State,
  market: Market,
  slot: OrderSlot,
  target: Target,
  work: Work,
): Refusal | undefined {
  if (work.matchesLeft > 0 || keepsPlace(state, slot, target)) return undefined;
  const { orders } = state;
  const timeInForce = timeInForceOf(orders, slot);
  if (timeInForce === MAKER_ONLY || timeInForce === MAKER_ONLY_REPRICE) return undefined;
  const takes = wouldTake(market.book, sideOf(orders, slot), target.priceTicks as Ticks);
  return takes ? refuseForWork(work) : undefined;
}

/** The checks of a new order, with what the old one holds and counts taken away first. */
function checkTargetFunds(
  state: State,
  owner: Owner,
  slot: OrderSlot,
  target: Target,
): Refusal | undefined {
  const { orders } = state;
  const isStop = isWaiting(orders, slot);
  const orderType = isStop ? 'STOP_LIMIT' : 'LIMIT';
  const placing = placingOf(state, owner.market, slot, { ...target, orderType });
  const openLots = openLotsOf(orders, slot);
  const heldParts = heldPartsOf(orders, slot);
  if (!isStop) countResting(state, owner.market, slot, -openLots);
  const demand = demandOf(placing);
  // What it holds already need not be there a second time; what it gives back counts as collateral.
  const more = { ...demand, holdParts: demand.holdParts - heldParts };
  const refusal =
    (asksForLess(state, slot, target) ? undefined : checkMargin(state, placing, more)) ??
    checkBalance(state, placing, more);
  if (!isStop) countResting(state, owner.market, slot, openLots);
  return refusal;
}

/** No larger, at the same or a less aggressive price, on the same trigger: it needs no new margin. */
function asksForLess({ orders }: State, slot: OrderSlot, target: Target): boolean {
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
function checkMakerOnly(
  { orders }: State,
  market: Market,
  slot: OrderSlot,
  { priceTicks }: Target,
): Refusal | undefined {
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

/** The limit of a stop must still be one that its trigger can reach: a BUY's above, a SELL's below. */
function crossedStop(
  state: State,
  { spec }: Market,
  slot: OrderSlot,
  { stopTicks, priceTicks }: Target,
): Refusal | undefined {
  if (orderTypeOf(state.orders, slot) !== STOP_LIMIT) return undefined;
  const isBuy = sideOf(state.orders, slot) === BUY;
  if (isBuy ? stopTicks <= priceTicks : priceTicks <= stopTicks) return undefined;
  const stop = priceText(spec, stopTicks);
  return refuse(
    isBuy ? 'BUY_STOP_ABOVE_LIMIT' : 'SELL_STOP_BELOW_LIMIT',
    `stopPrice ${stop}, limitPrice ${priceText(spec, priceTicks)}; nearest limitPrice ${stop}`,
  );
}

/** The size of its slices as it would be; an order that shows itself whole still does. */
function slicesOf(state: State, slot: OrderSlot, totalLots: number): number {
  const { orders } = state;
  const displayLots = displayLotsOf(orders, slot);
  return displayLots >= totalLotsOf(orders, slot) ? totalLots : displayLots;
}

/** Smaller at the same price keeps its place in the queue; everything else goes to the back. */
function keepsPlace(state: State, slot: OrderSlot, target: Target): boolean {
  const { orders } = state;
  return (
    target.priceTicks === priceTicksOf(orders, slot) &&
    target.totalLots <= totalLotsOf(orders, slot)
  );
}

function shrink(state: State, market: Market, slot: OrderSlot, target: Target): void {
  const { orders } = state;
  const less = openLotsOf(orders, slot) - target.openLots;
  countResting(state, market, slot, -less);
  setDisplayLots(orders, slot, displayFor(state, slot, target));
  shrinkResting(market.book, orders, slot, target.totalLots as Lots);
  holdFor(state, market, slot);
}

/** The engine takes it out and enters it again under the same id, so it may match. */
function requeue(
  state: State,
  market: Market,
  slot: OrderSlot,
  target: Target,
  element: number,
  work: Work,
  out: ByteWriter,
): void {
  const { orders } = state;
  unrestOrder(state, market, slot);
  setTarget(state, slot, target);
  holdFor(state, market, slot);
  encodeOrderEvent(out, ORDER_MODIFIED, element, orders, slot);
  work.matchesLeft -= executeOrder(state, market, slot, element, out, work.matchesLeft);
}

function changeStop(state: State, market: Market, slot: OrderSlot, target: Target): void {
  removeStop(market.stops, state.orders, slot);
  setTarget(state, slot, target);
  holdFor(state, market, slot);
  addStop(market.stops, state.orders, slot);
  sweepStops(state.pending, marketOf(state.orders, slot));
}

function setTarget(state: State, slot: OrderSlot, target: Target): void {
  const { orders } = state;
  setDisplayLots(orders, slot, displayFor(state, slot, target));
  setPriceTicks(orders, slot, target.priceTicks);
  setStopTicks(orders, slot, target.stopTicks);
  setTotalLots(orders, slot, target.totalLots);
  setOpenLots(orders, slot, target.openLots);
}

/** What showed itself whole goes on doing so; an iceberg keeps its slice, as far as there is that much. */
function displayFor({ orders }: State, slot: OrderSlot, target: Target): number {
  const displayLots = displayLotsOf(orders, slot);
  if (displayLots === totalLotsOf(orders, slot)) return target.totalLots;
  return Math.min(displayLots, target.totalLots);
}

/** Holds exactly what the order now needs: more is taken, less is given back. */
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
    // Money set aside no longer backs what it stood for.
    const row = accountOf(orders, slot);
    if (state.watch.place[row] !== 0) markForReview(state.pending, row);
  } else release(ledger, purse, amount(held - needed), state.timeMs);
  setHeldParts(orders, slot, needed);
  assert(needed >= 0n, 'an order holds what it needs');
}
