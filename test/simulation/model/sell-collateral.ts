import { lowerTicks, upperTicks } from './checks.ts';
import { fundHas, helpFromFund, payMissing } from './fund.ts';
import { collateralValue, isBelow, marginOf } from './margin.ts';
import { availableOf, payVenue } from './money.ts';
import { isTradable } from './prices.ts';
import {
  assetAt,
  isPerpetual,
  type Liquidation,
  type Model,
  marketAt,
  nativeOf,
  usdtOf,
} from './state.ts';
import { takeNow } from './system-order.ts';
import { line } from './told.ts';
import { bigMax, bigMin, divideDown, divideUp, partsOfLots, valueAt } from './values.ts';

/** A liquidating account without positions that still owes native. */

const UNSOLD_STEPS_MAX = 5;
const LIQUIDATION = 103;

export function sellCollateral(model: Model, row: number, liquidation: Liquidation): void {
  const debt = debtOf(model, row);
  if (debt === 0n) return;
  const asset = largest(model, row);
  if (asset === undefined) {
    payMissing(model, row, debt);
    tell(model, row, 'paid-out', undefined, 0n, debt);
    return;
  }
  const isSold = sellByBooks(model, row, asset);
  const isOver = isSold && isBelow(marginOf(model, row), 80n);
  // What the books have not taken.
  const isBought = !isOver && sellToFund(model, row, asset);
  liquidation.unsoldSteps = isSold || isBought ? 0 : liquidation.unsoldSteps + 1;
  if (isSold || isBought) return;
  if (liquidation.unsoldSteps < UNSOLD_STEPS_MAX) tell(model, row, 'nobody', asset, 0n, 0n);
  else {
    liquidation.unsoldSteps = 0;
    takeOver(model, row);
  }
}

/** The rest goes to insurance at index x LTV, largest first, until nothing is owed; the deficit pays. */
function takeOver(model: Model, row: number): void {
  for (;;) {
    const debt = debtOf(model, row);
    const asset = largest(model, row);
    if (debt === 0n || asset === undefined) return;
    const price = bigMin(worthOf(model, row, asset), debt);
    const given = handOver(model, row, asset, price);
    payVenue(model, row, 'deficit', nativeOf(model), -price);
    tell(model, row, 'taken-over', asset, given, price);
  }
}

const debtOf = (model: Model, row: number): bigint =>
  bigMax(0n, -availableOf(model, row, nativeOf(model)));

const worthOf = (model: Model, row: number, asset: number): bigint =>
  collateralValue(model, asset, availableOf(model, row, asset));

/** What it is worth at index alone, in native: also what is no collateral is worth something. */
function indexValue(model: Model, row: number, asset: number): bigint {
  const native = assetAt(model, nativeOf(model)).index;
  return divideDown(availableOf(model, row, asset) * assetAt(model, asset).index, native);
}

/** The holding worth most; dust that is worth nothing is none. */
function largest(model: Model, row: number): number | undefined {
  const held = model.assets
    .map((_, asset) => ({ asset, value: indexValue(model, row, asset) }))
    .filter(({ asset, value }) => asset !== nativeOf(model) && value > 0n)
    .sort((a, b) => (a.value === b.value ? a.asset - b.asset : a.value > b.value ? -1 : 1));
  return held[0]?.asset;
}

/** Asset -> USDT -> native, immediate or cancel at the edge of the band. */
function sellByBooks(model: Model, row: number, asset: number): boolean {
  const debt = debtOf(model, row);
  const sold = asset === usdtOf(model) ? 0 : sell(model, row, asset, debt);
  const bought = buyNative(model, row, debt);
  if (sold + bought === 0) return false;
  tell(model, row, 'book', asset, 0n, debt - debtOf(model, row));
  return true;
}

/** Twice what the debt is worth at most, so that prices and rounding leave enough. */
function sell(model: Model, row: number, asset: number, debt: bigint): number {
  const index = usdtMarketOf(model, asset);
  if (index === undefined) return 0;
  const market = marketAt(model, index);
  const there = divideDown(availableOf(model, row, asset), partsOfLots(market, 1));
  const needed = divideUp(there * 2n * debt, indexValue(model, row, asset));
  const most = bigMin(bigMin(needed, there), BigInt(market.spec.maxOrderLots));
  const ticks = lowerTicks(market);
  return most < 1n || ticks < 1 ? 0 : take(model, row, index, 'SELL', Number(most), ticks);
}

function buyNative(model: Model, row: number, debt: bigint): number {
  const index = usdtMarketOf(model, nativeOf(model));
  if (index === undefined) return 0;
  const market = marketAt(model, index);
  const ticks = upperTicks(market);
  const payable = divideDown(availableOf(model, row, usdtOf(model)), valueAt(market, ticks, 1));
  const needed = divideUp(debt, partsOfLots(market, 1));
  const most = bigMin(bigMin(payable, needed), BigInt(market.spec.maxOrderLots));
  return most < 1n ? 0 : take(model, row, index, 'BUY', Number(most), ticks);
}

function take(
  model: Model,
  account: number,
  market: number,
  side: 'BUY' | 'SELL',
  openLots: number,
  priceTicks: number,
): number {
  const wanted = { account, market, side, openLots, priceTicks, source: LIQUIDATION };
  return openLots - takeNow(model, wanted).openLots;
}

/** The spot market of an asset against USDT, if it can be traded now. */
function usdtMarketOf(model: Model, asset: number): number | undefined {
  const { code } = assetAt(model, asset).spec;
  const index = model.markets.findIndex(
    (market) => !isPerpetual(market) && market.spec.base === code && market.spec.counter === 'USDT',
  );
  return index >= 0 && isTradable(model, marketAt(model, index)) ? index : undefined;
}

/** The fund buys at index x LTV while it can. */
function sellToFund(model: Model, row: number, asset: number): boolean {
  const price = bigMin(bigMin(worthOf(model, row, asset), debtOf(model, row)), fundHas(model));
  if (price <= 0n) return false;
  const given = handOver(model, row, asset, price);
  helpFromFund(model, row, price);
  tell(model, row, 'fund', asset, given, price);
  return true;
}

/** What a price pays for at index x LTV goes to the fund. */
function handOver(model: Model, row: number, asset: number, price: bigint): bigint {
  const all = availableOf(model, row, asset);
  const worth = worthOf(model, row, asset);
  const given = worth === 0n ? all : bigMin(all, divideUp(all * price, worth));
  payVenue(model, row, 'insurance', asset, given);
  return given;
}

function tell(
  model: Model,
  account: number,
  phase: string,
  asset: number | undefined,
  given: bigint,
  repaid: bigint,
): void {
  const debt = debtOf(model, account);
  model.told.push(line('collateral-sold', { account, phase, asset, given, repaid, debt }));
}
