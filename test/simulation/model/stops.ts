import { checkAccount, checkBand, protectiveTicks } from './checks.ts';
import { carryOutEntry, enterTriggered } from './enter.ts';
import { closeOrder, emitOrder } from './execute.ts';
import { isTradable } from './prices.ts';
import { freshWork, type Model, type ModelOrder, marketAt, NO_ELEMENT } from './state.ts';
import { tickSize } from './values.ts';

/** Triggers the next due stop, market by market; returns whether there was one. */
export function fireNextStop(model: Model): boolean {
  const markets = [...model.stopSweeps, ...model.markets.keys()];
  for (const market of markets) {
    const stop = nextFired(model, market);
    if (stop !== undefined) {
      trigger(model, stop);
      return true;
    }
    // Markets without a change are checked too: no stop may be missed.
    if (market === model.stopSweeps[0]) model.stopSweeps.shift();
  }
  return false;
}

/** All that wait in a market, in the order in which they would trigger. */
export const stopsInTurn = (model: Model, market: number): ModelOrder[] =>
  model.orders.filter((order) => order.market === market && order.isWaiting).sort(byTurn);

/** By mark before by last price; BUY by rising, SELL by falling stop price; then by id. */
function nextFired(model: Model, index: number): ModelOrder | undefined {
  if (!isTradable(model, marketAt(model, index))) return undefined;
  return model.orders
    .filter((order) => order.market === index && order.isWaiting && hasFired(model, order))
    .sort(byTurn)[0];
}

const byTurn = (a: ModelOrder, b: ModelOrder): number =>
  rank(a) - rank(b) ||
  (a.side === 'BUY' ? a.stopTicks - b.stopTicks : b.stopTicks - a.stopTicks) ||
  a.orderId - b.orderId;

const rank = (order: ModelOrder): number =>
  (order.triggerType === 'MARK_PRICE' ? 0 : 2) + (order.side === 'BUY' ? 0 : 1);

/** BUY when the price has risen to the stop, SELL when it has fallen to it. */
function hasFired(model: Model, order: ModelOrder): boolean {
  const market = marketAt(model, order.market);
  const stop = BigInt(order.stopTicks) * tickSize(market);
  const price =
    order.triggerType === 'MARK_PRICE' ? market.mark : BigInt(market.lastTicks) * tickSize(market);
  if (price === 0n) return false;
  return order.side === 'BUY' ? price >= stop : price <= stop;
}

/** It becomes the order it stands for; one that may not be placed now closes with the reason. */
function trigger(model: Model, order: ModelOrder): void {
  const market = marketAt(model, order.market);
  order.isWaiting = false;
  order.isTriggered = true;
  order.isOnItsWay = true;
  if (order.orderType === 'STOP_MARKET') order.priceTicks = protectiveTicks(model, order);
  emitOrder(model, 'order-triggered', order, NO_ELEMENT);
  const barred =
    checkAccount(model, order.account) ??
    (order.orderType === 'STOP_LIMIT' ? checkBand(market, order.priceTicks) : undefined);
  // Each stop may plan and match as much as a request.
  model.work = freshWork();
  const entry = barred === undefined ? enterTriggered(model, order) : { refused: barred, most: 0 };
  if (entry.refused === undefined) carryOutEntry(model, order, entry, NO_ELEMENT);
  else closeOrder(model, order, NO_ELEMENT, 'CANCELED_BY_USER', entry.refused);
}
