import type { Engine } from './engine.ts';

/** Runs a function again and again until told to stop: a timer, or a hand in tests. */
export type Every = (periodMs: number, run: () => void) => () => void;

/** Twice a second: a liquidation takes a step each time, books are sampled every other time. */
const PERIOD_MS = 500;

/**
 * Time becomes commands. A tick that is not answered yet is not followed by another, so that a slow
 * disk does not pile them up.
 */
export function startTicker(
  engine: Engine,
  every: Every,
  onFailure: (reason: unknown) => void,
): { stop(): void } {
  let isWaiting = false;
  const stop = every(PERIOD_MS, () => {
    if (isWaiting) return;
    isWaiting = true;
    engine.submit({ kind: 'tick' }).then(
      () => {
        isWaiting = false;
      },
      (reason: unknown) => {
        stop();
        onFailure(reason);
      },
    );
  });
  return { stop };
}
