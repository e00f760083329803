import type { AccountIndex } from '../../domain/units.ts';
import { indexAt, numberAt, partsAt } from '../memory/columns.ts';
import type { Account, Market, State } from '../state.ts';
import { valueDown, valueUp } from './tiers.ts';

/** The rank of a position in ADL, by top / bottom = (profit / |cost|) x (notional / collateral). */
export type AdlRank = {
  readonly accountIndex: AccountIndex;
  readonly isLiquidating: boolean;
  readonly top: bigint;
  readonly bottom: bigint;
};

export function adlRankOf(state: State, standing: number, collateral: bigint): AdlRank {
  const { standings } = state;
  const market = state.markets[indexAt(standings.market, standing)] as Market;
  const lots = numberAt(standings.lots, standing);
  const accountIndex = standings.account[standing] as AccountIndex;
  const account = state.accounts[accountIndex] as Account;
  const cost = partsAt(standings.cost, standing);
  const profit = valueDown(market, lots, market.price.mark) - cost;
  const notional = valueUp(market, Math.abs(lots), market.price.mark);
  const size = cost < 0n ? -cost : cost;
  return {
    accountIndex,
    isLiquidating: account.liquidating,
    top: profit * notional,
    bottom: (size === 0n ? 1n : size) * (collateral > 0n ? collateral : 1n),
  };
}

/** The first to be closed first: liquidating accounts, then by rank, then by account; by cross-multiplication, so that nothing is rounded. */
export function compareAdlRanks(a: AdlRank, b: AdlRank): number {
  if (a.isLiquidating !== b.isLiquidating) return a.isLiquidating ? -1 : 1;
  const difference = b.top * a.bottom - a.top * b.bottom;
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.accountIndex - b.accountIndex;
}
