import { WORK_BOUNDS } from '../domain/bounds.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  type MarketIndex,
  usdPrice,
} from '../domain/units.ts';
import type { AccountView, Views } from '../domain/views.ts';
import { accountView } from './account-view.ts';
import { newBook } from './book/book.ts';
import { BUY, SELL, type SideCode } from './book/codes.ts';
import { isReduceOnly, isResting, NO_ORDER } from './book/orders.ts';
import { newStops } from './book/stops.ts';
import { admitOrder } from './commands/admit-order.ts';
import { openOrdersOf } from './commands/cancel-order.ts';
import { demandOf } from './commands/check-funds.ts';
import { checkPlacement } from './commands/check-placement.ts';
import { type Placing, standingIn } from './commands/placing.ts';
import { newWork } from './commands/work.ts';
import { type Fee, takeFee } from './ledger/fees.ts';
import { addRow, ensureAssets, purseOf } from './ledger/ledger.ts';
import { previewFills } from './preview-fills.ts';
import { isWorseThanMark, updatePrice } from './risk/marks.ts';
import { fillStanding } from './risk/positions.ts';
import {
  countOpenLots,
  countWorse,
  ensureMarkets,
  NO_STANDING,
  standingOf,
} from './risk/standings.ts';
import { type Account, type Market, newState, type State } from './state.ts';

/**
 * What would be, if: the account alone, copied into a little state of its own, where the very code that
 * settles and margins may do as it likes. The venue is not touched.
 */
type What = { readonly state: State; readonly row: AccountIndex; readonly account: Account };

/** The figures of an account after hypothetical prices, fills and open orders. */
export function estimate(state: State, ask: Views['estimate']['ask']): AccountView {
  const what = copyOf(state, ask.account);
  setPrices(what, ask.prices);
  recountOrders(state, ask.account, what);
  for (const fill of ask.fills) {
    fillOne(what, fill.market, fill.side === 'BUY' ? BUY : SELL, fill.lots, fill.priceTicks);
  }
  for (const order of ask.orders) openOne(what, order);
  return { ...accountView(what.state, what.row), account: ask.account };
}

/** The fills an order would get now, and the account after them. */
export function preview(state: State, ask: Views['preview']['ask']): Views['preview']['answer'] {
  const { order } = ask;
  const account = state.accounts[ask.account] as Account;
  const market = state.markets[order.market] as Market;
  const what = copyOf(state, ask.account);
  // A copy: valuing an account notes the value beside it, and a look must leave no trace.
  const placing: Placing = {
    row: ask.account,
    account: { ...account },
    market,
    order,
    sizeLots: order.sizeLots,
  };
  const late = { afterMs: undefined, windowMs: undefined };
  const demand = demandOf(placing);
  const work = newWork();
  const refusal = checkPlacement(state, placing, late) ?? admitOrder(state, placing, demand, work);
  demand.ordersMax = WORK_BOUNDS.matchesPerRequest;
  const { fills, restLots, restTicks } = previewFills(state, placing, demand);
  const fees: { asset: AssetIndex; amount: bigint }[] = [];
  const side: SideCode = order.side === 'BUY' ? BUY : SELL;
  for (const { priceTicks, lots } of fills) {
    const fee = fillOne(what, order.market, side, lots, priceTicks);
    const known = fees.find(({ asset }) => asset === fee.asset);
    if (known === undefined) fees.push({ ...fee });
    else known.amount += fee.amount;
  }
  if (restLots > 0) {
    openOne(what, {
      market: order.market,
      side: order.side,
      lots: restLots,
      priceTicks: restTicks,
    });
  }
  return {
    refused:
      refusal === undefined ? undefined : { reason: refusal.rejected, message: refusal.message },
    fills,
    fees: fees.map(({ asset, amount: parts }) => ({ asset, amount: amount(parts) })),
    account: { ...accountView(what.state, what.row), account: ask.account },
  };
}

/** The account with its holdings, positions and counted orders, in a state where it is alone. */
function copyOf(state: State, row: AccountIndex): What {
  const alone = newState();
  alone.sequence = state.sequence;
  alone.timeMs = state.timeMs;
  alone.native = state.native;
  alone.usdt = state.usdt;
  alone.priceRound = state.priceRound;
  alone.ledger.native = state.ledger.native;
  ensureAssets(alone.ledger, state.assets.length);
  while (alone.ledger.stride < state.ledger.stride)
    ensureAssets(alone.ledger, alone.ledger.stride + 1);
  for (const asset of state.assets) alone.assets.push({ ...asset, crossed: { ...asset.crossed } });
  for (const [code, index] of state.assetByCode) alone.assetByCode.set(code, index);
  const found = state.accounts[row] as Account;
  const family = state.families[found.family];
  alone.families.push({
    name: 'what-if',
    restrictions: family?.restrictions ?? [],
    feeTier: family?.feeTier ?? 1,
    volumeByDay: new BigInt64Array(30),
    accounts: [],
  });
  const account: Account = {
    ...found,
    family: 0 as FamilyIndex,
    firstOrder: NO_ORDER,
    openOrders: 0,
    firstStanding: NO_STANDING,
    otherCollateralRound: -1,
  };
  const at = addRow(alone.ledger);
  alone.accounts.push(account);
  copyPurses(state, row, alone, at);
  copyMarkets(state, row, { state: alone, row: at, account });
  return { state: alone, row: at, account };
}

function copyPurses(state: State, row: AccountIndex, alone: State, at: AccountIndex): void {
  const { ledger } = state;
  // Nobody else is there to pay: every purse of the little state may owe, but the account's own.
  alone.ledger.mayOwe.fill(1);
  state.assets.forEach((_, index) => {
    const from = purseOf(ledger, row, index as AssetIndex);
    const to = purseOf(alone.ledger, at, index as AssetIndex);
    alone.ledger.available[to] = ledger.available[from] as bigint;
    alone.ledger.reserved[to] = ledger.reserved[from] as bigint;
    alone.ledger.touchedAtMs[to] = ledger.touchedAtMs[from] as number;
  });
}

function copyMarkets(
  state: State,
  row: AccountIndex,
  { state: alone, row: at, account }: What,
): void {
  ensureMarkets(alone.standings, state.markets.length);
  while (alone.standings.marketStride < state.standings.marketStride) {
    ensureMarkets(alone.standings, alone.standings.marketStride + 1);
  }
  state.markets.forEach((market, index) => {
    const clearing = addRow(alone.ledger);
    alone.accounts.push(null);
    const copied: Market = {
      ...market,
      clearing,
      price: { ...market.price },
      premium: { ...market.premium, samples: market.premium.samples.slice() },
      nativeFee: { ...market.nativeFee },
      book: newBook(),
      stops: newStops(),
      firstStanding: NO_STANDING,
    };
    alone.markets.push(copied);
    const from = standingOf(state.standings, row, index);
    if (from === NO_STANDING) return;
    const order = { market: index as MarketIndex };
    const to = standingIn(alone, { row: at, account, market: copied, order });
    for (const name of COPIED) {
      (alone.standings[name] as Float64Array)[to] = (state.standings[name] as Float64Array)[
        from
      ] as number;
    }
  });
  alone.ledger.mayOwe.fill(1);
}

const COPIED = [
  'openOrders',
  'lots',
  'cost',
  'updatedAtMs',
  'buyLots',
  'sellLots',
  'reduceBuyLots',
  'reduceSellLots',
  'worseBuyLots',
  'worseSellLots',
  'worseBuyTickLots',
  'worseSellTickLots',
] as const;

/** Index prices of assets; marks follow them. */
function setPrices({ state }: What, prices: Views['estimate']['ask']['prices']): void {
  for (const { asset, price } of prices) {
    const found = state.assets[asset];
    if (found === undefined) continue;
    found.indexPrice = usdPrice(price);
    found.indexAtMs = state.timeMs;
  }
  state.priceRound++;
  state.markets.forEach((_, market) => {
    updatePrice(state, market as MarketIndex);
  });
}

/** Which of the account's open orders are worse than the mark, now that the mark is another. */
function recountOrders(state: State, row: AccountIndex, what: What): void {
  const { standings } = what.state;
  for (const name of WORSE) standings[name].fill(0);
  for (const name of WORSE_SUMS) standings[name].fill(0n);
  const { orders } = state;
  for (const slot of openOrdersOf(state, state.accounts[row] as Account)) {
    const index = orders.market[slot] as number;
    const market = what.state.markets[index] as Market;
    if (market.spec.type === 'SPOT' || !isResting(orders, slot) || isReduceOnly(orders, slot))
      continue;
    const side = orders.side[slot] as SideCode;
    const priceTicks = orders.priceTicks[slot] as number;
    if (!isWorseThanMark(market.price, side, priceTicks)) continue;
    const at = standingOf(standings, what.row, index);
    countWorse(standings, at, side, priceTicks, orders.openLots[slot] as number);
  }
}

const WORSE = ['worseBuyLots', 'worseSellLots'] as const;
const WORSE_SUMS = ['worseBuyTickLots', 'worseSellTickLots'] as const;

/** One fill of a taker, settled and charged like every other. */
function fillOne(what: What, index: MarketIndex, side: SideCode, lots: number, ticks: number): Fee {
  const { state, row, account } = what;
  const market = state.markets[index] as Market;
  const isBuyer = side === BUY;
  const value = BigInt(lots) * BigInt(ticks) * market.perTickLot;
  if (market.spec.type === 'FUTURE') {
    const standing = standingIn(state, { row, account, market, order: { market: index } });
    fillStanding(state, market, standing, isBuyer ? lots : -lots, ticks);
  } else {
    const sign = isBuyer ? 1n : -1n;
    const { available } = state.ledger;
    const counter = purseOf(state.ledger, row, market.settleAsset);
    const base = purseOf(state.ledger, row, market.baseAsset);
    available[counter] = (available[counter] as bigint) - sign * value;
    available[base] = (available[base] as bigint) + sign * BigInt(lots) * market.perLot;
    touchRow(state, row);
  }
  return takeFee(state, {
    market,
    account: row,
    family: account.family,
    isTaker: true,
    value,
    receivedAsset: isBuyer ? market.baseAsset : market.settleAsset,
    receivedParts: isBuyer ? BigInt(lots) * market.perLot : value,
  });
}

/** Holdings have changed behind the ledger's back: what they were valued at no longer holds. */
function touchRow({ ledger }: State, row: AccountIndex): void {
  ledger.changes[row] = (ledger.changes[row] as number) + 1;
}

/** An open order: what it would hold, or what margin would count of it. */
function openOne(what: What, order: Views['estimate']['ask']['orders'][number]): void {
  const { state, row, account } = what;
  const market = state.markets[order.market] as Market;
  const side = order.side === 'BUY' ? BUY : SELL;
  if (market.spec.type === 'FUTURE') {
    const standing = standingIn(state, { row, account, market, order });
    const isWorse = isWorseThanMark(market.price, side, order.priceTicks);
    const counted = { side, isReduceOnly: false, isWorse, priceTicks: order.priceTicks } as const;
    countOpenLots(state.standings, standing, counted, order.lots);
    return;
  }
  const isBuy = side === BUY;
  const parts = isBuy
    ? BigInt(order.priceTicks) * BigInt(order.lots) * market.perTickLot
    : BigInt(order.lots) * market.perLot;
  const purse = purseOf(state.ledger, row, isBuy ? market.settleAsset : market.baseAsset);
  const { available, reserved } = state.ledger;
  available[purse] = (available[purse] as bigint) - parts;
  reserved[purse] = (reserved[purse] as bigint) + parts;
  touchRow(state, row);
}
