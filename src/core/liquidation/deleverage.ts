import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { opposite } from '../../domain/order-codes.ts';
import { SOURCES } from '../../domain/terms.ts';
import { exactNumber } from '../../domain/units.ts';
import { numberAt, partsAt } from '../memory/columns.ts';
import { markForReview } from '../memory/pending.ts';
import { lotsThatFit } from '../risk/ledger-room.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import type { Account, Market, State } from '../state.ts';
import { meetDirectly } from '../trading/system-order.ts';
import { closingOrder, type SlicePart, type Step } from './closing-order.ts';
import { payShortfall } from './insurance.ts';
import { rankOpponents } from './opponents.ts';

/**
 * ADL (auto-deleveraging): closes exactly `wantedLots` against opposing positions, which together always
 * hold at least as much. Only lots whose value the ledger could not hold are left for a later step.
 *
 * Other liquidating accounts trade at the mark. Everybody else trades at the bankruptcy price but gives
 * up at most its unrealised profit; the insurance fund pays the difference, then the deficit.
 */
export function deleverage(step: Step, wantedLots: number): SlicePart {
  const { state, accountIndex, plan, out } = step;
  const market = state.markets[plan.market] as Market;
  let left = wantedLots;
  let help = 0n;
  const opponents = rankOpponents(state, plan.market, plan.lots > 0 ? -1 : 1);
  step.rankedOpponents += opponents.length;
  for (const opponent of opponents) {
    if (left === 0) break;
    const isLiquidating = (state.accounts[opponent.accountIndex] as Account).liquidating;
    const priceTicks = isLiquidating
      ? markTicks(market, plan)
      : fairTicks(state, market, opponent.standing, plan);
    const lots = lotsThatFit(state, plan.market, {
      accounts: [accountIndex, opponent.accountIndex],
      priceTicks,
      lots: Math.min(left, Math.abs(opponent.lots)),
    });
    if (lots === 0) continue;
    const taker = closingOrder(step, { lots, priceTicks, source: SOURCES.ADL });
    const maker = {
      ...taker,
      accountIndex: opponent.accountIndex,
      side: opposite(taker.side),
    };
    meetDirectly(state, taker, maker, out);
    markForReview(state.pending, opponent.accountIndex);
    left -= lots;
    if (isLiquidating) continue;
    const { bankruptcyTicks } = plan;
    const better = plan.lots > 0 ? bankruptcyTicks - priceTicks : priceTicks - bankruptcyTicks;
    const missing = BigInt(better) * BigInt(lots) * market.perTickLot;
    if (missing > 0n) help += payShortfall(state, accountIndex, missing);
  }
  return { phase: 'adl', lots: wantedLots - left, help };
}

/** The mark, rounded to the tick in the counterparty's favour. */
const markTicks = (market: Market, plan: StepPlan): number =>
  Math.max(1, plan.lots > 0 ? market.price.floorTicks : market.price.ceilTicks);

/**
 * The bankruptcy price, bounded so that the opponent loses at most its unrealised profit: by its entry
 * price where it is in profit, else by the mark.
 */
function fairTicks(state: State, market: Market, standing: number, plan: StepPlan): number {
  const { standings } = state;
  const lots = numberAt(standings.lots, standing);
  const cost = partsAt(standings.cost, standing);
  const size = BigInt(Math.abs(lots)) * market.perTickLot;
  const mark = markTicks(market, plan);
  if (lots < 0) {
    // A short buys back: never above its entry, or above the mark if that is higher.
    const entry = exactNumber(floorDiv(-cost, size));
    return Math.max(1, Math.min(plan.bankruptcyTicks, Math.max(entry, mark)));
  }
  const entry = exactNumber(ceilDiv(cost, size));
  return Math.max(plan.bankruptcyTicks, Math.min(entry, mark));
}
