import type { ByteWriter } from '../bytes/pack.ts';
import { WORK_BOUNDS } from '../domain/bounds.ts';
import type { AccountIndex } from '../domain/units.ts';
import { stepLiquidation } from './liquidation/liquidate.ts';
import { reviewMargin } from './liquidation/review-margin.ts';
import { hasPending, takeMarginReview } from './memory/pending.ts';
import { advanceOdometer } from './memory/watch.ts';
import type { State } from './state.ts';
import { passNextDeadline } from './trading/cancel-open-orders.ts';
import { reviewClosingOrders } from './trading/review-closing.ts';
import { fireNextStop } from './trading/trigger-stops.ts';

/**
 * Works through pending work in a fixed order: orders that may no longer only reduce, accounts that may
 * have crossed a margin threshold, dead-man switches, triggered stops, due liquidation steps. Each may cause more.
 *
 * One command does at most `consequencesPerCommand` items, and stops once matches made, orders closed or passed
 * over, opponents ranked and assets offered reach `fillsOfConsequences`. The sequencer issues Continue commands for the rest
 * before it takes anybody else's command.
 */
export function drainPending(state: State, out: ByteWriter): void {
  const { pending } = state;
  if (pending.priceMove > 0) {
    advanceOdometer(state.watch, pending, pending.priceMove);
    pending.priceMove = 0;
  }
  if (!hasPending(pending) || pending.fundingPayments.length > 0) return;
  const before = progressOf(state);
  let looked = 0;
  for (let left = WORK_BOUNDS.consequencesPerCommand; left > 0; left--) {
    if (progressOf(state) - before + looked >= WORK_BOUNDS.fillsOfConsequences) return;
    if (!hasPending(pending)) return;
    if (reviewClosingOrders(state, out)) continue;
    const inReview = takeMarginReview(pending);
    if (inReview !== undefined) {
      reviewMargin(state, inReview as AccountIndex, out);
      continue;
    }
    const passedOrders = passNextDeadline(state, out);
    if (passedOrders !== undefined) looked += passedOrders;
    else if (!fireNextStop(state, out)) {
      const liquidating = pending.liquidationSteps.shift();
      if (liquidating === undefined) return;
      looked += stepLiquidation(state, liquidating, out);
    }
  }
}

/** Matches made and orders closed since genesis. */
function progressOf({ markets, orders, nextOrderId }: State): number {
  let matches = 0;
  for (const market of markets) matches += market.matches;
  const closedOrders = nextOrderId - orders.openCount;
  return matches + closedOrders;
}
