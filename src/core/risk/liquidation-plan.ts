import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { type AccountIndex, exactNumber } from '../../domain/units.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { marginOf } from './margin.ts';
import type { Margin } from './margin-figures.ts';
import { maintenanceMargin, valueUp } from './tiers.ts';

/**
 * The arithmetic of one liquidation step, changing nothing: which position, how much of it, and the
 * price at which closing it all would leave the account with nothing and owing nothing.
 */
export type StepPlan = {
  readonly standing: number;
  readonly market: number;
  readonly lots: number;
  readonly sliceLots: number;
  readonly bankruptcyTicks: number;
  readonly collateral: bigint;
  readonly maintenance: bigint;
};

/** Prices of a market older than this close it for all but cancels. */
export const FRESH_MS = 30_000;

/** Whether the market may be traded now: open, and its prices are of now. */
export function isTradable(state: State, market: Market): boolean {
  return market.state === 'OPEN' && isFresh(state, market);
}

/** A stale native index makes every market stale: nothing could be valued. */
export function isFresh(state: State, market: Market): boolean {
  const native = state.assets[state.native];
  const base = state.assets[market.baseAsset];
  const settle = state.assets[market.settleAsset];
  const isOld = (atMs: number | undefined): boolean => state.timeMs - (atMs ?? 0) > FRESH_MS;
  return !isOld(native?.indexAtMs) && !isOld(base?.indexAtMs) && !isOld(settle?.indexAtMs);
}

/** The position with the largest maintenance margin in a market that can be traded. */
export function planStep(state: State, row: AccountIndex, account: Account): StepPlan | undefined {
  const { standings } = state;
  const margin: Margin = { ...marginOf(state, row, account) };
  let chosen = NO_STANDING;
  let largest = -1n;
  let sum = 0n;
  for (let at = account.firstStanding; at !== NO_STANDING; at = standings.next[at] as number) {
    const lots = standings.lots[at] as number;
    if (lots === 0) continue;
    const market = state.markets[standings.market[at] as number] as Market;
    const own = maintenanceMargin(market, valueUp(market, Math.abs(lots), market.price.mark));
    sum += own;
    const isFirst = (standings.market[at] as number) < (standings.market[chosen] ?? Infinity);
    if ((own > largest || (own === largest && isFirst)) && isTradable(state, market)) {
      largest = own;
      chosen = at;
    }
  }
  if (chosen === NO_STANDING) return undefined;
  const marketIndex = standings.market[chosen] as number;
  const market = state.markets[marketIndex] as Market;
  const lots = standings.lots[chosen] as number;
  return {
    standing: chosen,
    market: marketIndex,
    lots,
    sliceLots: sliceOf(state, market, chosen, margin),
    bankruptcyTicks: bankruptcyTicks(market, lots, margin.collateral, largest, sum),
    collateral: margin.collateral,
    maintenance: margin.maintenance,
  };
}

/** The ratio is below 80: the account is let go. */
export const isDone = ({ collateral, maintenance }: Margin): boolean =>
  maintenance === 0n || 5n * maintenance < 4n * collateral;

/** A fifth of what there was at the start, or what brings the ratio to 80 when closed at the mark. */
function sliceOf(state: State, market: Market, at: number, margin: Margin): number {
  const { standings } = state;
  const size = Math.abs(standings.lots[at] as number);
  const fifth = Math.ceil((standings.startLots[at] as number) / 5);
  const { mark } = market.price;
  const own = maintenanceMargin(market, valueUp(market, size, mark));
  // 100 MM / C = 80: what may be left of this position's margin.
  const allowed = floorDiv(margin.collateral * 4n, 5n) - (margin.maintenance - own);
  let keeps = 0;
  let breaks = size + 1;
  while (breaks - keeps > 1) {
    const middle = Math.floor((keeps + breaks) / 2);
    if (maintenanceMargin(market, valueUp(market, middle, mark)) <= allowed) keeps = middle;
    else breaks = middle;
  }
  return Math.min(size, Math.max(1, fifth, size - keeps));
}

/**
 * Pb = mark - C x share / (100 x quantity), to the tick in the account's favour: up for a long, down
 * for a short. While there is collateral left it is never outside the band.
 */
function bankruptcyTicks(
  market: Market,
  lots: number,
  collateral: bigint,
  own: bigint,
  sum: bigint,
): number {
  const { valueNumerator, valueDenominator, perTickLot } = market;
  const { mark, lowerTicks, upperTicks } = market.price;
  const share = floorDiv(collateral * own, sum === 0n ? 1n : sum);
  const size = BigInt(Math.abs(lots));
  const top = size * mark * valueNumerator;
  const bottom = size * perTickLot * valueDenominator;
  const exact =
    lots > 0
      ? ceilDiv(top - share * valueDenominator, bottom)
      : floorDiv(top + share * valueDenominator, bottom);
  const ticks = exact < 1n ? 1 : toNumber(exact);
  return collateral > 0n ? Math.min(upperTicks, Math.max(lowerTicks, ticks)) : ticks;
}

/** Far beyond any price there is: the bound only keeps it a number. */
const TICKS_MAX = 2n ** 52n;
const toNumber = (ticks: bigint): number => exactNumber(ticks < TICKS_MAX ? ticks : TICKS_MAX);
