import type { ByteWriter } from '../bytes/pack.ts';
import { WORK_BOUNDS } from '../domain/bounds.ts';
import type { AccountIndex } from '../domain/units.ts';
import { examine } from './liquidation/examine-margin.ts';
import { stepLiquidation } from './liquidation/liquidate.ts';
import { rankedOpponents } from './liquidation/opponents.ts';
import { hasPending, takeMarginReview } from './memory/pending.ts';
import { advanceOdometer } from './memory/watch.ts';
import type { State } from './state.ts';
import { reviewClosingOrders } from './trading/review-closing.ts';
import { fireNextStop } from './trading/trigger-stops.ts';

/**
 * Deals with what has been set in motion, in a fixed order: orders that may no longer only reduce, accounts
 * that may have crossed a threshold, stops whose price has come, due steps of liquidations. Each may
 * set off others. One command deals with so many of them, or as many as make so many matches, close
 * so many orders and rank so many opponents; the sequencer sees to the rest, by Continue commands, before anybody else's turn.
 */
export function drainPending(state: State, out: ByteWriter): void {
  const { pending } = state;
  if (pending.priceMove > 0) {
    advanceOdometer(state.watch, pending, pending.priceMove);
    pending.priceMove = 0;
  }
  if (!hasPending(pending) || pending.fundingPayments.length > 0) return;
  const before = progressOf(state);
  for (let left = WORK_BOUNDS.consequencesPerCommand; left > 0; left--) {
    if (progressOf(state) - before >= WORK_BOUNDS.fillsOfConsequences) return;
    if (reviewClosingOrders(state, out)) continue;
    const account = takeMarginReview(pending);
    if (account !== undefined) examine(state, account as AccountIndex, out);
    else if (!fireNextStop(state, out)) {
      const row = pending.liquidationSteps.shift();
      if (row === undefined) return;
      stepLiquidation(state, row, out);
    }
  }
}

/** Matches made, orders closed and opponents ranked for ADL so far, ever. */
function progressOf({ markets, orders, nextOrderId }: State): number {
  let matches = 0;
  for (const market of markets) matches += market.matches;
  // Every order that was opened and is not open any more has been closed.
  return matches + (nextOrderId - orders.openCount) + rankedOpponents();
}
