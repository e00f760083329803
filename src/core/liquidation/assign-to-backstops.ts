import type { ByteWriter } from '../../bytes/pack.ts';
import { opposite } from '../../domain/order-codes.ts';
import { SOURCES } from '../../domain/terms.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import { markForReview } from '../memory/pending.ts';
import { lotsThatFit } from '../risk/ledger-room.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import { isBelow50, marginOf } from '../risk/margin.ts';
import type { Hypothesis } from '../risk/margin-figures.ts';
import type { Account, Backstop, Market, State } from '../state.ts';
import { checkAccount } from '../trading/check-placement.ts';
import { standingIn } from '../trading/placing.ts';
import { meetDirectly } from '../trading/system-order.ts';
import { closingOrder, type SlicePart } from './closing-order.ts';

/** Providers take over at the bankruptcy price what their limits and their margin allow, in turn. */
export function assignToBackstops(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  wantedLots: number,
  out: ByteWriter,
): SlicePart {
  let left = wantedLots;
  for (const backstop of state.backstops) {
    if (left === 0) break;
    if (backstop.market !== plan.market || backstop.account === row) continue;
    const lots = lotsThatFit(state, plan.market, {
      accounts: [row, backstop.account],
      priceTicks: plan.bankruptcyTicks,
      lots: roomOf(state, backstop, plan, left),
    });
    if (lots < 1) continue;
    const taker = closingOrder(row, plan, {
      lots,
      priceTicks: plan.bankruptcyTicks,
      source: SOURCES.BLP_ASSIGNMENT,
    });
    meetDirectly(
      state,
      taker,
      { ...taker, row: backstop.account, side: opposite(taker.side) },
      out,
    );
    markForReview(state.pending, backstop.account);
    left -= lots;
  }
  return { phase: 'backstop', lots: wantedLots - left, help: 0n };
}

/** As many lots as it may hold and its margin carries; none for one that may not trade itself. */
function roomOf(state: State, backstop: Backstop, plan: StepPlan, wantedLots: number): number {
  const account = state.accounts[backstop.account] as Account;
  if (checkAccount(state, account) !== undefined) return 0;
  const market = state.markets[plan.market] as Market;
  const order = { market: plan.market as MarketIndex };
  const standing = standingIn(state, { row: backstop.account, account, market, order });
  const sign = plan.lots > 0 ? 1 : -1;
  const held = state.standings.lots[standing] as number;
  const carries = (lots: number): boolean => {
    const cost = BigInt(sign * lots) * BigInt(plan.bankruptcyTicks) * market.perTickLot;
    const nothing = { buyLots: 0, sellLots: 0, orderLoss: 0n };
    const hypothesis: Hypothesis = {
      market: plan.market,
      standing,
      lots: sign * lots,
      cost,
      ...nothing,
    };
    const margin = marginOf(state, backstop.account, account, hypothesis);
    return margin.collateral >= margin.initial && isBelow50(margin);
  };
  const most = Math.min(wantedLots, Math.max(0, backstop.maxLots - sign * held));
  if (most === 0 || carries(most)) return most;
  let carried = 0;
  let tooMuch = most;
  while (tooMuch - carried > 1) {
    const middle = Math.floor((carried + tooMuch) / 2);
    if (carries(middle)) carried = middle;
    else tooMuch = middle;
  }
  return carried;
}
