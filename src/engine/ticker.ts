import type { Engine } from './engine.ts';

/** Runs a function again and again until told to stop: a timer, or a hand in tests. */
export type Every = (periodMs: number, run: () => void) => () => void;

/** How late a tick may be. A look costs two comparisons. */
const LOOK_MS = 50;

/**
 * Time becomes commands: one tick in every second of the engine's clock, in which books are sampled and
 * funding falls due, and one whenever a step of a liquidation is due, twice a second for each of them. A
 * tick that is not answered yet is not followed by another, so that a slow disk does not pile them up.
 */
export function startTicker(
  engine: Engine,
  every: Every,
  onFailure: (reason: unknown) => void,
): { stop(): void } {
  let isWaiting = false;
  let tickedSecond = -1;
  const stop = every(LOOK_MS, () => {
    const nowMs = engine.nowMs();
    const second = Math.floor(nowMs / 1_000);
    const stepAtMs = engine.nextStepAtMs();
    const isStepDue = stepAtMs !== undefined && stepAtMs <= nowMs;
    if (isWaiting || (second === tickedSecond && !isStepDue)) return;
    isWaiting = true;
    tickedSecond = second;
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
