import { opposite } from '../../domain/order-codes.ts';
import { SOURCES } from '../../domain/terms.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { numberAt } from '../memory/columns.ts';
import { markForReview } from '../memory/pending.ts';
import { lotsThatFit } from '../risk/ledger-room.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import { isBelow50, marginOf } from '../risk/margin.ts';
import type { Hypothesis } from '../risk/margin-figures.ts';
import { PlannedPosition } from '../risk/planned-position.ts';
import type { Account, Backstop, Market, State } from '../state.ts';
import { checkAccount } from '../trading/check-placement.ts';
import { standingIn } from '../trading/placing.ts';
import { meetDirectly } from '../trading/system-order.ts';
import { closingOrder, type SlicePart, type Step } from './closing-order.ts';

/** Backstop providers, in turn, take at the bankruptcy price what their limits and margin allow. */
export function assignToBackstops(step: Step, wantedLots: number): SlicePart {
  const { state, accountIndex, plan, out } = step;
  let left = wantedLots;
  for (const backstop of state.backstops) {
    if (left === 0) break;
    if (backstop.market !== plan.market || backstop.account === accountIndex) continue;
    const lots = lotsThatFit(state, plan.market, {
      accounts: [accountIndex, backstop.account],
      priceTicks: plan.bankruptcyTicks,
      lots: roomOf(state, backstop, plan, left),
    });
    if (lots < 1) continue;
    const taker = closingOrder(step, {
      lots,
      priceTicks: plan.bankruptcyTicks,
      source: SOURCES.BLP_ASSIGNMENT,
    });
    const maker = { ...taker, accountIndex: backstop.account, side: opposite(taker.side) };
    meetDirectly(state, taker, maker, out);
    markForReview(state.pending, backstop.account);
    left -= lots;
  }
  return { phase: 'backstop', lots: wantedLots - left, help: 0n };
}

/**
 * The lots its limit and its margin allow; as for any order, what only reduces its position needs no margin. None for
 * an account that may not trade itself, or that is a provider no more (a size of 0), whatever it holds.
 */
function roomOf(state: State, backstop: Backstop, plan: StepPlan, wantedLots: number): number {
  const account = state.accounts[backstop.account] as Account;
  if (backstop.maxLots === 0 || checkAccount(state, account) !== undefined) return 0;
  const market = state.markets[plan.market] as Market;
  const order = { market: plan.market as MarketIndex };
  const standing = standingIn(state, { accountIndex: backstop.account, account, market, order });
  const sign = plan.lots > 0 ? 1 : -1;
  const held = numberAt(state.standings.lots, standing);
  const carries = (lots: number): boolean => {
    const cost = BigInt(sign * lots) * BigInt(plan.bankruptcyTicks) * market.perTickLot;
    const position = new PlannedPosition(state, market, standing);
    position.fill(sign * lots, plan.bankruptcyTicks);
    const nothing = { buyLots: 0, sellLots: 0, orderLoss: 0n };
    const hypothesis: Hypothesis = {
      market: plan.market,
      standing,
      lots: sign * lots,
      cost,
      realised: position.realised,
      ...nothing,
    };
    const margin = marginOf(state, backstop.account, account, hypothesis);
    return margin.collateral >= margin.initial && isBelow50(margin);
  };
  const most = Math.min(wantedLots, Math.max(0, backstop.maxLots - sign * held));
  let carried = Math.min(most, Math.max(0, -sign * held));
  if (carried === most || carries(most)) return most;
  let tooMuch = most;
  while (tooMuch - carried > 1) {
    const middle = Math.floor((carried + tooMuch) / 2);
    if (carries(middle)) carried = middle;
    else tooMuch = middle;
  }
  return carried;
}
