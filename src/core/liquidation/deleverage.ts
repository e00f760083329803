import type { ByteWriter } from '../../bytes/pack.ts';
import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { opposite } from '../../domain/order-codes.ts';
import { SOURCES } from '../../domain/terms.ts';
import { type AccountIndex, exactNumber } from '../../domain/units.ts';
import { markForReview } from '../memory/pending.ts';
import { lotsThatFit } from '../risk/ledger-room.ts';
import type { StepPlan } from '../risk/liquidation-plan.ts';
import type { Account, Market, State } from '../state.ts';
import { meetDirectly } from '../trading/system-order.ts';
import { closingOrder, type SlicePart } from './closing-order.ts';
import { payShortfall } from './insurance.ts';
import { rankOpponents } from './opponents.ts';

/**
 * ADL: closes exactly so many lots against those who stand on the other side; together they always hold
 * as much. Only what the ledger cannot count is left for a later step. Liquidating accounts meet at the mark; others at the bankruptcy price, but give up no more
 * than their unrealised profit: what is missing then comes from the fund, and what the fund has not
 * from the deficit.
 */
export function deleverage(
  state: State,
  row: AccountIndex,
  plan: StepPlan,
  wantedLots: number,
  out: ByteWriter,
): SlicePart {
  const market = state.markets[plan.market] as Market;
  let left = wantedLots;
  let help = 0n;
  for (const opponent of rankOpponents(state, plan.market, plan.lots > 0 ? -1 : 1)) {
    if (left === 0) break;
    const isLiquidating = (state.accounts[opponent.row] as Account).liquidating;
    const priceTicks = isLiquidating
      ? markTicks(market, plan)
      : fairTicks(state, market, opponent.standing, plan);
    const lots = lotsThatFit(state, plan.market, {
      accounts: [row, opponent.row],
      priceTicks,
      lots: Math.min(left, Math.abs(opponent.lots)),
    });
    if (lots === 0) continue;
    const taker = closingOrder(row, plan, { lots, priceTicks, source: SOURCES.ADL });
    meetDirectly(state, taker, { ...taker, row: opponent.row, side: opposite(taker.side) }, out);
    markForReview(state.pending, opponent.row);
    left -= lots;
    if (isLiquidating) continue;
    const { bankruptcyTicks } = plan;
    const better = plan.lots > 0 ? bankruptcyTicks - priceTicks : priceTicks - bankruptcyTicks;
    const missing = BigInt(better) * BigInt(lots) * market.perTickLot;
    if (missing > 0n) help += payShortfall(state, row, missing);
  }
  return { phase: 'adl', lots: wantedLots - left, help };
}

/** The mark to the tick, in the favour of the one who is called upon. */
const markTicks = (market: Market, plan: StepPlan): number =>
  Math.max(1, plan.lots > 0 ? market.price.floorTicks : market.price.ceilTicks);

/** Pb, or as near to it as the opponent's own profit allows: its entry, if it is ahead, else the mark. */
function fairTicks(state: State, market: Market, standing: number, plan: StepPlan): number {
  const { standings } = state;
  const lots = standings.lots[standing] as number;
  const cost = standings.cost[standing] as bigint;
  const size = BigInt(Math.abs(lots)) * market.perTickLot;
  const mark = markTicks(market, plan);
  if (lots < 0) {
    // A short buys back: never above its entry, or above the mark if that is dearer.
    const entry = exactNumber(floorDiv(-cost, size));
    return Math.max(1, Math.min(plan.bankruptcyTicks, Math.max(entry, mark)));
  }
  const entry = exactNumber(ceilDiv(cost, size));
  return Math.max(plan.bankruptcyTicks, Math.min(entry, mark));
}
