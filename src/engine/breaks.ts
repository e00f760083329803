/**
 * Short sleeps in long work, for threads that share few cores with the one that answers requests. A scheduler lets
 * a thread finish its slice, 3 to 4 ms on Linux whatever the priorities, even if a request waits for the core
 * meanwhile; a thread that sleeps gives the core up at once.
 *
 * In breaks, a thread gets less done: they are for the first `behindMs` of a round of work. Whoever waits for what
 * the thread writes would otherwise wait several times as long under load.
 */
export class Breaks {
  readonly #clock: BreaksClock;
  #beganMs: number;
  #restedMs: number;
  #calls = 0;
  /** In all breaks together: no time that the work took. */
  sleptMs = 0;

  constructor(clock: BreaksClock = THREAD_CLOCK) {
    this.#clock = clock;
    this.#beganMs = clock.nowMs();
    this.#restedMs = this.#beganMs;
  }

  /** A round of work begins. */
  begin(): void {
    this.#beganMs = this.#clock.nowMs();
    this.#restedMs = this.#beganMs;
  }

  /** To be called between two pieces of work of some microseconds. */
  take(): void {
    if (++this.#calls % CALLS_PER_LOOK !== 0) return;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#restedMs < BREAKS.everyMs || nowMs - this.#beganMs > BREAKS.behindMs) return;
    this.#clock.sleep(BREAKS.forMs);
    this.#restedMs = this.#clock.nowMs();
    this.sleptMs += this.#restedMs - nowMs;
  }
}

export const BREAKS = { everyMs: 0.25, forMs: 0.1, behindMs: 25 } as const;
/** Asking the clock costs as much as a small piece of work. */
export const CALLS_PER_LOOK = 4;

export type BreaksClock = { readonly nowMs: () => number; readonly sleep: (forMs: number) => void };

const neverChanged = new Int32Array(new SharedArrayBuffer(4));
const THREAD_CLOCK: BreaksClock = {
  nowMs: () => performance.now(),
  // Timers of Windows have a resolution of many milliseconds.
  sleep:
    process.platform === 'win32' ? () => {} : (forMs) => Atomics.wait(neverChanged, 0, 0, forMs),
};
