import type { AccountIndex } from '../../domain/units.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { marginOf } from '../risk/margin.ts';
import { valueDown, valueUp } from '../risk/tiers.ts';
import type { Account, Market, State } from '../state.ts';

/** Who stands against a position. */
export type Opponent = {
  readonly row: AccountIndex;
  readonly standing: number;
  readonly lots: number;
};

/** With what it is ranked by: top / bottom is (profit / |cost|) x (notional / collateral). */
type Ranked = Opponent & {
  readonly isLiquidating: boolean;
  readonly top: bigint;
  readonly bottom: bigint;
};

/** Opponents in all rankings that were asked for so far: a command counts them among its work. */
export const rankedOpponents = (): number => rankedSoFar;
let rankedSoFar = 0;

/**
 * Positions of one sign in the order in which ADL calls upon them: liquidating accounts first, then by
 * (profit / |cost|) x (notional / collateral), then by account. The list is valid until the next call.
 *
 * A crash sends one failing account after another here, and to rank everybody each time would cost
 * minutes. So the last ranking is kept: while all prices are the same, only those who have changed
 * since are ranked anew; every account is looked at, by one comparison of counters. What is kept is
 * derived: it comes out the same if it is forgotten, and what it saves is not seen in the work that a
 * command counts, or a venue that has just started would do less in one command than its twin.
 */
export function rankOpponents(state: State, market: number, sign: 1 | -1): readonly Opponent[] {
  const isKept =
    kept !== undefined &&
    kept.state === state &&
    kept.market === market &&
    kept.sign === sign &&
    arePrices(kept.prices, state);
  if (isKept && kept !== undefined) refresh(kept);
  else kept = rankAll(state, market, sign);
  rankedSoFar += kept.ranked.length;
  return kept.ranked;
}

/** Nobody fails any more: the memory is given back. */
export function forgetRanking(): void {
  kept = undefined;
}

/** Everything that a margin is computed with but the account itself. */
const pricesOf = ({ markets, assets }: State): bigint[] => [
  ...markets.map(({ price }) => price.mark),
  ...assets.map(({ indexPrice }) => indexPrice),
];

function arePrices(prices: readonly bigint[], state: State): boolean {
  const now = pricesOf(state);
  return now.length === prices.length && now.every((price, at) => price === prices[at]);
}

type Ranking = {
  readonly state: State;
  readonly prices: readonly bigint[];
  readonly market: number;
  readonly sign: 1 | -1;
  /** Best first. */
  ranked: Ranked[];
  readonly byStanding: Map<number, Ranked>;
  /** By standing of the market: the counter of its account when it was last looked at. */
  touches: Float64Array;
};

let kept: Ranking | undefined;

const NEVER = -1;

/** Beyond this many changes it is cheaper to sort again than to move one at a time. */
const MOVED_MAX = 64;

function rankAll(state: State, market: number, sign: 1 | -1): Ranking {
  const ranking: Ranking = {
    state,
    prices: pricesOf(state),
    market,
    sign,
    ranked: [],
    byStanding: new Map(),
    touches: new Float64Array(0),
  };
  for (const standing of changed(ranking)) look(ranking, standing);
  sortAll(ranking);
  return ranking;
}

function refresh(ranking: Ranking): void {
  const standings = changed(ranking);
  if (standings.length > MOVED_MAX) {
    for (const standing of standings) look(ranking, standing);
    sortAll(ranking);
    return;
  }
  for (const standing of standings) {
    const before = ranking.byStanding.get(standing);
    if (before !== undefined) ranking.ranked.splice(placeOf(ranking.ranked, before), 1);
    const after = look(ranking, standing);
    if (after !== undefined) ranking.ranked.splice(placeOf(ranking.ranked, after), 0, after);
  }
}

/** Standings of the market whose account has changed since it was last looked at, or never was. */
function changed(ranking: Ranking): number[] {
  const { state, market } = ranking;
  const { standings, ledger } = state;
  const found: number[] = [];
  if (ranking.touches.length < standings.used) {
    const touches = new Float64Array(standings.account.length).fill(NEVER);
    touches.set(ranking.touches);
    ranking.touches = touches;
  }
  const { touches } = ranking;
  const first = (state.markets[market] as Market).firstStanding;
  for (let at = first; at !== NO_STANDING; at = standings.nextOfMarket[at] as number) {
    const now = ledger.touches[standings.account[at] as number] as number;
    if (touches[at] === now) continue;
    touches[at] = now;
    found.push(at);
  }
  return found;
}

/** Notes what a standing ranks by now; undefined where it is no opponent. */
function look({ state, market, sign, byStanding }: Ranking, standing: number): Ranked | undefined {
  const { standings } = state;
  const lots = standings.lots[standing] as number;
  if (lots * sign <= 0) {
    byStanding.delete(standing);
    return undefined;
  }
  const held = state.markets[market] as Market;
  const row = standings.account[standing] as AccountIndex;
  const account = state.accounts[row] as Account;
  const cost = standings.cost[standing] as bigint;
  const profit = valueDown(held, lots, held.price.mark) - cost;
  const notional = valueUp(held, Math.abs(lots), held.price.mark);
  const { collateral } = marginOf(state, row, account);
  const size = cost < 0n ? -cost : cost;
  const ranked: Ranked = {
    row,
    standing,
    lots,
    isLiquidating: account.liquidating,
    top: profit * notional,
    bottom: (size === 0n ? 1n : size) * (collateral > 0n ? collateral : 1n),
  };
  byStanding.set(standing, ranked);
  return ranked;
}

function sortAll(ranking: Ranking): void {
  ranking.ranked = [...ranking.byStanding.values()].sort(compare);
}

/** Cross-multiplied, so that nothing is rounded. */
function compare(a: Ranked, b: Ranked): number {
  if (a.isLiquidating !== b.isLiquidating) return a.isLiquidating ? -1 : 1;
  const difference = b.top * a.bottom - a.top * b.bottom;
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.row - b.row;
}

/** Where it stands, or belongs: no two compare as equal. */
function placeOf(ranked: readonly Ranked[], one: Ranked): number {
  let low = 0;
  let high = ranked.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(ranked[middle] as Ranked, one) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
