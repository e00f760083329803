import { WORK_BOUNDS } from '../../domain/bounds.ts';
import type { Lateness } from '../../domain/commands.ts';
import { isNarrow, priceText, quantityText, tickLotsInParts } from '../../domain/market.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Restriction } from '../../domain/terms.ts';
import { AMOUNT_LIMIT, exactNumber } from '../../domain/units.ts';
import { type OrderSlot, orderIdOf } from '../memory/order-rows.ts';
import { findNamed } from '../memory/order-texts.ts';
import { standingOf } from '../memory/standings.ts';
import { isFresh } from '../risk/freshness.ts';
import type { Account, Market, State } from '../state.ts';
import { isStop, mayRest, type Placing } from './placing.ts';

/**
 * All checks except money, in the order of the catalogue, so that a caller always gets the same reason first.
 */
export function checkPlacement(
  state: State,
  placing: Placing,
  late: Lateness,
): Refusal | undefined {
  const { account, market } = placing;
  return (
    checkSlices(market, placing.sizeLots, placing.order.displayLots) ??
    checkAccount(state, account) ??
    checkMarket(state, market, placing) ??
    checkLate(state, late) ??
    checkNames(state, placing) ??
    checkBand(placing) ??
    checkOpenOrders(state, placing) ??
    checkSize(market, placing.sizeLots, placing.order.priceTicks)
  );
}

const SLICES_MAX = WORK_BOUNDS.slicesPerIceberg;

/** Every slice of an iceberg is a separate match, so their number is bounded. */
export function checkSlices(
  market: Market,
  sizeLots: number,
  displayLots: number,
): Refusal | undefined {
  if (displayLots === 0 || displayLots * SLICES_MAX >= sizeLots) return undefined;
  const text = (lots: number): string => quantityText(market.spec, lots);
  return refuse(
    'DISPLAY_QUANTITY_INVALID',
    `displayQuantity ${text(displayLots)} cuts ${text(sizeLots)} into more than ${SLICES_MAX} slices; ` +
      `nearest ${text(Math.ceil(sizeLots / SLICES_MAX))}`,
  );
}

export function checkAccount(state: State, account: Account): Refusal | undefined {
  if (state.familyColumns.isBarred[account.family] === 1) {
    const barred = state.families[account.family]?.restrictions.find(barsTrading);
    return refuse('ACCOUNT_STATUS', barred);
  }
  if (!account.isActive) return refuse('ACCOUNT_STATUS', 'inactive');
  if (account.liquidating) return refuse('ACCOUNT_STATUS', 'liquidating');
  return undefined;
}

export const barsTrading = (restriction: Restriction): boolean => restriction !== 'no-withdraw';

export function checkMarket(
  state: State,
  market: Market,
  { order }: { readonly order: { readonly version: number } },
): Refusal | undefined {
  const { code } = market.spec;
  if (market.state !== 'OPEN') {
    const why = market.stateReason === '' ? '' : ` (${market.stateReason})`;
    return refuse('MARKET_CLOSED', `${code} is ${market.state}${why}`);
  }
  if (market.price.mark === 0n) return refuse('MARKET_CLOSED', `${code} has no price yet`);
  if (!isFresh(state, market)) {
    return refuse('MARKET_CLOSED', `${code} takes cancels only: its index price is too old`);
  }
  if (order.version !== market.version) return refuse('SPECIFICATION_CHANGED', code);
  return undefined;
}

export function checkLate(
  state: State,
  { lateAfterMs, recvWindowMs }: Lateness,
): Refusal | undefined {
  if (lateAfterMs === undefined || state.timeMs <= lateAfterMs) return undefined;
  const window = recvWindowMs === undefined ? '' : `${recvWindowMs} ms `;
  return refuse(
    'ORDER_TOO_LATE',
    `recvWindow ${window}ended at ${lateAfterMs}, the engine's clock says ${state.timeMs}`,
  );
}

/** A name belongs to one open order at a time, waiting stops included; an order that ends releases it. */
function checkNames({ orders }: State, { accountIndex, order }: Placing): Refusal | undefined {
  const found =
    order.texts === undefined ? undefined : findNamed(orders, accountIndex, order.texts);
  if (found === undefined) return undefined;
  const orderId = orderIdOf(orders, found.slot as OrderSlot);
  return refuse(
    'ORDER_NAME_TAKEN',
    `${found.name} ${JSON.stringify(found.text)} is that of order ${orderId}, which is open; ` +
      'wait until it has ended, or choose another',
  );
}

/** The limit price against the band around the mark. A stop is checked when it triggers. */
function checkBand({ market, order }: Placing): Refusal | undefined {
  if (order.orderType !== 'LIMIT') return undefined;
  return bandRefusal(market, order.priceTicks);
}

export function bandRefusal(market: Market, priceTicks: number): Refusal | undefined {
  const { lowerTicks, upperTicks } = market.price;
  if (priceTicks >= lowerTicks && priceTicks <= upperTicks) return undefined;
  const text = (ticks: number): string => priceText(market.spec, ticks);
  if (priceTicks < lowerTicks) {
    return refuse(
      'PRICE_BELOW_BAND',
      `price ${text(priceTicks)} < lower bound ${text(lowerTicks)}; nearest ${text(lowerTicks)}`,
    );
  }
  return refuse(
    'PRICE_ABOVE_BAND',
    `price ${text(priceTicks)} > upper bound ${text(upperTicks)}; nearest ${text(upperTicks)}`,
  );
}

/** Orders that cannot rest are exempt; a stop waits, whatever its time in force, and counts. */
function checkOpenOrders(
  state: State,
  { accountIndex, account, market, order }: Placing,
): Refusal | undefined {
  if (!isStop(order) && !mayRest(order)) return undefined;
  const { perMarket, inAll } = state.orderLimits;
  if (account.openOrders >= inAll) {
    return refuse(
      'TOO_MANY_OPEN_ORDERS',
      `${account.openOrders} are open in all markets, ${inAll} at most; cancel some first`,
    );
  }
  const standing = standingOf(state.standings, accountIndex, order.market);
  const here = state.standings.openOrders[standing] ?? 0;
  if (here < perMarket) return undefined;
  return refuse(
    'TOO_MANY_OPEN_ORDERS',
    `${here} are open in ${market.spec.code}, ${perMarket} at most; cancel some first`,
  );
}

/** At most the market's largest order, and worth less than an amount may be. An order without a limit has price 0. */
export function checkSize(
  market: Market,
  sizeLots: number,
  priceTicks: number,
): Refusal | undefined {
  const { perTickLot } = market;
  const isTooLarge =
    sizeLots > market.spec.maxOrderLots ||
    (!isNarrow(perTickLot, priceTicks, sizeLots) &&
      tickLotsInParts(perTickLot, priceTicks, sizeLots) >= AMOUNT_LIMIT);
  return isTooLarge ? sizeRefusal(market, sizeLots, priceTicks) : undefined;
}

function sizeRefusal(market: Market, sizeLots: number, priceTicks: number): Refusal {
  const { spec, perTickLot } = market;
  const text = (lots: number): string => quantityText(spec, lots);
  if (sizeLots > spec.maxOrderLots) {
    return refuse(
      'SIZE_TOO_LARGE',
      `quantity ${text(sizeLots)} > maximum ${text(spec.maxOrderLots)}; nearest ${text(spec.maxOrderLots)}`,
    );
  }
  const most = exactNumber((AMOUNT_LIMIT - 1n) / (BigInt(priceTicks) * perTickLot));
  return refuse(
    'SIZE_TOO_LARGE',
    `quantity ${text(sizeLots)} at ${priceText(spec, priceTicks)} is worth more than can be counted; nearest ${text(most)}`,
  );
}
