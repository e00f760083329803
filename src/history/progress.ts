/** Calls a function after a delay; returns a function that cancels it. Real timers, or driven by tests. */
export type After = (delayMs: number, call: () => void) => () => void;

/** How far history is, as reported to this reader, and the reads that wait for it. */
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

  /** True once the cursor is at or beyond the sequence; false after `withinMs`. */
  reached(sequence: number, withinMs: number): Promise<boolean> {
    if (sequence <= this.#sequence) return Promise.resolve(true);
    if (this.#isClosed || this.#trouble !== undefined || withinMs <= 0) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const waiting: Waiting = {
        sequence,
        resolve: (isReached) => {
          cancel();
          this.#waiting.delete(waiting);
          resolve(isReached);
        },
      };
      const cancel = this.#after(withinMs, () => waiting.resolve(false));
      this.#waiting.add(waiting);
      this.#want(sequence);
    });
  }

  /** Messages may arrive out of order; the cursor does not go back. */
  advanced(sequence: number): void {
    this.#trouble = undefined;
    if (sequence <= this.#sequence) return;
    this.#sequence = sequence;
    for (const waiting of this.#waiting) if (waiting.sequence <= sequence) waiting.resolve(true);
  }

  /**
   * History has stopped for now: waiting reads end, and none waits until it advances again. A server that was
   * replaced by an older copy has lost the end: results then go only to `sequence`.
   */
  halted(trouble: string, sequence = this.#sequence): void {
    this.#trouble = trouble;
    this.#sequence = Math.min(sequence, this.#sequence);
    for (const waiting of this.#waiting) waiting.resolve(false);
  }

  /** History has stopped for good. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.resolve(false);
  }
}

type Waiting = { readonly sequence: number; readonly resolve: (isReached: boolean) => void };
