import { costOf, lotsOf, walkBook } from './book.ts';
import { heldFor } from './holds.ts';
import { type Change, countsInMargin, isBeyondLimit, marginOf, mayPlace } from './margin.ts';
import { availableOf } from './money.ts';
import { isTradable } from './prices.ts';
import {
  accountAt,
  familyAt,
  isPerpetual,
  type Model,
  type ModelMarket,
  type ModelOrder,
  marketAt,
  positionOf,
  type Refusal,
} from './state.ts';
import { divideDown, divideUp, tickSize } from './values.ts';

/** The checks of rules 3 against the state of the venue, in their precedence. */

const OPEN_ORDERS_PER_MARKET_MAX = 2_000;
const OPEN_ORDERS_MAX = 10_000;

/** 300001: restricted in any way that concerns trading, or in liquidation. */
export function checkAccount(model: Model, row: number): Refusal {
  const account = accountAt(model, row);
  const { restrictions } = familyAt(model, account.family);
  const isBarred = restrictions.some((one) => one !== 'no-withdraw') || !account.isActive;
  return isBarred || account.liquidation !== undefined ? 'ACCOUNT_STATUS' : undefined;
}

/** 20031: closed, or its prices are old; and the specification the caller counted by. */
export function checkMarket(model: Model, market: ModelMarket, version: number): Refusal {
  if (!isTradable(model, market) || market.mark === 0n) return 'MARKET_CLOSED';
  return version === 1 ? undefined : 'SPECIFICATION_CHANGED';
}

export const checkLate = (model: Model, lateAfterMs: number | undefined): Refusal =>
  lateAfterMs !== undefined && model.timeMs > lateAfterMs ? 'ORDER_TOO_LATE' : undefined;

export function checkBand(market: ModelMarket, priceTicks: number): Refusal {
  if (priceTicks < lowerTicks(market)) return 'PRICE_BELOW_BAND';
  return priceTicks > upperTicks(market) ? 'PRICE_ABOVE_BAND' : undefined;
}

/** mark x (1 +- p), outward to the tick. */
const RATE_ONE = 1_000_000_000n;
export const lowerTicks = (market: ModelMarket): number =>
  Number(divideDown(market.mark * (RATE_ONE - market.spec.band), tickSize(market) * RATE_ONE));
export const upperTicks = (market: ModelMarket): number =>
  Number(divideUp(market.mark * (RATE_ONE + market.spec.band), tickSize(market) * RATE_ONE));

export function checkOpenOrders(model: Model, account: number, market: number): Refusal {
  const own = model.orders.filter((order) => order.account === account);
  const here = own.filter((order) => order.market === market);
  const isFull = own.length >= OPEN_ORDERS_MAX || here.length >= OPEN_ORDERS_PER_MARKET_MAX;
  return isFull ? 'TOO_MANY_OPEN_ORDERS' : undefined;
}

export const checkSize = (market: ModelMarket, lots: number): Refusal =>
  lots > market.spec.maxOrderLots ? 'SIZE_TOO_LARGE' : undefined;

/** An iceberg has a thousand slices at most. */
export const checkSlices = ({ displayLots, totalLots }: ModelOrder): Refusal =>
  displayLots !== undefined && displayLots * SLICES_MAX < totalLots
    ? 'DISPLAY_QUANTITY_INVALID'
    : undefined;
const SLICES_MAX = 1_000;

/**
 * Margin and balance of an order that is not among the open ones yet (an amended one has been taken
 * out): 710004, 710005, 710006. A stop on a perpetual is looked at when it triggers.
 */
export function checkFunds(model: Model, order: ModelOrder, before?: ModelOrder): Refusal {
  const market = marketAt(model, order.market);
  if (isPerpetual(market)) return checkPerpetual(model, order);
  const held = heldFor(model, order);
  const margin = marginOf(model, order.account, { without: held });
  if (!mayPlace(margin)) return 'MARGIN_TOO_LOW';
  // Who asks for no more than the order holds already has it, even if he owes.
  if (before !== undefined && held.parts <= heldFor(model, before).parts) return undefined;
  return availableOf(model, order.account, held.asset) < held.parts ? 'BALANCE_TOO_LOW' : undefined;
}

export function checkPerpetual(model: Model, order: ModelOrder): Refusal {
  if (order.isWaiting || onlyReduces(model, order)) return undefined;
  const change = changeBy(model, order);
  if (isBeyondLimit(model, order.account, order.market, change)) return 'SIZE_TOO_LARGE';
  return mayPlace(marginOf(model, order.account, change)) ? undefined : 'MARGIN_TOO_LOW';
}

/** What cannot rest is tested with its planned fills, the rest as if it stood in the book whole. */
function changeBy(model: Model, order: ModelOrder): Change {
  const isMarket = order.orderType === 'MARKET' || order.orderType === 'STOP_MARKET';
  if (!isMarket && order.timeInForce !== 'IOC' && order.timeInForce !== 'FOK') return { order };
  const walk = walkBook(model, order, order.timeInForce === 'FOK');
  const sign = order.side === 'BUY' ? 1 : -1;
  const { market } = order;
  return {
    fills: { market, lots: sign * lotsOf(walk), cost: BigInt(sign) * costOf(model, walk) },
  };
}

/** Rules 3: with all other open orders on its side it cannot exceed the opposite position. */
function onlyReduces(model: Model, order: ModelOrder): boolean {
  if (order.reduceOnly) return true;
  const { lots } = positionOf(model, order.account, order.market);
  const opposite = order.side === 'BUY' ? -lots : lots;
  const others = model.orders.filter(
    (other) =>
      other.account === order.account &&
      other.market === order.market &&
      other.side === order.side &&
      (countsInMargin(other) || (other.reduceOnly && !other.isWaiting)),
  );
  return others.reduce((sum, other) => sum + other.openLots, order.openLots) <= opposite;
}

/** A MARKET order is protected by the edge of the band; a spot BUY reserves what it will cost. */
export function planMarketOrder(model: Model, order: ModelOrder): void {
  const market = marketAt(model, order.market);
  order.priceTicks = order.side === 'BUY' ? upperTicks(market) : lowerTicks(market);
  if (isPerpetual(market) || order.side === 'SELL') return;
  order.plannedCost = costOf(model, walkBook(model, order));
}
