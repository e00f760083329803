import { lotsInParts, tickLotsInParts } from '../../domain/market.ts';
import { BUY, IOC, LIMIT, SELL } from '../../domain/order-codes.ts';
import {
  type AccountIndex,
  AMOUNT_LIMIT,
  type Amount,
  type AssetIndex,
  amount,
  type MarketIndex,
  usdPrice,
} from '../../domain/units.ts';
import type { AccountView, HypotheticalOrder, Views } from '../../domain/views.ts';
import { partsAt } from '../memory/columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import {
  accountOf,
  isReduceOnly,
  isResting,
  marketOf,
  openLotsOf,
  openOrder,
  priceTicksOf,
  setAccount,
  setFamily,
  setHeldParts,
  setMarket,
  setOpenLots,
  setOrderType,
  setPriceTicks,
  setSide,
  setStanding,
  setTimeInForce,
  setTotalLots,
  sideOf,
  wipeOrder,
} from '../memory/order-rows.ts';
import { countOpenLots, countWorse, standingOf } from '../memory/standings.ts';
import { lotsThatFit } from '../risk/ledger-room.ts';
import { isWorseThanMark, updatePrice } from '../risk/marks.ts';
import type { Account, Market, State } from '../state.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { standingIn } from '../trading/placing.ts';
import { type AccountCopy, copyAccount, settleWithStranger } from './account-copy.ts';
import { accountView } from './account-view.ts';

/**
 * The figures of an account after hypothetical prices, fills and open orders; undefined if one of these would
 * take it beyond what the ledger can hold.
 */
export function estimate(state: State, query: Views['estimate']['query']): AccountView | undefined {
  const copy = copyAccount(state, query.account);
  setPrices(copy, query.prices);
  for (const { asset, parts } of query.changes ?? []) addTo(copy, asset, parts);
  recountOrders(state, query.account, copy);
  for (const fill of query.fills) {
    if (!fits(copy, fill)) return undefined;
    fillOne(copy, fill);
  }
  for (const order of query.orders) {
    if (!canReserve(copy, order)) return undefined;
    openOne(copy, order);
  }
  return figuresOf(copy, query.account);
}

/** The figures of the copy, under the account's own name. */
export const figuresOf = (copy: AccountCopy, account: AccountIndex): AccountView => ({
  ...accountView(copy.state, copy.accountIndex),
  account,
});

/** Even if it is not available: an estimate shows what would be, not whether it is allowed. */
function addTo({ state, accountIndex }: AccountCopy, asset: AssetIndex, parts: Amount): void {
  const { ledger } = state;
  const purse = purseOf(ledger, accountIndex, asset);
  ledger.available[purse] = amount(partsAt(ledger.available, purse) + parts);
  // Listed like anything the account ever had: it is part of the collateral.
  ledger.touchedAtMs[purse] = state.timeMs;
}

/** Index prices of assets; marks follow them. */
function setPrices({ state }: AccountCopy, prices: Views['estimate']['query']['prices']): void {
  for (const { asset, price } of prices) {
    const found = state.assets[asset];
    if (found === undefined) continue;
    found.indexPrice = usdPrice(price);
    found.indexAtMs = state.timeMs;
  }
  state.markets.forEach((_, market) => {
    updatePrice(state, market as MarketIndex);
  });
}

/** Recounts which of the account's open orders are worse than the new mark. */
function recountOrders(state: State, accountIndex: AccountIndex, copy: AccountCopy): void {
  const { standings } = copy.state;
  for (const name of WORSE) standings[name].fill(0);
  for (const name of WORSE_SUMS) standings[name].fill(0n);
  const { orders } = state;
  for (const slot of openOrdersOf(state, state.accounts[accountIndex] as Account)) {
    const index = marketOf(orders, slot);
    const market = copy.state.markets[index] as Market;
    if (market.spec.type === 'SPOT' || !isResting(orders, slot) || isReduceOnly(orders, slot))
      continue;
    const side = sideOf(orders, slot);
    const priceTicks = priceTicksOf(orders, slot);
    if (!isWorseThanMark(market.price, side, priceTicks)) continue;
    const standing = standingOf(standings, copy.accountIndex, index);
    countWorse(standings, standing, side, priceTicks, openLotsOf(orders, slot));
  }
}

const WORSE = ['worseBuyLots', 'worseSellLots'] as const;
const WORSE_SUMS = ['worseBuyTickLots', 'worseSellTickLots'] as const;

/** A real match moves what exists, which the ledger can hold; the stranger has whatever is needed. */
function fits(copy: AccountCopy, fill: HypotheticalOrder): boolean {
  const { state, accountIndex, strangersOrder } = copy;
  const { lots, priceTicks } = fill;
  const market = state.markets[fill.market] as Market;
  if (market.spec.type === 'FUTURE') {
    const accounts = [accountIndex, accountOf(state.orders, strangersOrder)] as const;
    return lotsThatFit(state, fill.market, { accounts, priceTicks, lots }) === lots;
  }
  const isBuy = fill.side === 'BUY';
  const received = isBuy
    ? lotsInParts(market.perLot, lots)
    : tickLotsInParts(market.perTickLot, priceTicks, lots);
  const asset = isBuy ? market.baseAsset : market.settleAsset;
  const purse = purseOf(state.ledger, accountIndex, asset);
  return canReserve(copy, fill) && availableIn(state.ledger, purse) + received < AMOUNT_LIMIT;
}

/** What a spot order holds need not be there, so of a cheap asset it can be more than the ledger counts. */
function canReserve({ state, accountIndex }: AccountCopy, order: HypotheticalOrder): boolean {
  const market = state.markets[order.market] as Market;
  if (market.spec.type === 'FUTURE') return true;
  const { parts, asset } = reserveOf(market, order);
  const purse = purseOf(state.ledger, accountIndex, asset);
  const reserved = partsAt(state.ledger.reserved, purse) + parts;
  const left = availableIn(state.ledger, purse) - parts;
  return reserved < AMOUNT_LIMIT && left > -AMOUNT_LIMIT;
}

const reserveOf = (market: Market, { side, lots, priceTicks }: HypotheticalOrder) =>
  side === 'BUY'
    ? { parts: tickLotsInParts(market.perTickLot, priceTicks, lots), asset: market.settleAsset }
    : { parts: lotsInParts(market.perLot, lots), asset: market.baseAsset };

/** One fill of a taker, settled and charged like every other, whether the account could pay or not. */
function fillOne(copy: AccountCopy, fill: HypotheticalOrder): void {
  const { state, accountIndex, account } = copy;
  const { orders } = state;
  const market = state.markets[fill.market] as Market;
  const slot = openOrder(orders, state.nextOrderId++);
  wipeOrder(orders, slot);
  setStanding(orders, slot, standingIn(state, { accountIndex, account, market, order: fill }));
  setAccount(orders, slot, accountIndex);
  setFamily(orders, slot, account.family);
  setMarket(orders, slot, fill.market);
  setSide(orders, slot, fill.side === 'BUY' ? BUY : SELL);
  setOrderType(orders, slot, LIMIT);
  setTimeInForce(orders, slot, IOC);
  setPriceTicks(orders, slot, fill.priceTicks);
  setTotalLots(orders, slot, fill.lots);
  setOpenLots(orders, slot, fill.lots);
  if (market.spec.type === 'SPOT') setHeldParts(orders, slot, reserveFor(copy, fill));
  settleWithStranger(copy, market, slot, fill);
}

/** An open order: what it would hold, or what it would add to the margin. */
function openOne(copy: AccountCopy, order: HypotheticalOrder): void {
  const { state, accountIndex, account } = copy;
  const market = state.markets[order.market] as Market;
  if (market.spec.type === 'SPOT') {
    reserveFor(copy, order);
    return;
  }
  const standing = standingIn(state, { accountIndex, account, market, order });
  const side = order.side === 'BUY' ? BUY : SELL;
  const { priceTicks } = order;
  const isWorse = isWorseThanMark(market.price, side, priceTicks);
  const counted = { side, isReduceOnly: order.reduceOnly === true, isWorse, priceTicks } as const;
  countOpenLots(state.standings, standing, counted, order.lots);
}

/** Reserves what a spot order holds, even if it is not available. Returns how much that is. */
function reserveFor({ state, accountIndex }: AccountCopy, order: HypotheticalOrder): bigint {
  const { parts, asset } = reserveOf(state.markets[order.market] as Market, order);
  const { ledger } = state;
  const purse = purseOf(ledger, accountIndex, asset);
  ledger.available[purse] = amount(partsAt(ledger.available, purse) - parts);
  ledger.reserved[purse] = amount(partsAt(ledger.reserved, purse) + parts);
  ledger.touchedAtMs[purse] = state.timeMs;
  return parts;
}
