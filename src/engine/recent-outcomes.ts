import type { Outcome } from '../domain/events.ts';
import { refuse } from '../domain/rejections.ts';
import { sequence as asSequence, timeMs as asTimeMs } from '../domain/units.ts';
import type { Submitted } from './engine.ts';
import { OutcomeBlocks } from './outcome-blocks.ts';
import { Released } from './released.ts';

/** One outcome of ten thousand matches takes megabytes: bytes are bounded as well as counts. */
const LIMITS = {
  /** What stays in memory although it is in the event log: its answer may still be needed for a while. */
  kept: 10_000,
  keptBytes: 16 * 1024 * 1024,
  /** How far the follower may be behind. */
  lagMax: 1_000_000,
  lagBytesMax: 512 * 1024 * 1024,
};
export type RecentLimits = Readonly<typeof LIMITS>;

/**
 * Outcomes that the follower has not stored yet, and the last of those it has, so that a caller that waits
 * for one, or repeats a request, can get it at any moment: recent ones from here, older ones from the event
 * log.
 *
 * Bounded: when the follower is too far behind, new commands are refused instead of filling memory.
 */
export class RecentOutcomes {
  readonly #readOlder: (sequence: number) => Promise<Uint8Array | undefined>;
  readonly #limits: RecentLimits;
  readonly #blocks: OutcomeBlocks;
  #storedTo: number;

  constructor(options: {
    readonly nextSequence: number;
    readonly readOlder: (sequence: number) => Promise<Uint8Array | undefined>;
    readonly limits?: Partial<RecentLimits>;
  }) {
    this.#blocks = new OutcomeBlocks(options.nextSequence);
    this.#storedTo = options.nextSequence - 1;
    this.#readOlder = options.readOlder;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  get isFull(): boolean {
    const { lagMax, lagBytesMax } = this.#limits;
    const lag = this.#blocks.last - this.#storedTo;
    return lag >= lagMax || (lag > 0 && this.#blocks.bytes >= lagBytesMax);
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#blocks.bytes;
  }

  /** Keeps a copy of the bytes. */
  add(sequence: number, outcome: Uint8Array): void {
    this.#blocks.add(sequence, outcome);
  }

  /** Everything up to this sequence is in the event log now. */
  stored(upTo: number): void {
    this.#storedTo = Math.max(this.#storedTo, upTo);
    const blocks = this.#blocks;
    const { kept, keptBytes } = this.#limits;
    for (let end = blocks.oldestEnd; end !== undefined && end <= upTo; end = blocks.oldestEnd) {
      if (end > blocks.last - kept && blocks.bytes <= keptBytes) return;
      blocks.dropOldest();
    }
  }

  /** Undefined if it is older than everything this node has. */
  async recall(sequence: number): Promise<Uint8Array | undefined> {
    return this.#blocks.find(sequence) ?? (await this.#readOlder(sequence));
  }

  /** The outcome of the command at that sequence; `isRepeat` if a repeated request asks for it. */
  async answerOf(sequence: number, nowMs: number, isRepeat: boolean): Promise<Submitted> {
    const bytes = await this.recall(sequence);
    if (bytes !== undefined) return new Released(sequence, bytes, isRepeat);
    return { outcome: takenBefore(sequence, nowMs), isRepeat };
  }
}

/**
 * A node that started from a snapshot knows that a signed request was accepted, but not its answer. It
 * returns that, with the sequence of the first: a node that ran at that time has the answer.
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
