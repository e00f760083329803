/** The clock of the engine, handed in: real here, driven by hand in tests and simulation. */
export type Clock = {
  nowMs(): number;
  reading(): ClockReading;
  /** Takes a wall clock that is ahead as one step; the reason where that is refused. */
  stepTo(wallMs: number): string | undefined;
};

/** Both clocks, and the jumps of the wall clock since the start. */
export type ClockReading = {
  readonly engineMs: number;
  readonly wallMs: number;
  /** Jumps of the wall clock away from the engine's time, seen so far; and how many were taken. */
  readonly jumpsForward: number;
  readonly jumpsBackward: number;
  readonly stepsTaken: number;
};

/** The two clocks of a machine. The monotonic one counts from anywhere; nobody can set it. */
export type Clocks = { wallMs(): number; monotonicMs(): number };

/** The only Date.now() of the program. */
export const realClocks: Clocks = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Up to here the clocks count as equal: what is larger is a jump. Also /ready's limit. */
export const CLOCKS_DIFFER_MS = 5_000;
/** A larger jump needs an operator, or a venue that takes any. */
const STEP_MAX_MS = 300_000;
const STANDS_MS = 60_000;
/** A jump that moves by more than this while it is watched is another jump. */
const STEADY_MS = 1_000;
/** The engine's time is drawn to the wall clock by at most 1 ms a second. */
const DRAWN_PER_MS = 0.001;

/** The result of a check of the wall clock. `aheadMs` is negative for a wall clock that is behind. */
export type ClockNews =
  | { readonly kind: 'jumped' | 'returned'; readonly aheadMs: number }
  /** It has stood long enough: to be taken by a `step-clock` command. */
  | { readonly kind: 'due'; readonly aheadMs: number; readonly wallMs: number };

export type EngineClockOptions = {
  readonly clocks: Clocks;
  /** The journal's last time: engine time does not advance until the clock has passed it. */
  readonly notBeforeMs: number;
  /** Forward jumps of any size are taken once they have stood (`dev`: laptops sleep). */
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
  /** Added since the start. Kept apart from the large times, in which such small parts would be lost. */
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

  /** Compares the clocks and draws engine time by what the time since the last check allows. */
  check(): ClockNews | undefined {
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

  #watchJump(aheadMs: number, wallMs: number, monotonicMs: number): ClockNews | undefined {
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

  /** Before rounding, and before it is kept from running backwards. */
  #followedMs(monotonicMs: number): number {
    return this.#startWallMs + (monotonicMs - this.#startMonotonicMs + this.#addedMs);
  }
}

/** For people: 2026-11-15T10:00:00.000Z, or the bare number where no calendar has it. */
export const timeText = (ms: number): string =>
  Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);

/** Clocks of a machine that begin in the past, move by hand, and are then those of the machine. */
export type PastClocks = Clocks & {
  advanceTo(timeMs: number): void;
  /** From here on time is the machine's. What is missing until now passes at once. */
  toPresent(): void;
};

/**
 * For a venue that has a past when it opens: it is made on these clocks, before anybody can connect.
 * Both of them go on without a jump between each other, so that the engine's clock sees none.
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
export function handClock(startMs: number): Clock & { advance(byMs: number): void } {
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
export function handClocks(
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
