import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { type AccountIndex, exactNumber } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { isTradable } from './freshness.ts';
import { marginOf } from './margin.ts';
import type { Margin } from './margin-figures.ts';
import { maintenanceMargin, valueUp } from './tiers.ts';

/**
 * The arithmetic of one liquidation step; nothing changes here. It chooses the position, the slice to
 * close, and the bankruptcy price: closing everything at it leaves the account with exactly zero.
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

/** The position with the largest maintenance margin in a market that can be traded. */
export function planStep(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
): StepPlan | undefined {
  const { standings } = state;
  const margin = marginOf(state, accountIndex, account);
  let chosen = NO_STANDING;
  let largest = -1n;
  let sum = 0n;
  let standing = account.firstStanding;
  for (; standing !== NO_STANDING; standing = indexAt(standings.next, standing)) {
    const lots = numberAt(standings.lots, standing);
    if (lots === 0) continue;
    const marketIndex = indexAt(standings.market, standing);
    const market = state.markets[marketIndex] as Market;
    const own = maintenanceMargin(market, valueUp(market, Math.abs(lots), market.price.mark));
    sum += own;
    const isFirst = marketIndex < (standings.market[chosen] ?? Infinity);
    if ((own > largest || (own === largest && isFirst)) && isTradable(state, market)) {
      largest = own;
      chosen = standing;
    }
  }
  if (chosen === NO_STANDING) return undefined;
  const marketIndex = indexAt(standings.market, chosen);
  const market = state.markets[marketIndex] as Market;
  const lots = numberAt(standings.lots, chosen);
  return {
    standing: chosen,
    market: marketIndex,
    lots,
    sliceLots: sliceOf(state, market, chosen, margin),
    bankruptcyTicks: bankruptcyTicks(market, lots, {
      collateral: margin.collateral,
      ownMargin: largest,
      allMargins: sum,
    }),
    collateral: margin.collateral,
    maintenance: margin.maintenance,
  };
}

/** The margin ratio is below 80: the liquidation is done. */
export const isDone = ({ collateral, maintenance }: Margin): boolean =>
  maintenance === 0n || 5n * maintenance < 4n * collateral;

/** The larger of 20 % of the position at the start and what, closed at the mark, brings the ratio to 80. */
function sliceOf(state: State, market: Market, standing: number, margin: Margin): number {
  const { standings } = state;
  const size = Math.abs(numberAt(standings.lots, standing));
  // No slice brings the ratio to 80; the position's own margin may exceed what netting leaves of all.
  if (margin.collateral <= 0n) return size;
  const fifth = Math.ceil(numberAt(standings.startLots, standing) / 5);
  const { mark } = market.price;
  const own = maintenanceMargin(market, valueUp(market, size, mark));
  // At ratio 80, 100 MM / C = 80: the margin that this position may keep.
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

/** The account's collateral, and the position's part of it by maintenance margin: own / all. */
type CollateralShare = {
  readonly collateral: bigint;
  readonly ownMargin: bigint;
  readonly allMargins: bigint;
};

/**
 * Bankruptcy price = mark - C x share / (100 x quantity), to the tick in the account's favour: up for a
 * long, down for a short. While the account has collateral the price is never outside the band.
 */
function bankruptcyTicks(
  market: Market,
  lots: number,
  { collateral, ownMargin, allMargins }: CollateralShare,
): number {
  const { valueNumerator, valueDenominator, perTickLot } = market;
  const { mark, lowerTicks, upperTicks } = market.price;
  const share = floorDiv(collateral * ownMargin, allMargins === 0n ? 1n : allMargins);
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

/** Far above any price; keeps the ticks a safe integer. */
const TICKS_MAX = 2n ** 52n;
const toNumber = (ticks: bigint): number => exactNumber(ticks < TICKS_MAX ? ticks : TICKS_MAX);
