import type { AccountIndex } from '../../domain/units.ts';
import { indexAt, numberAt } from '../memory/columns.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { type AdlRank, adlRankOf, compareAdlRanks } from '../risk/adl-rank.ts';
import { marginOf } from '../risk/margin.ts';
import type { Account, Market, State } from '../state.ts';

/** A position on the other side of the market. */
export type Opponent = {
  readonly accountIndex: AccountIndex;
  readonly standing: number;
  readonly lots: number;
};

type Ranked = Opponent & AdlRank;

/**
 * Positions of one sign in the order in which ADL closes them: liquidating accounts first, then by
 * (profit / |cost|) x (notional / collateral), then by account. The list is valid until the next call.
 *
 * In a crash many accounts fail one after another, and ranking everybody each time would take minutes.
 * So the last ranking of a state is cached: while prices are unchanged, only accounts that changed since
 * are ranked again, found by comparing one counter per account. The cache never changes the result, and
 * the caller counts the whole list as work whether it was cached or not: a venue that has just restarted
 * must do the same work in one command as one that has not.
 */
export function rankOpponents(state: State, market: number, sign: 1 | -1): readonly Opponent[] {
  const cached = rankingByState.get(state);
  if (cached?.market === market && cached.sign === sign && arePrices(cached.prices, state)) {
    refresh(cached);
    return cached.ranked;
  }
  const ranking = rankAll(state, market, sign);
  rankingByState.set(state, ranking);
  return ranking.ranked;
}

const rankingByState = new WeakMap<State, Ranking>();

/** Frees the cache once no account is liquidating. */
export function forgetRanking(state: State): void {
  rankingByState.delete(state);
}

/** Everything that a margin is computed from except the account itself. */
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
  /** By standing: its account's change counter when the standing was last ranked. */
  touches: Float64Array;
};

const NEVER = -1;

/** With more changes than this, sorting again is cheaper than moving entries one at a time. */
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
  for (const standing of changedStandings(ranking)) rankStanding(ranking, standing);
  sortAll(ranking);
  return ranking;
}

function refresh(ranking: Ranking): void {
  const standings = changedStandings(ranking);
  if (standings.length > MOVED_MAX) {
    for (const standing of standings) rankStanding(ranking, standing);
    sortAll(ranking);
    return;
  }
  for (const standing of standings) {
    const before = ranking.byStanding.get(standing);
    if (before !== undefined) ranking.ranked.splice(placeOf(ranking.ranked, before), 1);
    const after = rankStanding(ranking, standing);
    if (after !== undefined) ranking.ranked.splice(placeOf(ranking.ranked, after), 0, after);
  }
}

/** Standings of the market whose account has changed since they were last ranked, or that are new. */
function changedStandings(ranking: Ranking): number[] {
  const { state, market } = ranking;
  const { standings, ledger } = state;
  const found: number[] = [];
  if (ranking.touches.length < standings.used) {
    const touches = new Float64Array(standings.account.length).fill(NEVER);
    touches.set(ranking.touches);
    ranking.touches = touches;
  }
  const { touches } = ranking;
  let standing = (state.markets[market] as Market).firstStanding;
  for (; standing !== NO_STANDING; standing = indexAt(standings.nextOfMarket, standing)) {
    const now = ledger.touches[indexAt(standings.account, standing)] as number;
    if (touches[standing] === now) continue;
    touches[standing] = now;
    found.push(standing);
  }
  return found;
}

/** Updates a standing's entry and returns it; undefined where the standing is no opponent. */
function rankStanding(ranking: Ranking, standing: number): Ranked | undefined {
  const { state, sign, byStanding } = ranking;
  const { standings } = state;
  const lots = numberAt(standings.lots, standing);
  if (lots * sign <= 0) {
    byStanding.delete(standing);
    return undefined;
  }
  const accountIndex = standings.account[standing] as AccountIndex;
  const { collateral } = marginOf(state, accountIndex, state.accounts[accountIndex] as Account);
  const ranked: Ranked = { standing, lots, ...adlRankOf(state, standing, collateral) };
  byStanding.set(standing, ranked);
  return ranked;
}

function sortAll(ranking: Ranking): void {
  ranking.ranked = [...ranking.byStanding.values()].sort(compareAdlRanks);
}

/** Where an entry stands or belongs; no two entries compare as equal. */
function placeOf(ranked: readonly Ranked[], one: Ranked): number {
  let low = 0;
  let high = ranked.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareAdlRanks(ranked[middle] as Ranked, one) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
