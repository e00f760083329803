import { matchesOf, type Walk } from './book.ts';
import { heldFor } from './holds.ts';
import {
  type Change,
  countsInMargin,
  isBelow,
  isBeyondLimit,
  marginOf,
  mayPlace,
} from './margin.ts';
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
import { divideDown, divideUp, tickSize, valueAt } from './values.ts';

/** The checks of an order against the state of the venue, in their precedence. */

/** 300001: any restriction on trading, or in liquidation. */
export function checkAccount(model: Model, accountIndex: number): Refusal {
  const account = accountAt(model, accountIndex);
  const { restrictions } = familyAt(model, account.family);
  const isBarred = restrictions.some((one) => one !== 'no-withdraw') || !account.isActive;
  return isBarred || account.liquidation !== undefined ? 'ACCOUNT_STATUS' : undefined;
}

/** 20031: closed, or its prices are stale; and the version of the specification that the caller used. */
export function checkMarket(model: Model, market: ModelMarket, version: number): Refusal {
  if (!isTradable(model, market) || market.mark === 0n) return 'MARKET_CLOSED';
  return version === market.version ? undefined : 'SPECIFICATION_CHANGED';
}

export const checkLate = (model: Model, lateAfterMs: number | undefined): Refusal =>
  lateAfterMs !== undefined && model.timeMs > lateAfterMs ? 'ORDER_TOO_LATE' : undefined;

/** 710009: no two open orders of an account share a label, in any market. */
export const checkLabel = (model: Model, { account, label }: ModelOrder): Refusal =>
  label !== undefined &&
  model.orders.some((other) => other.account === account && other.label === label)
    ? 'ORDER_NAME_TAKEN'
    : undefined;

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

/** Orders that cannot rest are not limited; an untriggered stop counts, whatever its time in force. */
export function checkOpenOrders(model: Model, order: ModelOrder): Refusal {
  if (!order.isWaiting && !canRest(order)) return undefined;
  const own = model.orders.filter(({ account }) => account === order.account);
  const here = own.filter(({ market }) => market === order.market);
  const { perMarket, inAll } = model.orderLimits;
  const isFull = own.length >= inAll || here.length >= perMarket;
  return isFull ? 'TOO_MANY_OPEN_ORDERS' : undefined;
}

/** MARKET, IOC and FOK never rest in the book. */
export const canRest = (order: ModelOrder): boolean =>
  order.orderType !== 'MARKET' &&
  order.orderType !== 'STOP_MARKET' &&
  order.timeInForce !== 'IOC' &&
  order.timeInForce !== 'FOK';

/** Every amount stays below 2^62 parts, and so does the value of an order at its limit. */
export const checkSize = (market: ModelMarket, lots: number, priceTicks: number): Refusal =>
  lots > market.spec.maxOrderLots || valueAt(market, priceTicks, lots) >= 2n ** 62n
    ? 'SIZE_TOO_LARGE'
    : undefined;

/** An iceberg has at most a thousand slices. */
export const checkSlices = ({ displayLots, totalLots }: ModelOrder): Refusal =>
  displayLots !== undefined && displayLots * SLICES_MAX < totalLots
    ? 'DISPLAY_QUANTITY_INVALID'
    : undefined;
const SLICES_MAX = 1_000;

/**
 * Margin and balance of an order that is not open yet (an amended one has been removed): 710004, 710005,
 * 710006. The planned part is tested with its plan, the rest as if it were resting completely.
 */
export function checkFunds(model: Model, order: ModelOrder, plan?: Walk): Refusal {
  const market = marketAt(model, order.market);
  if (isPerpetual(market)) return checkPerpetual(model, order, plan);
  return checkSpotMargin(model, order) ?? checkBalance(model, order);
}

export function checkSpotMargin(model: Model, order: ModelOrder): Refusal {
  const margin = marginOf(model, order.account, { without: heldFor(model, order) });
  return mayPlace(margin) ? undefined : 'MARGIN_TOO_LOW';
}

export function checkBalance(model: Model, order: ModelOrder): Refusal {
  const { asset, parts } = heldFor(model, order);
  return availableOf(model, order.account, asset) < parts ? 'BALANCE_TOO_LOW' : undefined;
}

export function checkPerpetual(model: Model, order: ModelOrder, plan?: Walk): Refusal {
  if (onlyReduces(model, order)) return undefined;
  // A stop needs margin when it triggers; at 50 a new one is still refused.
  if (order.isWaiting) {
    return isBelow(marginOf(model, order.account), 50n) ? undefined : 'MARGIN_TOO_LOW';
  }
  const change = plan === undefined ? { order } : changeBy(order, plan);
  if (isBeyondLimit(model, order.account, order.market, change)) return 'SIZE_TOO_LARGE';
  return mayPlace(marginOf(model, order.account, change)) ? undefined : 'MARGIN_TOO_LOW';
}

function changeBy({ market, side }: ModelOrder, walk: Walk): Change {
  const sign = side === 'BUY' ? 1 : -1;
  const matches = matchesOf(walk).map(({ lots, maker }) => ({
    lots: sign * lots,
    priceTicks: maker.priceTicks,
  }));
  return { fills: { market, matches } };
}

/** Together with all other open orders on its side it cannot exceed the opposite position. */
export function onlyReduces(model: Model, order: ModelOrder): boolean {
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

/** A MARKET order is limited by the edge of the band. */
export function protectiveTicks(model: Model, { market: index, side }: ModelOrder): number {
  const market = marketAt(model, index);
  return side === 'BUY' ? upperTicks(market) : lowerTicks(market);
}
