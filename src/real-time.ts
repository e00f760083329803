import type { Every } from './engine/ticker.ts';

/** The machine's timers, for whoever is handed none. */
export const everyRealTime: Every = (periodMs, run) => {
  const timer = setInterval(run, periodMs);
  return () => clearInterval(timer);
};

/** Calls later, once; the returned function prevents it. */
export const afterRealTime = (delayMs: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
};
