import { volumesOf } from '../../src/core/memory/family-columns.ts';
import { purseOf } from '../../src/core/memory/ledger.ts';
import { type Premium, SAMPLES } from '../../src/core/memory/premium-samples.ts';
import { isNothingAtStake } from '../../src/core/risk/at-stake.ts';
import { holderIndex, type State } from '../../src/core/state.ts';
import { view } from '../../src/core/views/views.ts';
import type { AccountIndex, AssetIndex, MarketIndex } from '../../src/domain/units.ts';
import type { AccountView } from '../../src/domain/views.ts';
import { bookSide } from './model/book.ts';
import { type EventLine, inOneOrder, modelOrderText, recordText } from './model/event-lines.ts';
import { liquidationPriceOf } from './model/liquidation-price.ts';
import { type Margin, marginOf } from './model/margin.ts';
import { reservedOf, totalOf, venueHas } from './model/money.ts';
import {
  accountAt,
  isPerpetual,
  type Model,
  type ModelAccount,
  type ModelMarket,
  marketAt,
  must,
  positionOf,
} from './model/state.ts';
import { nothingAtStake } from './model/tick.ts';
import { bigMax, bigMin, markValueUp } from './model/values.ts';

/** Compares the venue's events with those that the model expects; empty if they agree. */
export function differenceInEvents(
  venue: readonly EventLine[],
  model: readonly EventLine[],
): string[] {
  const [emitted, expected] = [inOneOrder(venue), inOneOrder(model)];
  const length = Math.max(emitted.length, expected.length);
  for (let at = 0; at < length; at++) {
    if (emitted[at] === expected[at]) continue;
    return [
      `event ${at + 1}`,
      `  venue: ${emitted[at] ?? '(nothing)'}`,
      `  model: ${expected[at] ?? '(nothing)'}`,
    ];
  }
  return [];
}

/** Balances, reserves, positions, open orders, depth, margin, prices: everything visible. */
export function differencesInState(state: State, model: Model): string[] {
  const differences: string[] = [];
  const compare = (what: string, venue: unknown, expected: unknown): void => {
    const [a, b] = [String(venue), String(expected)];
    if (a !== b) differences.push(`${what}`, `  venue: ${a}`, `  model: ${b}`);
  };
  for (const account of model.accounts.values()) compareAccount(state, model, account, compare);
  compareVolumes(state, model, compare);
  compareMarkets(state, model, compare);
  comparePurses(state, model, compare);
  compare('nothing at stake', isNothingAtStake(state), nothingAtStake(model));
  return differences;
}

export type Compare = (what: string, venue: unknown, expected: unknown) => void;

function compareAccount(
  state: State,
  model: Model,
  { accountIndex, name, family }: ModelAccount,
  compare: Compare,
): void {
  const who = `account ${accountIndex} (${model.families[family]?.name}/${name})`;
  const [seen] = view(state, 'accounts', { accounts: [accountIndex as AccountIndex] });
  if (seen === undefined) throw new Error('an account that was asked for is answered');
  compareFigures(seen, model, accountIndex, who, compare);
  const orders = view(state, 'orders', { account: accountIndex as AccountIndex }).map(recordText);
  const own = model.orders.filter((order) => order.account === accountIndex);
  own.sort((a, b) => b.orderId - a.orderId);
  const byLabel = own.flatMap(({ label }) =>
    label === undefined
      ? []
      : view(state, 'orders', { account: accountIndex as AccountIndex, named: { label } }),
  );
  const labelled = own.filter(({ label }) => label !== undefined);
  compare(`${who}: by label`, byLabel.map(recordText), labelled.map(modelOrderText));
  compare(`${who}: open orders`, orders.join('\n    '), own.map(modelOrderText).join('\n    '));
}

/** Balances, positions and margin: current or hypothetical. */
export function compareFigures(
  seen: AccountView,
  model: Model,
  accountIndex: number,
  who: string,
  compare: Compare,
): void {
  model.assets.forEach(({ spec }, asset) => {
    const balance = seen.balances.find((one) => one.asset === asset);
    const reserved = reservedOf(model, accountIndex, asset);
    const available = totalOf(model, accountIndex, asset) - reserved;
    compare(`${who}: available ${spec.code}`, balance?.available ?? 0n, available);
    compare(`${who}: reserved ${spec.code}`, balance?.reserved ?? 0n, reserved);
  });
  model.markets.forEach(({ spec }, market) => {
    const found = seen.positions.find((one) => one.market === market);
    const expected = positionOf(model, accountIndex, market);
    compare(
      `${who}: position in ${spec.code}`,
      `${found?.lots ?? 0} lots, cost ${found?.cost ?? 0n}`,
      `${expected.lots} lots, cost ${expected.cost}`,
    );
    if (found !== undefined)
      compareLiquidation(model, accountIndex, found, `${who} in ${spec.code}`, compare);
  });
  const unrealised = seen.positions.reduce((sum, position) => sum + position.unrealised, 0n);
  const added = seen.balances.reduce((sum, balance) => sum + balance.collateralValue, unrealised);
  compare(`${who}: collateral by asset`, added, seen.collateral);
  const orders = model.orders.filter((order) => order.account === accountIndex).length;
  compareMargin(model, accountIndex, who, seen, orders, compare);
}

/** The price, as precisely as rounding by some parts of the native asset allows. */
export function compareLiquidation(
  model: Model,
  account: number,
  {
    market: index,
    lots,
    liquidationPrice,
  }: { readonly market: number; readonly lots: number; readonly liquidationPrice: bigint },
  who: string,
  compare: Compare,
): void {
  const market = marketAt(model, index);
  const expected = liquidationPriceOf(model, account, index);
  const difference = bigMax(liquidationPrice - expected, expected - liquidationPrice);
  const parts = markValueUp(market, Math.abs(lots), difference);
  if (difference > 1n && parts > 16n)
    compare(`${who}: liquidation price`, liquidationPrice, expected);
}

/** Sums of roundings may differ by one part per order and market; more is a bug. */
function compareMargin(
  model: Model,
  accountIndex: number,
  who: string,
  seen: {
    readonly collateral: bigint;
    readonly initialMargin: bigint;
    readonly maintenanceMargin: bigint;
    readonly marginRatio: bigint;
    readonly feeTier: number;
    readonly liquidating: boolean;
  },
  orders: number,
  compare: Compare,
): void {
  const expected = marginOf(model, accountIndex);
  const tolerance = BigInt(orders + 2 * model.markets.length);
  const near = (a: bigint, b: bigint): boolean => (a < b ? b - a : a - b) <= tolerance;
  const about = (what: string, venue: bigint, value: bigint): void => {
    if (!near(venue, value)) compare(`${who}: ${what}`, venue, value);
  };
  about('collateral', seen.collateral, expected.collateral);
  about('initial margin', seen.initialMargin, expected.initial);
  about('maintenance margin', seen.maintenanceMargin, expected.maintenance);
  const [low, high] = ratiosAround(expected, tolerance);
  if (seen.marginRatio < low || seen.marginRatio > high) {
    compare(`${who}: margin ratio`, seen.marginRatio, `${low} to ${high}`);
  }
  const { family, liquidation } = accountAt(model, accountIndex);
  compare(`${who}: liquidating`, seen.liquidating, liquidation !== undefined);
  compare(`${who}: fee tier`, seen.feeTier, model.families[family]?.feeTier);
}

/** The range of 100 MM / C in 10^-6 if sums differ by a few parts. */
function ratiosAround({ collateral, maintenance }: Margin, parts: bigint): [bigint, bigint] {
  if (maintenance === 0n) return [0n, 0n];
  const ratio = (margin: bigint, backing: bigint): bigint =>
    backing <= 0n ? NO_BACKING : (100_000_000n * margin) / backing;
  const least = ratio(bigMax(0n, maintenance - parts), collateral + parts);
  // With almost no collateral the ratio can be arbitrarily large, and the same few parts may leave none at
  // all.
  const most = collateral <= parts ? bigMax(NO_BACKING, ratio(maintenance + parts, 1n)) : 0n;
  return [
    bigMin(NO_BACKING, least),
    bigMax(most, ratio(maintenance + parts, bigMax(1n, collateral - parts))),
  ];
}
/** The venue's ratio if nothing backs a position. */
const NO_BACKING = 999_999_000_000n;

/** The volume for the next fee tier, which is not visible otherwise before midnight. */
function compareVolumes(state: State, model: Model, compare: Compare): void {
  const today = Math.floor(model.timeMs / DAY_MS);
  model.families.forEach(({ name, volumeByDay }, index) => {
    const venue = volumesOf(state.familyColumns, index);
    const counted = [...volumeByDay].filter(([day]) => day > today - VOLUME_DAYS);
    const expected = counted.reduce((sum, [, volume]) => sum + volume, 0n);
    compare(
      `volume of ${name}`,
      venue.reduce((sum, one) => sum + one, 0n),
      expected,
    );
  });
}
const DAY_MS = 86_400_000;
const VOLUME_DAYS = 30;

const DEPTH = 1_000;

function compareMarkets(state: State, model: Model, compare: Compare): void {
  const seen = view(state, 'markets', {});
  model.markets.forEach((market, index) => {
    const { code } = market.spec;
    compare(`${code}: mark`, seen[index]?.mark, market.mark);
    if (isPerpetual(market)) comparePremium(must(state.markets[index]).premium, market, compare);
    compare(`${code}: state`, seen[index]?.state, market.state);
    compare(`${code}: last price`, seen[index]?.lastTicks, market.lastTicks);
    const longs = [...model.accounts.values()].reduce(
      (sum, { accountIndex }) => sum + Math.max(0, positionOf(model, accountIndex, index).lots),
      0,
    );
    compare(`${code}: open interest`, seen[index]?.openInterestLots, longs);
    const depth = view(state, 'depth', { market: index as MarketIndex, levels: DEPTH });
    compare(`${code}: bids`, levelsText(depth.bids), depthOf(model, index, 'BUY'));
    compare(`${code}: asks`, levelsText(depth.asks), depthOf(model, index, 'SELL'));
  });
}

/** Samples in their order: a mark does not show where among them a 0 is missing. */
function comparePremium(premium: Premium, { spec, ...market }: ModelMarket, compare: Compare) {
  const { samples, next, count, hourSeconds, hourSum } = premium;
  const inOrder =
    count < SAMPLES
      ? samples.subarray(0, count)
      : [...samples.subarray(next), ...samples.subarray(0, next)];
  compare(`${spec.code}: samples`, weighed(inOrder), weighed(market.samples));
  const { hourPremiums } = market;
  const expected = hourPremiums.reduce((sum, one) => sum + one, 0n);
  compare(`${spec.code}: hour`, `${hourSeconds} ${hourSum}`, `${hourPremiums.length} ${expected}`);
}

const weighed = (samples: Iterable<bigint>): string => {
  let [place, sum] = [0n, 0n];
  for (const sample of samples) sum += ++place * sample;
  return `${place} samples, weighed by their places ${sum}`;
};

/** Fees, insurance, rounding and deficit, for every asset. */
const HOLDERS = ['fees', 'insurance', 'rounding', 'deficit', 'suspense', 'network-costs'] as const;

function comparePurses(state: State, model: Model, compare: Compare): void {
  for (const holder of HOLDERS) {
    model.assets.forEach(({ spec }, asset) => {
      const purse = purseOf(state.ledger, holderIndex(holder), asset as AssetIndex);
      const expected = venueHas(model, holder, asset);
      compare(`${holder} of ${spec.code}`, state.ledger.available[purse], expected);
    });
  }
}

const levelsText = (
  levels: readonly { readonly priceTicks: number; readonly lots: number }[],
): string => levels.map(({ priceTicks, lots }) => `${lots} at ${priceTicks}`).join(', ');

/** Slices of the same price, summed. */
function depthOf(model: Model, market: number, side: 'BUY' | 'SELL'): string {
  const lotsByPrice = new Map<number, number>();
  for (const order of bookSide(model, market, side)) {
    const lots = lotsByPrice.get(order.priceTicks) ?? 0;
    lotsByPrice.set(order.priceTicks, lots + order.sliceLots);
  }
  return levelsText([...lotsByPrice].map(([priceTicks, lots]) => ({ priceTicks, lots })));
}
