import type { ByteWriter } from '../../domain/pack.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { advanceOdometer, takeUnsure } from '../risk/watch.ts';
import type { State } from '../state.ts';
import { examine } from './examine-margin.ts';
import { stepLiquidation } from './liquidate.ts';
import { reviewClosingOrders } from './review-closing.ts';
import { fireNextStop } from './trigger-stops.ts';

/** What one command works off at most; the sequencer sees to the rest before anybody else's turn. */
export const CONSEQUENCES_MAX = 1_000;

/**
 * Works off what has been set in motion, in a fixed order: orders that may no longer only reduce, accounts
 * that may have crossed a threshold, stops whose price has come, due steps of liquidations. Each may
 * set off others.
 */
export function workOff(state: State, out: ByteWriter): void {
  if (state.moved > 0) {
    advanceOdometer(state.watch, state.moved);
    state.moved = 0;
  }
  for (let budget = CONSEQUENCES_MAX; budget > 0; budget--) {
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

/** Whether something set in motion is not worked off yet: a Continue must come before anybody else. */
export const isRestless = (state: State): boolean =>
  state.restless.length > 0 ||
  state.closingReviews.length > 0 ||
  state.watch.unsure.length > 0 ||
  state.stepping.length > 0;
