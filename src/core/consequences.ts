import type { ByteWriter } from '../bytes/pack.ts';
import { WORK_BOUNDS } from '../domain/bounds.ts';
import type { AccountIndex } from '../domain/units.ts';
import { examine } from './liquidation/examine-margin.ts';
import { stepLiquidation } from './liquidation/liquidate.ts';
import { rankedOpponents } from './liquidation/opponents.ts';
import { advanceOdometer, takeUnsure } from './memory/watch.ts';
import type { State } from './state.ts';
import { reviewClosingOrders } from './trading/review-closing.ts';
import { fireNextStop } from './trading/trigger-stops.ts';

/**
 * Works off what has been set in motion, in a fixed order: orders that may no longer only reduce, accounts
 * that may have crossed a threshold, stops whose price has come, due steps of liquidations. Each may
 * set off others. One command works off so many of them, or as many as make so many matches, close
 * so many orders and rank so many opponents; the sequencer sees to the rest, by Continue commands, before anybody else's turn.
 */
export function workOff(state: State, out: ByteWriter): void {
  if (state.moved > 0) {
    advanceOdometer(state.watch, state.moved);
    state.moved = 0;
  }
  if (!isRestless(state) || state.fundingDue.length > 0) return;
  const before = progressOf(state);
  for (let left = WORK_BOUNDS.consequencesPerCommand; left > 0; left--) {
    if (progressOf(state) - before >= WORK_BOUNDS.fillsOfConsequences) return;
    if (reviewClosingOrders(state, out)) continue;
    const account = takeUnsure(state.watch);
    if (account !== undefined) examine(state, account as AccountIndex, out);
    else if (!fireNextStop(state, out)) {
      const row = state.stepping.shift();
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

/** Whether something set in motion is not worked off yet: a Continue must come before anybody else. */
export const isRestless = (state: State): boolean =>
  state.fundingDue.length > 0 ||
  state.restless.length > 0 ||
  state.closingReviews.length > 0 ||
  state.watch.unsure.length > 0 ||
  state.stepping.length > 0;
