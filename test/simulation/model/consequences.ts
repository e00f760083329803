import { examineNext, reviewNext } from './examine.ts';
import { stepNext } from './liquidate.ts';
import type { Model } from './state.ts';
import { fireNextStop } from './stops.ts';

/** What one command works off at most. */
const CONSEQUENCES_MAX = 1_000;

/**
 * Closing orders of positions that have shrunk first, then broken margins, then stops, then due steps of
 * liquidations; each may set off others.
 */
export function workOff(model: Model): void {
  for (let left = CONSEQUENCES_MAX; left > 0; left--) {
    if (reviewNext(model)) continue;
    if (!examineNext(model) && !fireNextStop(model) && !stepNext(model)) return;
  }
}
