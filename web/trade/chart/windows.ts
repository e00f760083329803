import { WINDOW_MAX_MS } from '../../shared/venue-clock.ts';

/** Of days there are few in a week: a screenful of them is enough for one look. */
const WINDOWS_MAX = 12;

export type Window = { readonly startMs: number; readonly endMs: number };

/** In which windows so many bars are asked for, the newest first. */
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
