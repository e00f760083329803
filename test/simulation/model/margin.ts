import { availableOf } from './money.ts';
import { afterFills, type Fill } from './position.ts';
import {
  accountAt,
  assetAt,
  assetOf,
  isPerpetual,
  type Model,
  type ModelMarket,
  type ModelOrder,
  marketAt,
  nativeOf,
  positionOf,
} from './state.ts';
import {
  bigMax,
  bigMin,
  divideDown,
  divideUp,
  markValueDown,
  markValueUp,
  valueAt,
} from './values.ts';

/** What an account must have and what it has, computed from scratch, in native parts. */
export type Margin = {
  readonly collateral: bigint;
  readonly initial: bigint;
  readonly maintenance: bigint;
  /** The part of the collateral that is unrealised profit. */
  readonly profit: bigint;
  readonly unrealised: bigint;
};

/** What would be different if the current order were accepted. */
export type Change = {
  /** Planned fills of a perpetual order that cannot rest. */
  readonly fills?: { readonly market: number; readonly matches: readonly Fill[] };
  /** A perpetual order that would rest. */
  readonly order?: Pick<ModelOrder, 'market' | 'side' | 'priceTicks' | 'openLots'>;
  /** Funds that would be reserved, or leave. */
  readonly without?: { readonly asset: number; readonly parts: bigint };
};

const RATE_ONE = 1_000_000_000n;

export function marginOf(model: Model, account: number, change: Change = {}): Margin {
  const native = availableOf(model, account, nativeOf(model)) + realisedBy(model, account, change);
  const debt = bigMax(0n, -native);
  let collateral = native - goneOf(change, nativeOf(model));
  collateral += otherCollateral(model, account, change);
  let initial = divideUp(debt, 10n);
  let maintenance = divideUp(debt, 20n);
  let profit = 0n;
  let unrealisedSum = 0n;
  const initialLegs: Leg[] = [];
  const maintenanceLegs: Leg[] = [];
  model.markets.forEach((market, index) => {
    if (!isPerpetual(market)) return;
    const here = standingIn(model, account, index, change);
    const [up, down] = [here.lots + here.buys, here.lots - here.sells];
    const worst = Math.abs(up) >= Math.abs(down) ? up : down;
    const unrealised = markValueDown(market, here.lots, market.mark) - here.cost;
    collateral += unrealised;
    unrealisedSum += unrealised;
    profit += bigMax(0n, unrealised);
    initial += here.loss;
    const notionalOf = (lots: number): bigint => markValueUp(market, Math.abs(lots), market.mark);
    const { base } = market.spec;
    initialLegs.push({ base, lots: worst, margin: initialMargin(market, notionalOf(worst)) });
    const margin = maintenanceMargin(market, notionalOf(here.lots));
    maintenanceLegs.push({ base, lots: here.lots, margin });
  });
  const isNetted = accountAt(model, account).accountType === 'PORTFOLIO';
  initial += sumOfLegs(initialLegs, isNetted);
  maintenance += sumOfLegs(maintenanceLegs, isNetted);
  return { collateral, initial, maintenance, profit, unrealised: unrealisedSum };
}

export type Leg = { readonly base: string; readonly lots: number; readonly margin: bigint };

/** PORTFOLIO nets long and short legs on one base: the larger margin less 0.75 of the smaller. */
export function sumOfLegs(legs: readonly Leg[], isNetted: boolean): bigint {
  return [...new Set(legs.map(({ base }) => base))].reduce((all, base) => {
    const sum = (sign: number): bigint =>
      legs
        .filter((leg) => leg.base === base && Math.sign(leg.lots) === sign)
        .reduce((margins, { margin }) => margins + margin, 0n);
    const [long, short] = [sum(1), sum(-1)];
    if (!isNetted) return all + long + short;
    return all + bigMax(long, short) - divideDown(3n * bigMin(long, short), 4n);
  }, 0n);
}

/** 100 MM / C < limit; the ratio is 0 if MM is 0, and above all limits if C is not above 0. */
export const isBelow = ({ collateral, maintenance }: Margin, limit: bigint): boolean =>
  maintenance === 0n || (collateral > 0n && 100n * maintenance < limit * collateral);

/** The margin test of an order. If nothing needs margin, only 710006 can apply. */
export const mayPlace = (margin: Margin): boolean =>
  margin.initial === 0n || (margin.collateral >= margin.initial && isBelow(margin, 50n));
export const mayLeave = (margin: Margin): boolean =>
  mayPlace({ ...margin, collateral: margin.collateral - margin.profit });

/** No position may be built beyond the last tier's cap, with open orders counted at their worst. */
export function isBeyondLimit(
  model: Model,
  account: number,
  index: number,
  change: Change,
): boolean {
  const market = marketAt(model, index);
  const here = standingIn(model, account, index, change);
  const worst = Math.max(Math.abs(here.lots + here.buys), Math.abs(here.lots - here.sells));
  const cap = market.spec.tiers.at(-1)?.notionalCap ?? 0n;
  return markValueUp(market, worst, market.mark) > cap;
}

/** Orders that count: in the book, and not reduce-only. */
export const countsInMargin = (order: ModelOrder): boolean =>
  !order.isWaiting && !order.isOnItsWay && !order.reduceOnly;

type Standing = {
  readonly lots: number;
  readonly cost: bigint;
  readonly buys: number;
  readonly sells: number;
  readonly loss: bigint;
};

function standingIn(model: Model, account: number, index: number, change: Change): Standing {
  const market = marketAt(model, index);
  const held = positionOf(model, account, index);
  const { lots, cost } =
    change.fills?.market === index ? afterFills(market, held, change.fills.matches).position : held;
  const open: Pick<ModelOrder, 'side' | 'priceTicks' | 'openLots'>[] = model.orders.filter(
    (order) => order.account === account && order.market === index && countsInMargin(order),
  );
  if (change.order?.market === index) open.push(change.order);
  const lotsOf = (side: string): number =>
    open.filter((order) => order.side === side).reduce((sum, order) => sum + order.openLots, 0);
  return {
    lots,
    cost,
    buys: lotsOf('BUY'),
    sells: lotsOf('SELL'),
    loss: open.reduce((sum, order) => sum + lossOf(market, order), 0n),
  };
}

/** What planned fills close is paid in native at once: it may become debt, or pay it. */
function realisedBy(model: Model, account: number, { fills }: Change): bigint {
  if (fills === undefined) return 0n;
  const held = positionOf(model, account, fills.market);
  return afterFills(marketAt(model, fills.market), held, fills.matches).realised;
}

/** |limit - mark| if the limit is the worse of the two for the account. */
function lossOf(
  market: ModelMarket,
  order: Pick<ModelOrder, 'side' | 'priceTicks' | 'openLots'>,
): bigint {
  const value = valueAt(market, order.priceTicks, order.openLots);
  return order.side === 'BUY'
    ? bigMax(0n, value - markValueDown(market, order.openLots, market.mark))
    : bigMax(0n, markValueUp(market, order.openLots, market.mark) - value);
}

function otherCollateral(model: Model, account: number, change: Change): bigint {
  const native = nativeOf(model);
  const nativeIndex = model.assets[native]?.index ?? 0n;
  const { accountType } = accountAt(model, account);
  const codes = model.assets.map(({ spec }) => spec.code);
  const counted = accountType === 'LINEAR' ? ['USDT', 'USDC'] : codes.filter((c) => c !== 'OX');
  return counted.reduce((sum, code) => {
    const asset = assetOf(model, code);
    const available = availableOf(model, account, asset) - goneOf(change, asset);
    return nativeIndex === 0n ? sum : sum + collateralValue(model, asset, available);
  }, 0n);
}

/** available x index / index(native) x LTV. */
export function collateralValue(model: Model, asset: number, parts: bigint): bigint {
  const { spec, index } = assetAt(model, asset);
  const native = assetAt(model, nativeOf(model)).index;
  return divideDown(parts * index * spec.loanToValue, native * RATE_ONE);
}

const goneOf = ({ without }: Change, asset: number): bigint =>
  without?.asset === asset ? without.parts : 0n;

/** The first tier whose cap covers the notional; the last tier beyond that. */
function tierOf(market: ModelMarket, notional: bigint): number {
  const found = market.spec.tiers.findIndex(({ notionalCap }) => notional <= notionalCap);
  return found < 0 ? market.spec.tiers.length - 1 : found;
}

const leverageOf = (market: ModelMarket, tier: number): bigint =>
  BigInt(market.spec.tiers[tier]?.leverage ?? 1);

const initialMargin = (market: ModelMarket, notional: bigint): bigint =>
  divideUp(notional, leverageOf(market, tierOf(market, notional)));

/** Half the initial rate on the notional, less what makes it continuous from tier to tier. */
export function maintenanceMargin(market: ModelMarket, notional: bigint): bigint {
  const tier = tierOf(market, notional);
  let amount = 0n;
  for (let at = 1; at <= tier; at++) {
    const cap = market.spec.tiers[at - 1]?.notionalCap ?? 0n;
    const [before, after] = [leverageOf(market, at - 1), leverageOf(market, at)];
    amount += (cap * (before - after)) / (2n * before * after);
  }
  return divideUp(notional, 2n * leverageOf(market, tier)) - amount;
}
