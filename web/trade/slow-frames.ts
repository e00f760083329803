import { createStore } from '../shared/store.ts';

/** When frames are slow for a while, frequent drawing is halved. */
export const isSlow = createStore(false);

const SLOW_MS = 24;
const FAST_MS = 20;
const WINDOW_MS = 3_000;
const PART = 0.95;

/** The 95th percentile of the frames of a window, and the decision from it. Pure, for its test. */
export function isSlowAfter(frames: readonly number[], wasSlow: boolean): boolean {
  if (frames.length === 0) return wasSlow;
  const sorted = [...frames].sort((one, other) => one - other);
  const high = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * PART))] ?? 0;
  return high > (wasSlow ? FAST_MS : SLOW_MS);
}

/** Watches for as long as the page is open; a hidden tab has no frames to count. */
export function watchFrames(): () => void {
  let frames: number[] = [];
  let lastMs = 0;
  let startedMs = performance.now();
  let handle = 0;
  const onFrame = (nowMs: number): void => {
    if (lastMs > 0 && !document.hidden) frames.push(nowMs - lastMs);
    lastMs = document.hidden ? 0 : nowMs;
    if (nowMs - startedMs >= WINDOW_MS) {
      isSlow.set(isSlowAfter(frames, isSlow.get()));
      frames = [];
      startedMs = nowMs;
    }
    handle = requestAnimationFrame(onFrame);
  };
  handle = requestAnimationFrame(onFrame);
  return () => cancelAnimationFrame(handle);
}
