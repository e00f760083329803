import type { Every } from './engine/ticker.ts';

/** The machine's timers, the default where none are injected. */
export const everyRealTime: Every = (periodMs, run) => {
  const timer = setInterval(run, periodMs);
  return () => clearInterval(timer);
};

/** Calls once, later; the returned function cancels it. */
export const afterRealTime = (delayMs: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
};
