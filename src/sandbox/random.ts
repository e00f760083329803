/** Seeded randomness of the sandbox: the same seed gives the same market, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** From 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /**
   * Approximately normal, with mean 0 and deviation 1. Uses sums only: logarithms may differ between machines
   * in their last digit.
   */
  normal(): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * SQRT_3;
  }
}

/** Four uniform numbers have a variance of a third. */
const SQRT_3 = 1.7320508075688772;
