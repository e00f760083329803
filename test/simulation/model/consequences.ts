import { passSwitchNext } from './cancel.ts';
import { stepNext } from './liquidate.ts';
import { reviewClosingNext, reviewMarginNext } from './review-margin.ts';
import { FILLS_MAX, type Model } from './state.ts';
import { fireNextStop } from './stops.ts';

/**
 * The maximum number of consequences of one command, and the fills, closed orders and others looked at after which it
 * starts no other.
 */
const CONSEQUENCES_MAX = 1_000;

/**
 * Reviews of closing orders first, then broken margins, then dead-man switches, then stops, then due
 * liquidation steps; each may cause others.
 */
export function drainPending(model: Model): void {
  let done = 0;
  for (let left = CONSEQUENCES_MAX; left > 0 && done < FILLS_MAX; left--) {
    const before = { emitted: model.emitted.length, looked: lookedAt(model) };
    if (!drainOne(model)) return;
    const emitted = model.emitted.slice(before.emitted);
    done += emitted.filter((text) => /^order-(matched|closed)/.test(text)).length;
    done += lookedAt(model) - before.looked;
  }
}

const lookedAt = (model: Model): number =>
  model.rankedOpponents + model.passedOrders + model.offeredAssets;

const drainOne = (model: Model): boolean =>
  reviewClosingNext(model) ||
  reviewMarginNext(model) ||
  passSwitchNext(model) ||
  fireNextStop(model) ||
  stepNext(model);
