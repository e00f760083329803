import type { Engine } from './engine.ts';

/** Runs a function periodically until stopped: a timer, or driven by tests. */
export type Every = (periodMs: number, run: () => void) => () => void;

export type TickerOptions = {
  readonly engine: Engine;
  readonly every: Every;
  /** Whether nobody needs the time: then no tick is written until somebody asks for one. */
  readonly isIdle: () => boolean;
  /** Called before the first tick after a pause, which needs prices of its own second. */
  readonly afterPause: () => void;
  readonly onFailure: (reason: unknown) => void;
};

export type Ticker = {
  /** Submits the tick of this second, unless there was one. Returns whether it did. */
  wake(): boolean;
  /** The second of the last tick; -1 before the first. */
  readonly second: number;
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
export function startTicker(options: TickerOptions): Ticker {
  const { engine, every, isIdle, afterPause, onFailure } = options;
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
    if (isPause(tickedSecond, second)) afterPause();
    submit(second);
  });
  return {
    stop,
    wake: () => {
      const second = secondOf(engine.nowMs());
      if (second === tickedSecond || (isWaiting && !isIdle())) return false;
      submit(second);
      return true;
    },
    get second() {
      return tickedSecond;
    },
    get ticks() {
      return ticks;
    },
  };
}

/** Whether a venue that submits something every second has left one out. */
export const isPause = (lastSecond: number, second: number): boolean => second > lastSecond + 1;

export const secondOf = (timeMs: number): number => Math.floor(timeMs / 1_000);
