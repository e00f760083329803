import type { Clock, ClockReading } from './clock.ts';

/**
 * Engine time on other threads of the process: its offset from the machine's monotonic clock, in shared
 * memory. So every thread checks timestamps against the same clock, and a step that the venue accepts applies
 * everywhere.
 */
export const clockMemory = (): SharedArrayBuffer => new SharedArrayBuffer(8);

/** To be called several times a second: engine time is adjusted, and may step. */
export function shareClock(memory: SharedArrayBuffer, nowMs: number): void {
  const ahead = BigInt(Math.round((nowMs - steadyMs()) * 1_000));
  Atomics.store(new BigInt64Array(memory), 0, ahead);
}

export class ThreadClock implements Clock {
  readonly #ahead: BigInt64Array;
  #lastMs = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#ahead = new BigInt64Array(memory);
  }

  nowMs(): number {
    const nowMs = Math.floor(steadyMs() + Number(Atomics.load(this.#ahead, 0)) / 1_000);
    if (nowMs > this.#lastMs) this.#lastMs = nowMs;
    return this.#lastMs;
  }

  /** The engine's own clock detects and counts jumps. */
  reading(): ClockReading {
    return {
      ...{ engineMs: this.nowMs(), wallMs: Date.now() },
      ...{ jumpsForward: 0, jumpsBackward: 0, stepsTaken: 0 },
    };
  }

  stepTo(): string {
    return 'only the engine steps its clock';
  }
}

/** The same on all threads, unlike performance.now(). */
function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}
