import type { Engine } from './engine.ts';

/** Runs a function periodically until stopped: a timer, or driven by tests. */
export type Every = (periodMs: number, run: () => void) => () => void;

export type TickerOptions = {
  readonly engine: Engine;
  readonly every: Every;
  /** Whether nobody needs the time: then no tick is written until somebody asks for one. */
  readonly isIdle: () => boolean;
  readonly onFailure: (reason: unknown) => void;
};

export type Ticker = {
  /** Submits the tick of this second, unless there was one. Returns whether it did. */
  wake(): boolean;
  /** Ticks submitted since the start. */
  readonly ticks: number;
  stop(): void;
};

/** How late a tick may be. A check costs two comparisons. */
const CHECK_MS = 50;

/**
 * Turns time into commands: one tick in every second of the engine's clock, for sampling books and paying
 * funding, and one whenever a liquidation step is due. No tick is submitted while the last is not
 * durable, so that a slow disk does not pile them up.
 * An idle venue has no ticks; the first request after a pause brings its own (fresh-engine.ts).
 */
export function startTicker({ engine, every, isIdle, onFailure }: TickerOptions): Ticker {
  let isWaiting = false;
  let tickedSecond = -1;
  let ticks = 0;
  const submit = (second: number): void => {
    isWaiting = true;
    tickedSecond = second;
    ticks++;
    engine.submit({ kind: 'tick' }).then(
      () => {
        isWaiting = false;
      },
      (reason: unknown) => {
        stop();
        onFailure(reason);
      },
    );
  };
  const stop = every(CHECK_MS, () => {
    const nowMs = engine.nowMs();
    const second = secondOf(nowMs);
    const stepAtMs = engine.nextStepAtMs();
    const isStepDue = stepAtMs !== undefined && stepAtMs <= nowMs;
    if (isWaiting || (second === tickedSecond && !isStepDue) || isIdle()) return;
    submit(second);
  });
  return {
    stop,
    wake: () => {
      const second = secondOf(engine.nowMs());
      if (second === tickedSecond) return false;
      submit(second);
      return true;
    },
    get ticks() {
      return ticks;
    },
  };
}

export const secondOf = (timeMs: number): number => Math.floor(timeMs / 1_000);
