import { type ClockChange, type EngineClock, timeText } from './clock.ts';
import type { Engine } from './engine.ts';
import type { Every } from './ticker.ts';

/** Often enough to see and count a wall clock that is wrong for half a second. */
const PERIOD_MS = 250;

export type ClockWatchOptions = {
  readonly clock: EngineClock;
  readonly engine: Engine;
  readonly every: Every;
  readonly onNotice: (words: string) => void;
};

/** Checks the wall clock; a jump that has lasted long enough becomes a command. */
export function startClockWatch(options: ClockWatchOptions): { stop(): void } {
  const { clock, engine, every, onNotice } = options;
  let isWaiting = false;
  let refusedBefore = '';
  const stop = every(PERIOD_MS, () => {
    const change = clock.check();
    if (change === undefined) return;
    if (change.kind !== 'due') {
      onNotice(wordsOf(change, clock));
      return;
    }
    if (isWaiting) return;
    isWaiting = true;
    const { engineMs } = clock.reading();
    const command = {
      kind: 'step-clock',
      actor: 'clock',
      fromMs: engineMs,
      toMs: change.wallMs,
    } as const;
    engine.submit(command).then(
      ({ outcome }) => {
        isWaiting = false;
        const refused = outcome.events.find(({ kind }) => kind === 'refused');
        const words =
          refused?.kind === 'refused'
            ? `engine time does not step: ${refused.message}`
            : `engine time has stepped from ${timeText(engineMs)} to ${timeText(change.wallMs)}`;
        // It is asked for again in a moment, mostly for the same reason in vain.
        if (refused === undefined || words !== refusedBefore) onNotice(words);
        refusedBefore = refused === undefined ? '' : words;
      },
      stop, // The engine has stopped and reports that itself.
    );
  });
  return { stop };
}

function wordsOf({ kind, aheadMs }: ClockChange, clock: EngineClock): string {
  const { engineMs, wallMs } = clock.reading();
  const times = `engine ${timeText(engineMs)}, wall clock ${timeText(wallMs)}`;
  if (kind === 'returned') return `the wall clock agrees again: ${times}`;
  const size = `${Math.abs(Math.round(aheadMs))} ms`;
  return aheadMs > 0
    ? `the wall clock is ${size} ahead of engine time: ${times}; a jump of up to 5 minutes is ` +
        'taken when it has stood for 60 s, a larger one when an operator confirms it'
    : `the wall clock is ${size} behind engine time, which goes on: ${times}`;
}
