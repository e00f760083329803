/**
 * Decides where to wait for the disk, on the writer's own thread or on another, and how many fsyncs may wait there
 * at the same time.
 *
 * Passing an fsync to another thread costs about 30 us and two wake-ups, and lets the writer's thread
 * continue meanwhile. If the disk needs less than a quarter of a millisecond, waiting is cheaper; if it needs
 * more, requests could be read in that time. So the choice follows from how long the last ones took. Only
 * those on the thread are timed: the time of the others includes what the event loop was doing. On a slow
 * disk one now and then is therefore made on the thread, ever more rarely, to notice that it has become fast.
 *
 * With one fsync in flight, what arrives waits for the rest of it and then for its own. A disk that needs
 * milliseconds mostly waits for something far away, so it can take several; one that is asked a thousand times a
 * second anyway is not asked more often.
 */
export type SyncPace = {
  /** Whether to make the next fsync on the writer's thread. Call it once for each. */
  isOnThread(): boolean;
  /** How many groups may be in flight, each with its own fsync. One when the next fsync is to be tried on the thread. */
  appendsMax(): number;
  /** Reports an fsync that was begun while others were in flight. */
  overlapped(): void;
  /** Reports how long one on the thread took. */
  took(ms: number): void;
};

const QUICK_MS = 0.25;
/** Every disk is slow at times, so a single measurement changes nothing. */
const WINDOW = 8;
const SLOW_OF_WINDOW = 5;
const QUICK_IN_A_ROW = 3;
const TRY_AFTER_MIN = 64;
const TRY_AFTER_MAX = 4_096;
/** The runtime has four threads for such calls, and others need one too. */
const APPENDS_MAX = 3;

export function measuredPace(): SyncPace {
  const lastMs = new Float64Array(WINDOW);
  let measured = 0;
  let isQuick = true;
  let quickInARow = 0;
  let tryAfter = TRY_AFTER_MIN;
  let untilTry = 0;
  let appendsMax = 1;
  const slowNow = (): void => {
    isQuick = false;
    tryAfter = TRY_AFTER_MIN;
    untilTry = tryAfter;
    quickInARow = 0;
  };
  const tried = (isSlow: boolean): void => {
    quickInARow = isSlow ? 0 : quickInARow + 1;
    if (isSlow) tryAfter = Math.min(TRY_AFTER_MAX, 2 * tryAfter);
    untilTry = isSlow ? tryAfter : 1;
    if (quickInARow < QUICK_IN_A_ROW) return;
    isQuick = true;
    lastMs.fill(0);
  };
  return {
    isOnThread: () => isQuick || --untilTry <= 0,
    appendsMax: () => (isQuick || untilTry <= 1 ? 1 : appendsMax),
    overlapped() {
      untilTry--;
    },
    took(ms) {
      lastMs[measured++ % WINDOW] = ms;
      if (isQuick && ms <= QUICK_MS) return;
      const sorted = lastMs.toSorted();
      const usualMs = sorted[WINDOW - SLOW_OF_WINDOW] as number;
      appendsMax = Math.max(1, Math.min(APPENDS_MAX, Math.floor(usualMs)));
      if (!isQuick) tried(ms > QUICK_MS);
      else if (usualMs > QUICK_MS) slowNow();
    },
  };
}
