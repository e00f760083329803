/** The engine's clock. It is injected: real here, driven by hand in tests and simulation. */
export type Clock = {
  nowMs(): number;
  reading(): ClockReading;
  /** Accepts a wall clock that is ahead as one step; returns the reason if that is refused. */
  stepTo(wallMs: number): string | undefined;
};

/** Both clocks, and the jumps of the wall clock since the start. */
export type ClockReading = {
  readonly engineMs: number;
  readonly wallMs: number;
  /** Jumps of the wall clock away from engine time seen so far, and how many were accepted. */
  readonly jumpsForward: number;
  readonly jumpsBackward: number;
  readonly stepsTaken: number;
};

/** The two clocks of a machine. The monotonic one has an arbitrary origin, and nobody can set it. */
export type Clocks = { wallMs(): number; monotonicMs(): number };

/** The only Date.now() that engine time follows. */
export const realClocks: Clocks = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Up to this difference the clocks count as equal; anything larger is a jump. Also the limit of /ready. */
export const CLOCKS_DIFFER_MS = 5_000;
/** A larger jump needs an operator, or a venue that accepts any. */
const STEP_MAX_MS = 300_000;
const STANDS_MS = 60_000;
/** If a jump changes by more than this while it is watched, it is another jump. */
const STEADY_MS = 1_000;
/** Engine time is adjusted towards the wall clock by at most 1 ms a second. */
const DRAWN_PER_MS = 0.001;

/** The result of a check of the wall clock. `aheadMs` is negative for a wall clock that is behind. */
export type ClockChange =
  | { readonly kind: 'jumped' | 'returned'; readonly aheadMs: number }
  /** It has lasted long enough to be accepted by a `step-clock` command. */
  | { readonly kind: 'due'; readonly aheadMs: number; readonly wallMs: number };

export type EngineClockOptions = {
  readonly clocks: Clocks;
  /** The journal's last time: engine time does not advance until the clock has passed it. */
  readonly notBeforeMs: number;
  /** Forward jumps of any size are accepted once they have lasted long enough (`dev`: laptops sleep). */
  readonly takesAnyJump?: boolean;
};

/**
 * Engine time: follows the monotonic clock from its start and never runs backwards. The wall clock
 * is compared by `check`, several times a second, and changes engine time in two ways only: slowly, or by
 * one forward step that was decided on. A wall clock that is wrong for a moment, or for as long as
 * nobody confirms it, changes nothing.
 */
export class EngineClock implements Clock {
  readonly #clocks: Clocks;
  readonly #takesAnyJump: boolean;
  readonly #startMonotonicMs: number;
  readonly #startWallMs: number;
  /**
   * Adjustments since the start. Kept separately: added to the large times, such small parts would be lost.
   */
  #addedMs = 0;
  #lastMs: number;
  #checkedAtMs: number;
  #jump: { readonly aheadMs: number; readonly sinceMs: number } | undefined;
  #jumpsForward = 0;
  #jumpsBackward = 0;
  #stepsTaken = 0;

  constructor({ clocks, notBeforeMs, takesAnyJump = false }: EngineClockOptions) {
    this.#clocks = clocks;
    this.#takesAnyJump = takesAnyJump;
    this.#startMonotonicMs = clocks.monotonicMs();
    this.#checkedAtMs = this.#startMonotonicMs;
    this.#startWallMs = clocks.wallMs();
    this.#lastMs = notBeforeMs;
  }

  nowMs(): number {
    const nowMs = Math.floor(this.#followedMs(this.#clocks.monotonicMs()));
    if (nowMs > this.#lastMs) this.#lastMs = nowMs;
    return this.#lastMs;
  }

  reading(): ClockReading {
    return {
      engineMs: this.nowMs(),
      wallMs: this.#clocks.wallMs(),
      jumpsForward: this.#jumpsForward,
      jumpsBackward: this.#jumpsBackward,
      stepsTaken: this.#stepsTaken,
    };
  }

  /** Compares the clocks and adjusts engine time by what the time since the last check allows. */
  check(): ClockChange | undefined {
    const monotonicMs = this.#clocks.monotonicMs();
    const wallMs = this.#clocks.wallMs();
    const elapsedMs = monotonicMs - this.#checkedAtMs;
    this.#checkedAtMs = monotonicMs;
    const aheadMs = wallMs - this.#followedMs(monotonicMs);
    if (Math.abs(aheadMs) > CLOCKS_DIFFER_MS) return this.#watchJump(aheadMs, wallMs, monotonicMs);
    const mostMs = elapsedMs * DRAWN_PER_MS;
    this.#addedMs += Math.max(-mostMs, Math.min(mostMs, aheadMs));
    if (this.#jump === undefined) return undefined;
    this.#jump = undefined;
    return { kind: 'returned', aheadMs };
  }

  stepTo(wallMs: number): string | undefined {
    const nowMs = this.#clocks.wallMs();
    const aheadMs = nowMs - this.#followedMs(this.#clocks.monotonicMs());
    if (Math.abs(nowMs - wallMs) > CLOCKS_DIFFER_MS) {
      return `the wall clock says ${timeText(nowMs)}, not ${timeText(wallMs)}`;
    }
    if (aheadMs <= CLOCKS_DIFFER_MS) {
      const words = aheadMs < 0 ? 'behind' : 'ahead of';
      return (
        `the wall clock is ${Math.round(Math.abs(aheadMs))} ms ${words} the engine's time; ` +
        `only one that is more than ${CLOCKS_DIFFER_MS} ms ahead is taken`
      );
    }
    this.#addedMs += aheadMs;
    this.#jump = undefined;
    this.#stepsTaken++;
    return undefined;
  }

  #watchJump(aheadMs: number, wallMs: number, monotonicMs: number): ClockChange | undefined {
    const jump = this.#jump;
    if (jump === undefined || Math.abs(aheadMs - jump.aheadMs) > STEADY_MS) {
      this.#jump = { aheadMs, sinceMs: monotonicMs };
      if (aheadMs > 0) this.#jumpsForward++;
      else this.#jumpsBackward++;
      return { kind: 'jumped', aheadMs };
    }
    const mayBeTaken = aheadMs > 0 && (this.#takesAnyJump || aheadMs <= STEP_MAX_MS);
    if (!mayBeTaken || monotonicMs - jump.sinceMs < STANDS_MS) return undefined;
    return { kind: 'due', aheadMs, wallMs };
  }

  /** Before rounding, and before the rule that time never runs backwards. */
  #followedMs(monotonicMs: number): number {
    return this.#startWallMs + (monotonicMs - this.#startMonotonicMs + this.#addedMs);
  }
}

/** For people: 2026-11-15T10:00:00.000Z, or the bare number if it is outside the calendar's range. */
export const timeText = (ms: number): string =>
  Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);

/** Clocks of a machine that begin in the past, are moved by hand, and then become the machine's own. */
export type PastClocks = Clocks & {
  advanceTo(timeMs: number): void;
  /** From here on time is the machine's. The time that is missing until now passes at once. */
  toPresent(): void;
};

/**
 * For a venue that has a past when it opens: the past is made on these clocks, before anybody can connect.
 * Both clocks continue without a jump relative to each other, so the engine's clock sees none.
 */
export function pastClocks(real: Clocks, startMs: number): PastClocks {
  let atMs = startMs;
  let presentSince: { readonly atMs: number; readonly monotonicMs: number } | undefined;
  return {
    wallMs: () => (presentSince === undefined ? atMs : real.wallMs()),
    monotonicMs: () =>
      presentSince === undefined
        ? atMs - startMs
        : presentSince.atMs - startMs + (real.monotonicMs() - presentSince.monotonicMs),
    advanceTo: (timeMs) => {
      atMs = Math.max(atMs, timeMs);
    },
    toPresent: () => {
      presentSince = { atMs: Math.max(atMs, real.wallMs()), monotonicMs: real.monotonicMs() };
    },
  };
}

/** A clock that moves only by `advance`. */
export function manualClock(startMs: number): Clock & { advance(byMs: number): void } {
  let atMs = startMs;
  return {
    nowMs: () => atMs,
    reading: () => ({
      engineMs: atMs,
      wallMs: atMs,
      jumpsForward: 0,
      jumpsBackward: 0,
      stepsTaken: 0,
    }),
    stepTo: (wallMs) => {
      atMs = Math.max(atMs, wallMs);
      return undefined;
    },
    advance: (byMs) => {
      atMs += byMs;
    },
  };
}

/** Both clocks of a machine, for tests: `advance` lets time pass, `setWall` sets the wall clock. */
export function manualClocks(
  startMs: number,
): Clocks & { advance(byMs: number): void; setWall(byMs: number): void } {
  let monotonicMs = 0;
  let wallMs = startMs;
  return {
    wallMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    advance: (byMs) => {
      monotonicMs += byMs;
      wallMs += byMs;
    },
    setWall: (byMs) => {
      wallMs += byMs;
    },
  };
}
