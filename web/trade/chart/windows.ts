import { WINDOW_MAX_MS } from '../../shared/venue-clock.ts';

/** A week has few daily candles: twelve windows are enough for a screenful. */
const WINDOWS_MAX = 12;

export type Window = { readonly startMs: number; readonly endMs: number };

/** The windows in which this many bars are requested, newest first. */
export function windowsOf(endMs: number, spanMs: number, bars: number): readonly Window[] {
  const windows: Window[] = [];
  let leftMs = spanMs * bars;
  for (let at = endMs; leftMs > 0 && at > 0 && windows.length < WINDOWS_MAX; ) {
    const startMs = Math.max(0, at - Math.min(leftMs, WINDOW_MAX_MS));
    windows.push({ startMs, endMs: at });
    leftMs -= at - startMs;
    at = startMs - 1;
  }
  return windows;
}
