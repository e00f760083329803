import {
  isReduceOnly,
  isResting,
  marketOf,
  type OrderSlot,
  openLotsOf,
  orderIdOf,
  priceTicksOf,
  sideOf,
} from '../../src/core/memory/order-rows.ts';
import type { Account, Market, State } from '../../src/core/state.ts';
import { openOrdersOf } from '../../src/core/trading/find-order.ts';
import { hasPendingWork } from '../../src/core/venue.ts';
import { BUY } from '../../src/domain/order-codes.ts';

/**
 * Margin computed directly from the rules: every order, position and purse is read, nothing that the core
 * maintains incrementally is used, no sum or price is cached.
 */
export type PlainMargin = {
  readonly collateral: bigint;
  readonly initial: bigint;
  readonly maintenance: bigint;
};

const RATE_ONE = 10n ** 9n;
const divideUp = (top: bigint, bottom: bigint): bigint =>
  top >= 0n ? (top + bottom - 1n) / bottom : -(-top / bottom);
const divideDown = (top: bigint, bottom: bigint): bigint => -divideUp(-top, bottom);

export function plainMargin(state: State, accountIndex: number): PlainMargin {
  const account = accountAt(state, accountIndex);
  const native = availableOf(state, accountIndex, state.native);
  const debt = native < 0n ? -native : 0n;
  let collateral = native + otherCollateral(state, accountIndex, account);
  let initial = divideUp(debt, 10n);
  let maintenance = divideUp(debt, 20n);
  const initialLegs: Leg[] = [];
  const maintenanceLegs: Leg[] = [];
  state.markets.forEach((market, index) => {
    if (market.spec.type !== 'FUTURE') return;
    const { lots, cost } = positionOf(state, accountIndex, index);
    const open = openIn(state, account, market, index);
    const [up, down] = [lots + open.buys, lots - open.sells];
    const worst = Math.abs(up) >= Math.abs(down) ? up : down;
    const { base } = market.spec;
    initial += open.loss;
    initialLegs.push({ base, lots: worst, margin: initialMargin(market, notional(market, worst)) });
    const margin = maintenanceMargin(market, notional(market, lots));
    maintenanceLegs.push({ base, lots, margin });
    collateral += divideDown(value(market, lots), lotDivisor(market)) - cost;
  });
  const isNetted = account.accountType === 'PORTFOLIO';
  initial += sumOfLegs(initialLegs, isNetted);
  maintenance += sumOfLegs(maintenanceLegs, isNetted);
  return { collateral, initial, maintenance };
}

/**
 * Accounts that should have been handled and were not, as sentences: none at 100 or more outside liquidation,
 * none at 50 or more with an order that ratio 50 cancels. Only for a state without pending work.
 */
export function overlookedAccounts(state: State): string[] {
  if (hasPendingWork(state)) return [];
  return state.accounts.flatMap((account, accountIndex) => {
    if (account === null || account.liquidating) return [];
    const { collateral, maintenance } = plainMargin(state, accountIndex);
    if (maintenance === 0n || 2n * maintenance < collateral) return [];
    const figures = `maintenance margin ${maintenance} of collateral ${collateral}`;
    if (maintenance >= collateral)
      return [`account ${accountIndex} is overlooked at 100: ${figures}`];
    return openOrdersOf(state, account)
      .filter((slot) => mustGoAt50(state, account, accountIndex, slot))
      .map(
        (slot) =>
          `account ${accountIndex} keeps order ${orderIdOf(state.orders, slot)} at 50: ${figures}`,
      );
  });
}

/** Spot orders, and perpetual ones that with all on their side exceed the opposite position. */
function mustGoAt50(
  state: State,
  account: Account,
  accountIndex: number,
  slot: OrderSlot,
): boolean {
  const { orders } = state;
  const index = marketOf(orders, slot);
  if (marketAt(state, index).spec.type === 'SPOT') return true;
  if (!isResting(orders, slot) || isReduceOnly(orders, slot)) return false;
  const side = sideOf(orders, slot);
  let open = 0;
  for (const other of openOrdersOf(state, account)) {
    const isSame = marketOf(orders, other) === index && sideOf(orders, other) === side;
    if (isSame && isResting(orders, other)) open += openLotsOf(orders, other);
  }
  const { lots } = positionOf(state, accountIndex, index);
  return open > Math.max(0, side === BUY ? -lots : lots);
}

type Leg = { readonly base: string; readonly lots: number; readonly margin: bigint };

/** PORTFOLIO: on one base the larger side's margin less 0.75 of the smaller. */
function sumOfLegs(legs: readonly Leg[], isNetted: boolean): bigint {
  let all = 0n;
  for (const base of new Set(legs.map((leg) => leg.base))) {
    let long = 0n;
    let short = 0n;
    for (const leg of legs) {
      if (leg.base !== base) continue;
      if (leg.lots > 0) long += leg.margin;
      else if (leg.lots < 0) short += leg.margin;
    }
    const [smaller, larger] = long < short ? [long, short] : [short, long];
    all += isNetted ? larger - divideDown(3n * smaller, 4n) : long + short;
  }
  return all;
}

function otherCollateral(state: State, accountIndex: number, account: Account): bigint {
  const nativePrice = state.assets[state.native]?.indexPrice ?? 0n;
  if (nativePrice === 0n) return 0n;
  return state.assets.reduce((sum, { spec, indexPrice }, asset) => {
    const isDollar = spec.code === 'USDT' || spec.code === 'USDC';
    if (asset === state.native || (account.accountType === 'LINEAR' && !isDollar)) return sum;
    const top = availableOf(state, accountIndex, asset) * indexPrice * spec.loanToValue;
    const nativeScale = state.assets[state.native]?.spec.scale ?? 0;
    return (
      sum +
      divideDown(
        top * 10n ** BigInt(nativeScale),
        nativePrice * RATE_ONE * 10n ** BigInt(spec.scale),
      )
    );
  }, 0n);
}

/** 100 native per dollar; lots and prices at their scales, native at eight decimals as prices are. */
const value = ({ spec, price }: Market, lots: number): bigint =>
  BigInt(lots) * spec.lotParts * price.mark * 100n;
const lotDivisor = ({ spec }: Market): bigint => 10n ** BigInt(spec.quantityScale);
const notional = (market: Market, lots: number): bigint =>
  divideUp(value(market, Math.abs(lots)), lotDivisor(market));

function tierOf({ spec }: Market, worth: bigint): number {
  const found = spec.tiers.findIndex(({ notionalCap }) => worth <= notionalCap);
  return found < 0 ? spec.tiers.length - 1 : found;
}
const leverageOf = ({ spec }: Market, tier: number): bigint =>
  BigInt(spec.tiers[tier]?.leverage ?? 1);

const initialMargin = (market: Market, worth: bigint): bigint =>
  divideUp(worth, leverageOf(market, tierOf(market, worth)));

function maintenanceMargin(market: Market, worth: bigint): bigint {
  const tier = tierOf(market, worth);
  let amount = 0n;
  for (let at = 1; at <= tier; at++) {
    const cap = market.spec.tiers[at - 1]?.notionalCap ?? 0n;
    const [before, after] = [leverageOf(market, at - 1), leverageOf(market, at)];
    amount += (cap * (before - after)) / (2n * before * after);
  }
  return divideUp(worth, 2n * leverageOf(market, tier)) - amount;
}

/** Resting orders that may increase the position, and their loss against the mark. */
function openIn(
  state: State,
  account: Account,
  market: Market,
  index: number,
): { readonly buys: number; readonly sells: number; readonly loss: bigint } {
  const { orders } = state;
  const tick = market.spec.tickParts * 10n ** BigInt(8 - market.spec.priceScale);
  const { mark } = market.price;
  let [buys, sells, worseBuys, worseSells] = [0, 0, 0, 0];
  let [buyTickLots, sellTickLots] = [0n, 0n];
  for (const slot of openOrdersOf(state, account)) {
    const counts = isResting(orders, slot) && !isReduceOnly(orders, slot);
    if (marketOf(orders, slot) !== index || !counts) continue;
    const open = openLotsOf(orders, slot);
    const ticks = BigInt(priceTicksOf(orders, slot));
    if (sideOf(orders, slot) === BUY) {
      buys += open;
      if (ticks * tick <= mark) continue;
      worseBuys += open;
      buyTickLots += ticks * BigInt(open);
    } else {
      sells += open;
      if (ticks * tick >= mark) continue;
      worseSells += open;
      sellTickLots += ticks * BigInt(open);
    }
  }
  const bottom = lotDivisor(market);
  const loss =
    buyTickLots * market.perTickLot -
    divideDown(value(market, worseBuys), bottom) +
    divideUp(value(market, worseSells), bottom) -
    sellTickLots * market.perTickLot;
  return { buys, sells, loss };
}

/** Searched among all of them: the lookup table is not trusted here. */
function positionOf(
  { standings }: State,
  accountIndex: number,
  market: number,
): { readonly lots: number; readonly cost: bigint } {
  for (let at = 0; at < standings.used; at++) {
    if (standings.account[at] !== accountIndex || standings.market[at] !== market) continue;
    return { lots: standings.lots[at] as number, cost: standings.cost[at] as bigint };
  }
  return { lots: 0, cost: 0n };
}

const availableOf = ({ ledger }: State, accountIndex: number, asset: number): bigint =>
  ledger.available[accountIndex * ledger.stride + asset] ?? 0n;

const accountAt = (state: State, accountIndex: number): Account =>
  state.accounts[accountIndex] as Account;
const marketAt = (state: State, index: number): Market => state.markets[index] as Market;
