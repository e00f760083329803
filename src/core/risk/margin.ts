import { assert } from '../../domain/assert.ts';
import { ceilDiv } from '../../domain/decimal.ts';
import { tickLotsInParts } from '../../domain/market.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { indexAt, numberAt, partsAt } from '../memory/columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Account, Market, State } from '../state.ts';
import { otherCollateral } from './collateral.ts';
import type { Hypothesis, Margin } from './margin-figures.ts';
import { netLegs } from './netting.ts';
import { initialMargin, maintenanceMargin, markValueDown, markValueUp } from './tiers.ts';

/** 10 % and 5 % of what the account owes in native. */
const DEBT_INITIAL_DIVISOR = 10n;
const DEBT_MAINTENANCE_DIVISOR = 20n;

/**
 * What an account needs (initial and maintenance margin) and what it has (collateral), all in native parts.
 * Figures are rounded against the account, and move nothing.
 *
 * Cost: one step for each perpetual in which the account has a standing, and for each asset. Nothing is
 * stored: computing it changes nothing.
 */
export function marginOf(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
  hypothesis?: Hypothesis,
): Margin {
  const native = availableIn(state.ledger, purseOf(state.ledger, accountIndex, state.native));
  const after = hypothesis === undefined ? native : native + hypothesis.realised;
  const debt: bigint = after < 0n ? -after : 0n;
  const margin: Margin = {
    collateral: 0n,
    otherCollateral: 0n,
    unrealised: 0n,
    profit: 0n,
    notional: 0n,
    initial: debt === 0n ? 0n : ceilDiv(debt, DEBT_INITIAL_DIVISOR),
    maintenance: debt === 0n ? 0n : ceilDiv(debt, DEBT_MAINTENANCE_DIVISOR),
  };
  const { standings } = state;
  let at = account.firstStanding;
  while (at !== NO_STANDING) {
    addStanding(margin, state, at, hypothesis?.standing === at ? hypothesis : undefined);
    at = indexAt(standings.next, at);
  }
  if (hypothesis?.standing === NO_STANDING) addFresh(margin, state, hypothesis);
  if (state.hasSharedBase && account.accountType === 'PORTFOLIO') {
    netLegs(margin, state, account, hypothesis);
  }
  margin.otherCollateral = otherCollateral(state, accountIndex, account);
  margin.collateral = native + margin.otherCollateral + margin.unrealised;
  return margin;
}

/** Whether the account has nothing that needs margin, so that nothing has to be computed. */
export function isUnlevered(state: State, accountIndex: AccountIndex, account: Account): boolean {
  return (
    account.firstStanding === NO_STANDING &&
    availableIn(state.ledger, purseOf(state.ledger, accountIndex, state.native)) >= 0n
  );
}

/** Ratio in 10^-6 percent: 100 MM / C. 999999 stands for "more than everything". */
export const RATIO_SCALE = 6;
export const RATIO_ONE = 10n ** BigInt(RATIO_SCALE);
export function marginRatioOf({ collateral, maintenance }: Margin): bigint {
  if (maintenance === 0n) return 0n;
  if (collateral <= 0n) return 999_999n * RATIO_ONE;
  return (100n * maintenance * RATIO_ONE) / collateral;
}

/** At 50 orders are refused and cancelled. */
export const isBelow50 = ({ collateral, maintenance }: Margin): boolean =>
  maintenance === 0n || 2n * maintenance < collateral;

function addStanding(
  margin: Margin,
  state: State,
  at: number,
  hypothesis: Hypothesis | undefined,
): void {
  const { standings } = state;
  const market = state.markets[indexAt(standings.market, at)];
  assert(market !== undefined, 'a standing is in a market');
  const lots = numberAt(standings.lots, at) + (hypothesis?.lots ?? 0);
  const buyLots = numberAt(standings.buyLots, at) + (hypothesis?.buyLots ?? 0);
  const sellLots = numberAt(standings.sellLots, at) + (hypothesis?.sellLots ?? 0);
  const worstLots = Math.max(Math.abs(lots + buyLots), Math.abs(lots - sellLots));
  if (worstLots !== 0) {
    const worst = markValueUp(market, worstLots);
    margin.initial += initialMargin(market, worst);
  }
  const cost = partsAt(standings.cost, at) + (hypothesis?.cost ?? 0n);
  // A position that planned fills would close leaves their realised result behind.
  if (lots !== 0 || cost !== 0n) {
    const notional = markValueUp(market, Math.abs(lots));
    margin.notional += notional;
    margin.maintenance += maintenanceMargin(market, notional);
    const unrealised = markValueDown(market, lots) - cost;
    margin.unrealised += unrealised;
    if (unrealised > 0n) margin.profit += unrealised;
  }
  margin.initial += orderLoss(state, at, market) + (hypothesis?.orderLoss ?? 0n);
}

/** The same for a market in which the account has no standing yet. */
function addFresh(margin: Margin, state: State, hypothesis: Hypothesis): void {
  const { lots, cost, buyLots, sellLots, orderLoss } = hypothesis;
  const market = state.markets[hypothesis.market];
  assert(market !== undefined, 'a market index names a market');
  const [longLots, shortLots] = [lots + buyLots, lots - sellLots];
  const worst = markValueUp(market, Math.max(Math.abs(longLots), Math.abs(shortLots)));
  margin.initial += initialMargin(market, worst) + orderLoss;
  const notional = markValueUp(market, Math.abs(lots));
  margin.notional += notional;
  margin.maintenance += maintenanceMargin(market, notional);
  const unrealised = markValueDown(market, lots) - cost;
  margin.unrealised += unrealised;
  if (unrealised > 0n) margin.profit += unrealised;
}

/** What open orders priced worse than the mark would lose against it when they are filled. */
function orderLoss(state: State, at: number, market: Market): bigint {
  const { standings } = state;
  const buyLots = numberAt(standings.worseBuyLots, at);
  const sellLots = numberAt(standings.worseSellLots, at);
  if (buyLots === 0 && sellLots === 0) return 0n;
  return (
    partsAt(standings.worseBuyTickLots, at) * market.perTickLot -
    markValueDown(market, buyLots) +
    markValueUp(market, sellLots) -
    partsAt(standings.worseSellTickLots, at) * market.perTickLot
  );
}

/** The loss of one order against the mark; 0 if its price is better. */
export function lossOfOrder(
  market: Market,
  side: 'BUY' | 'SELL',
  ticks: number,
  lots: number,
): bigint {
  const value = tickLotsInParts(market.perTickLot, ticks, lots);
  const loss =
    side === 'BUY' ? value - markValueDown(market, lots) : markValueUp(market, lots) - value;
  return loss > 0n ? loss : 0n;
}
