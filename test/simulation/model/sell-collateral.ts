import { lowerTicks, upperTicks } from './checks.ts';
import { line } from './event-lines.ts';
import { fundHas, helpFromFund, payMissing } from './fund.ts';
import { collateralValue, isBelow, marginOf } from './margin.ts';
import { availableOf, payVenue } from './money.ts';
import { isTradable } from './prices.ts';
import {
  assetAt,
  FILLS_MAX,
  isPerpetual,
  type Liquidation,
  type Model,
  marketAt,
  nativeOf,
  usdtOf,
} from './state.ts';
import { type SystemOrder, takeNow } from './system-order.ts';
import { bigMax, bigMin, divideDown, divideUp, partsOfLots, valueAt } from './values.ts';

/** A liquidating account without positions that still owes native. */

const UNSOLD_STEPS_MAX = 5;
const PURCHASES_MAX = 8;
const LIQUIDATION = 103;

export function sellCollateral(model: Model, accountIndex: number, liquidation: Liquidation): void {
  const debt = debtOf(model, accountIndex);
  if (debt === 0n) return;
  const assets = largestFirst(model, accountIndex);
  model.offeredAssets += assets.length;
  if (assets.length === 0) {
    payMissing(model, accountIndex, debt);
    emit(model, accountIndex, 'paid-out', undefined, 0n, debt);
    return;
  }
  // One after another, until books or fund take something of one.
  if (assets.some((asset, at) => sellOne(model, accountIndex, asset, at === 0))) {
    liquidation.unsoldSteps = 0;
    return;
  }
  liquidation.unsoldSteps++;
  if (liquidation.unsoldSteps < UNSOLD_STEPS_MAX)
    emit(model, accountIndex, 'nobody', assets[0], 0n, 0n);
  else {
    liquidation.unsoldSteps = 0;
    takeOver(model, accountIndex);
  }
}

/**
 * What the books do not take, the fund buys; what they would still take goes on in the next step. USDT that was there
 * before is spent with the first asset.
 */
function sellOne(model: Model, accountIndex: number, asset: number, isFirst: boolean): boolean {
  const cut: Cut = { isCut: false };
  const isSold = sellByBooks(model, accountIndex, asset, { isFirst, cut });
  const isOver = isSold && isBelow(marginOf(model, accountIndex), 80n);
  const isBought = !isOver && !cut.isCut && sellToFund(model, accountIndex, asset);
  return isSold || isBought;
}

/**
 * The rest goes to insurance at index x LTV until nothing is owed; the deficit pays. Largest first, but last what
 * repays nothing.
 */
function takeOver(model: Model, accountIndex: number): void {
  for (;;) {
    const debt = debtOf(model, accountIndex);
    const assets = largestFirst(model, accountIndex);
    const asset = assets.find((each) => worthOf(model, accountIndex, each) > 0n) ?? assets[0];
    if (debt === 0n || asset === undefined) return;
    const price = bigMin(worthOf(model, accountIndex, asset), debt);
    const given = handOver(model, accountIndex, asset, price);
    payVenue(model, accountIndex, 'deficit', nativeOf(model), -price);
    emit(model, accountIndex, 'taken-over', asset, given, price);
  }
}

const debtOf = (model: Model, accountIndex: number): bigint =>
  bigMax(0n, -availableOf(model, accountIndex, nativeOf(model)));

const worthOf = (model: Model, accountIndex: number, asset: number): bigint =>
  collateralValue(model, asset, availableOf(model, accountIndex, asset));

/** Its value at index alone, in native: an asset that is not collateral also has a value. */
function indexValue(model: Model, accountIndex: number, asset: number): bigint {
  const native = assetAt(model, nativeOf(model)).index;
  return divideDown(availableOf(model, accountIndex, asset) * assetAt(model, asset).index, native);
}

/** By value; dust without value does not count. */
function largestFirst(model: Model, accountIndex: number): number[] {
  return model.assets
    .map((_, asset) => ({ asset, value: indexValue(model, accountIndex, asset) }))
    .filter(({ asset, value }) => asset !== nativeOf(model) && value > 0n)
    .sort((a, b) => (a.value === b.value ? a.asset - b.asset : a.value > b.value ? -1 : 1))
    .map(({ asset }) => asset);
}

/** Whether all the matches that a step may make with a book were made. */
type Cut = { isCut: boolean };

/** Asset -> USDT -> native, immediate or cancel at the edge of the band. */
function sellByBooks(
  model: Model,
  accountIndex: number,
  asset: number,
  { isFirst, cut }: { readonly isFirst: boolean; readonly cut: Cut },
): boolean {
  const debt = debtOf(model, accountIndex);
  const sold = asset === usdtOf(model) ? 0 : sell(model, accountIndex, asset, { debt, cut });
  const bought = sold > 0 || isFirst ? buyNative(model, accountIndex, cut) : 0;
  if (sold + bought === 0) return false;
  const given = sold > 0 ? asset : usdtOf(model);
  emit(model, accountIndex, 'book', given, 0n, debt - debtOf(model, accountIndex));
  return true;
}

/** At most twice the value of the debt, so that prices and rounding leave enough. */
function sell(
  model: Model,
  accountIndex: number,
  asset: number,
  { debt, cut }: { readonly debt: bigint; readonly cut: Cut },
): number {
  const index = usdtMarketOf(model, asset);
  if (index === undefined) return 0;
  const market = marketAt(model, index);
  const there = divideDown(availableOf(model, accountIndex, asset), partsOfLots(market, 1));
  const needed = divideUp(there * 2n * debt, indexValue(model, accountIndex, asset));
  const most = bigMin(bigMin(needed, there), BigInt(market.spec.maxOrderLots));
  const ticks = lowerTicks(market);
  if (most < 1n || ticks < 1) return 0;
  const order = { account: accountIndex, market: index, side: 'SELL', priceTicks: ticks } as const;
  const matchesBefore = market.matches;
  const sold = take(model, { ...order, openLots: Number(most) }, FILLS_MAX);
  if (market.matches - matchesBefore >= FILLS_MAX) cut.isCut = true;
  return sold;
}

/** All USDT there is, as far as the book and the debt go: what a price below the edge leaves buys again. */
function buyNative(model: Model, accountIndex: number, cut: Cut): number {
  const index = usdtMarketOf(model, nativeOf(model));
  if (index === undefined) return 0;
  const market = marketAt(model, index);
  const ticks = upperTicks(market);
  const most = market.spec.maxOrderLots;
  const order = { account: accountIndex, market: index, side: 'BUY', priceTicks: ticks } as const;
  const matchesMax = market.matches + FILLS_MAX;
  let bought = 0;
  for (let purchase = 0; purchase < PURCHASES_MAX; purchase++) {
    const usdt = availableOf(model, accountIndex, usdtOf(model));
    const payable = divideDown(usdt, valueAt(market, ticks, 1));
    const needed = divideUp(debtOf(model, accountIndex), partsOfLots(market, 1));
    const wanted = Number(bigMin(bigMin(payable, needed), BigInt(most - bought)));
    const fillsMax = matchesMax - market.matches;
    const filled = wanted < 1 ? 0 : take(model, { ...order, openLots: wanted }, fillsMax);
    bought += filled;
    if (market.matches === matchesMax) {
      cut.isCut = true;
      break;
    }
    if (filled === 0 || filled < wanted) break;
  }
  return bought;
}

function take(model: Model, order: Omit<SystemOrder, 'source'>, fillsMax: number): number {
  return order.openLots - takeNow(model, { ...order, source: LIQUIDATION }, fillsMax).openLots;
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
function sellToFund(model: Model, accountIndex: number, asset: number): boolean {
  const price = bigMin(
    bigMin(worthOf(model, accountIndex, asset), debtOf(model, accountIndex)),
    fundHas(model),
  );
  if (price <= 0n) return false;
  const given = handOver(model, accountIndex, asset, price);
  helpFromFund(model, accountIndex, price);
  emit(model, accountIndex, 'fund', asset, given, price);
  return true;
}

/** The amount that a price pays for at index x LTV goes to the fund. */
function handOver(model: Model, accountIndex: number, asset: number, price: bigint): bigint {
  const all = availableOf(model, accountIndex, asset);
  const worth = worthOf(model, accountIndex, asset);
  const given = worth === 0n ? all : bigMin(all, divideUp(all * price, worth));
  payVenue(model, accountIndex, 'insurance', asset, given);
  return given;
}

function emit(
  model: Model,
  account: number,
  phase: string,
  asset: number | undefined,
  given: bigint,
  repaid: bigint,
): void {
  const debt = debtOf(model, account);
  model.emitted.push(line('collateral-sold', { account, phase, asset, given, repaid, debt }));
}
