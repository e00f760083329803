import { assert } from '../domain/assert.ts';

/**
 * Outcomes the follower has not stored yet, so that a repeated request gets the first outcome at any
 * moment: recent ones from here, older ones from the event log.
 *
 * Bounded: when the follower is this far behind, new commands are refused instead of filling memory.
 */
export class RecentOutcomes {
  readonly #readOlder: (sequence: number) => Promise<Uint8Array>;
  readonly #lagMax: number;
  #first: number;
  #outcomes: (Uint8Array | undefined)[] = [];
  #dropped = 0;

  constructor(options: {
    readonly nextSequence: number;
    readonly readOlder: (sequence: number) => Promise<Uint8Array>;
    readonly lagMax?: number;
  }) {
    this.#first = options.nextSequence;
    this.#readOlder = options.readOlder;
    this.#lagMax = options.lagMax ?? 1_000_000;
  }

  get isFull(): boolean {
    return this.#outcomes.length - this.#dropped >= this.#lagMax;
  }

  add(sequence: number, outcome: Uint8Array): void {
    assert(sequence === this.#first + this.#outcomes.length, 'outcomes are kept one after another');
    this.#outcomes.push(outcome);
  }

  /** Everything up to this sequence is in the event log now. */
  stored(upTo: number): void {
    while (this.#dropped < this.#outcomes.length && this.#first + this.#dropped <= upTo) {
      this.#outcomes[this.#dropped++] = undefined;
    }
    // Moving the rest costs its length, so it is done only when half of the list is gone.
    if (this.#dropped > 1024 && this.#dropped * 2 > this.#outcomes.length) {
      this.#outcomes = this.#outcomes.slice(this.#dropped);
      this.#first += this.#dropped;
      this.#dropped = 0;
    }
  }

  async recall(sequence: number): Promise<Uint8Array> {
    return this.#outcomes[sequence - this.#first] ?? (await this.#readOlder(sequence));
  }
}
