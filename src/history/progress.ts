/** Calls after a delay, and answers what takes it back. Real timers, or driven by hand in tests. */
export type After = (delayMs: number, call: () => void) => () => void;

/** How far history has come, as told to this reader, and those who wait for it. */
export class Progress {
  readonly #after: After;
  readonly #want: (sequence: number) => void;
  readonly #waiting = new Set<Waiting>();
  #sequence: number;
  #isClosed = false;
  #trouble: string | undefined;

  constructor(sequence: number, after: After, want: (sequence: number) => void = () => {}) {
    this.#sequence = sequence;
    this.#after = after;
    this.#want = want;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** True once the cursor is at or beyond the sequence; false when the time is over before. */
  reached(sequence: number, withinMs: number): Promise<boolean> {
    if (sequence <= this.#sequence) return Promise.resolve(true);
    if (this.#isClosed || this.#trouble !== undefined || withinMs <= 0) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const waiting: Waiting = {
        sequence,
        answer: (isReached) => {
          cancel();
          this.#waiting.delete(waiting);
          resolve(isReached);
        },
      };
      const cancel = this.#after(withinMs, () => waiting.answer(false));
      this.#waiting.add(waiting);
      this.#want(sequence);
    });
  }

  /** Messages may overtake one another; the cursor does not go back. */
  advanced(sequence: number): void {
    this.#trouble = undefined;
    if (sequence <= this.#sequence) return;
    this.#sequence = sequence;
    for (const waiting of this.#waiting) if (waiting.sequence <= sequence) waiting.answer(true);
  }

  /** Nothing will come for now: whoever waits is told, and nobody waits until it goes on. */
  halted(trouble: string): void {
    this.#trouble = trouble;
    for (const waiting of this.#waiting) waiting.answer(false);
  }

  /** Nothing will come any more. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.answer(false);
  }
}

type Waiting = { readonly sequence: number; readonly answer: (isReached: boolean) => void };
