/** The clock of the engine, handed in: real here, driven by hand in tests and simulation. */
export type Clock = { nowMs(): number };

/** The only Date.now() of the program. It never runs backwards, and not behind the journal. */
export function realClock(notBeforeMs: number): Clock {
  let lastMs = notBeforeMs;
  return {
    nowMs: () => {
      lastMs = Math.max(lastMs, Date.now());
      return lastMs;
    },
  };
}

/** A clock that stands still until it is told. */
export function handClock(startMs: number): Clock & { advance(byMs: number): void } {
  let atMs = startMs;
  return {
    nowMs: () => atMs,
    advance: (byMs) => {
      atMs += byMs;
    },
  };
}
