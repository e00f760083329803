/**
 * The contract of every journal, and its four errors.
 *
 * A journal stores entries, each a run of bytes with a sequence: 1, 2, 3... without a gap. It has one writer,
 * which may have as many appends in flight as the journal says. The fence: a writer that expects another
 * sequence than the journal does is not the only writer, and its append is rejected. The journal of a node in a cluster has the same
 * interface (replication/replicated-journal.ts): the log's expected sequence is its fence, the log's
 * acknowledgement comes before the local fsync, and `read` is served from the writer's own disk.
 */

/**
 * A part of a larger block, from `start` to `end`: a view of its own for each small entry would cost as much as
 * decoding it.
 */
export class Entry {
  readonly sequence: number;
  readonly block: Uint8Array;
  readonly start: number;
  readonly end: number;

  constructor(sequence: number, block: Uint8Array, start = 0, end = block.length) {
    this.sequence = sequence;
    this.block = block;
    this.start = start;
    this.end = end;
  }

  /** A view of its own. */
  get bytes(): Uint8Array {
    return this.block.subarray(this.start, this.end);
  }
}

/** Entries that have a block each, from a sequence on. */
export const numberedFrom = (sequence: number, blocks: readonly Uint8Array[]): Entry[] =>
  blocks.map((block, at) => new Entry(sequence + at, block));

export interface Journal {
  /** Sequence of the last durable entry; 0 when empty. */
  readonly lastSequence: number;

  /** How many bytes the entries of one group may have together, plus 4 for each; no limit by default. */
  readonly groupBytesMax?: number;

  /** How many appends may be in flight now; one by default. */
  readonly appendsMax?: number;

  /**
   * Appends entries expectedSequence, expectedSequence + 1, ... as ONE group, and resolves when all of them
   * and all before them are durable. After a crash a group that was not acknowledged is there completely or
   * not at all, and none is there without those before it. The entries must not change before the promise
   * settles.
   *
   * Rejects with JournalFence, and changes nothing, when expectedSequence does not follow from the last append
   * or when too many are in flight. Rejects with JournalFailure on any error; then the appends after it are
   * rejected as well, those in flight and all others. A failed fsync is never retried: the kernel may have
   * dropped the dirty pages and report the next fsync as a success.
   */
  append(entries: readonly Uint8Array[], expectedSequence: number): Promise<void>;

  /**
   * The same synchronously, if that is faster than waiting for another thread: then returns true. False if
   * nothing was done and `append` must be used. Throws what `append` rejects with.
   */
  appendNow(entries: readonly Uint8Array[], expectedSequence: number): boolean;

  /**
   * Entries from a sequence on, in order, up to the last durable one at the time of the call. A gap or damage
   * throws JournalDamaged, from the call or while iterating; everything yielded before is correct. The bytes
   * are views into larger buffers: copy what you keep.
   */
  read(fromSequence: number): IterableIterator<Entry>;

  /** Waits for the appends in flight, then releases everything. A closed journal rejects appends. */
  close(): Promise<void>;
}

/** Read-only, for another thread or process that follows the journal while its writer continues. */
export interface JournalReader {
  /** `upTo` is a sequence that the writer has reported as durable; nothing beyond it is read. */
  read(fromSequence: number, upTo: number): IterableIterator<Entry>;
  /** Closes the file it keeps open between reads. */
  close(): void;
}

/** A write or an fsync failed. Whether the appends in flight are durable is unknown. */
export class JournalFailure extends Error {
  override readonly name = 'JournalFailure';
}

/** The stored data cannot be trusted, or is missing. The journal refuses rather than guesses. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  readonly file: string;
  readonly offset: number;
  readonly reason: string;

  constructor(where: { readonly file: string; readonly offset: number }, reason: string) {
    super(`${where.file} at offset ${where.offset}: ${reason}`);
    this.file = where.file;
    this.offset = where.offset;
    this.reason = reason;
  }
}

/** The writer expected another sequence: somebody else wrote, or it did not wait for its appends. */
export class JournalFence extends Error {
  override readonly name = 'JournalFence';
}

/** Another process, or another part of this one, has the journal open for writing. */
export class JournalLocked extends Error {
  override readonly name = 'JournalLocked';

  /** `holder` is text: "process 1234 on host (dev --data ./data)". */
  constructor(path: string, holder: string) {
    super(`${path} is held by ${holder}: stop it first`);
  }
}

/** The state of a journal when an append arrives. */
export type Standing = {
  /** Of the entries handed over, durable or not. */
  readonly lastSequence: number;
  readonly expectedSequence: number;
  /** Whether as many appends are in flight as may be. */
  readonly isFull: boolean;
  readonly isClosed: boolean;
  readonly failure: JournalFailure | undefined;
};

/** Why an append is rejected, the same for all journals; undefined if it may proceed. */
export function refusalOfAppend(at: Standing): JournalFailure | JournalFence | undefined {
  if (at.isClosed) return new JournalFailure('the journal is closed');
  if (at.failure !== undefined) return at.failure;
  if (at.isFull) return new JournalFence('an append is in flight: wait for it');
  if (at.expectedSequence === at.lastSequence + 1) return undefined;
  return new JournalFence(
    `the writer expects to write sequence ${at.expectedSequence}, the journal ${at.lastSequence + 1}`,
  );
}

/** Sequences start at 1; anything else is a bug of the caller. */
export function checkFrom(fromSequence: number): void {
  if (Number.isSafeInteger(fromSequence) && fromSequence >= 1) return;
  throw new RangeError(`sequences are whole numbers from 1 on, not ${fromSequence}`);
}
