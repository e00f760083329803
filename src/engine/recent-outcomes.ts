import { assert } from '../domain/assert.ts';
import { decodeOutcome } from '../domain/event-codec.ts';
import type { Outcome } from '../domain/events.ts';
import { refuse } from '../domain/rejections.ts';
import { sequence as asSequence, timeMs as asTimeMs } from '../domain/units.ts';
import type { Submitted } from './engine.ts';

/** How many of the last ones stay in memory although they are in the event log: an answer may be on its way for a while. */
const KEPT = 10_000;

/**
 * Outcomes the follower has not stored yet and the last of those it has, so that whoever waits for one, or repeats a
 * request, gets it at any moment: recent ones from here, older ones from the event log.
 *
 * Bounded: when the follower is this far behind, new commands are refused instead of filling memory.
 */
export class RecentOutcomes {
  readonly #readOlder: (sequence: number) => Promise<Uint8Array | undefined>;
  readonly #lagMax: number;
  readonly #kept: number;
  #first: number;
  #outcomes: (Uint8Array | undefined)[] = [];
  #dropped = 0;
  #storedTo: number;

  constructor(options: {
    readonly nextSequence: number;
    readonly readOlder: (sequence: number) => Promise<Uint8Array | undefined>;
    readonly lagMax?: number;
    readonly kept?: number;
  }) {
    this.#first = options.nextSequence;
    this.#storedTo = options.nextSequence - 1;
    this.#readOlder = options.readOlder;
    this.#lagMax = options.lagMax ?? 1_000_000;
    this.#kept = options.kept ?? KEPT;
  }

  get isFull(): boolean {
    return this.#last - this.#storedTo >= this.#lagMax;
  }

  get #last(): number {
    return this.#first + this.#outcomes.length - 1;
  }

  add(sequence: number, outcome: Uint8Array): void {
    assert(sequence === this.#first + this.#outcomes.length, 'outcomes are kept one after another');
    this.#outcomes.push(outcome);
  }

  /** Everything up to this sequence is in the event log now. */
  stored(upTo: number): void {
    this.#storedTo = Math.max(this.#storedTo, upTo);
    const dropTo = Math.min(upTo, this.#last - this.#kept);
    while (this.#dropped < this.#outcomes.length && this.#first + this.#dropped <= dropTo) {
      this.#outcomes[this.#dropped++] = undefined;
    }
    // Moving the rest costs its length, so it is done only when half of the list is gone.
    if (this.#dropped > 1024 && this.#dropped * 2 > this.#outcomes.length) {
      this.#outcomes = this.#outcomes.slice(this.#dropped);
      this.#first += this.#dropped;
      this.#dropped = 0;
    }
  }

  /** Undefined of one before all that this node has. */
  async recall(sequence: number): Promise<Uint8Array | undefined> {
    return this.#outcomes[sequence - this.#first] ?? (await this.#readOlder(sequence));
  }

  /** The answer to a request that was taken before, at that sequence. */
  async repeated(sequence: number, nowMs: number): Promise<Submitted> {
    const bytes = await this.recall(sequence);
    const outcome =
      bytes === undefined ? takenBefore(sequence, nowMs) : decodeOutcome(sequence, bytes);
    return { outcome, isRepeat: true };
  }
}

/**
 * A node that began with a snapshot knows from it that a signed request was taken, and not what the answer was. It says so, with
 * the sequence of the first: another node that was there then has the answer.
 */
function takenBefore(sequence: number, nowMs: number): Outcome {
  const { rejected: reason, message } = refuse(
    'ANSWERED_BEFORE',
    `it is number ${sequence} of the venue, from before this node began; orders, transfers and history show what it did`,
  );
  return {
    sequence: asSequence(sequence),
    timeMs: asTimeMs(nowMs),
    events: [{ kind: 'refused', reason, message }],
  };
}
