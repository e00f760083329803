import { randomBytes } from 'node:crypto';
import { type Entry, type Journal, JournalFailure, refusalOfAppend } from '../journal/journal.ts';
import { appendWithRetry, type RetryParts } from './append-with-retry.ts';
import type { ReplicatedLog } from './log.ts';
import type { LogCursor } from './log-cursor.ts';
import { encodeMessage, MESSAGE_HEAD_BYTES, type MessageKind } from './message.ts';

export type ReplicatedParts = {
  readonly log: ReplicatedLog;
  /** The node's own journal: it follows the log and serves reads. */
  readonly local: Journal;
  /** At the log's end, which is this writer's own takeover. */
  readonly cursor: LogCursor;
  readonly pause: () => Promise<void>;
  readonly clocks: LeaseClocks;
  /** Another node has taken over: this one must end, its state is ahead of the log. */
  readonly onFenced: (reason: Error) => void;
  readonly onTrouble?: (words: string) => void;
};

/** Both clocks of a machine: one is monotonic, the other keeps running while the machine is suspended. */
export type LeaseClocks = { monotonicMs(): number; wallMs(): number };

/** Another node leads. What waited was not stored by this one; its state must be discarded. */
export class Fenced extends JournalFailure {
  /** The error keeps the name of a failed journal: only the start of the program checks this flag. */
  readonly isFenced = true;
}

/** How many attempts a closing journal still makes. */
const ATTEMPTS_WHEN_CLOSING = 20;

/**
 * The journal of a leader: a group is one message of the replicated log, appended directly after the last
 * one, and then a group of the local journal. Remote first: whatever the local journal has, the log had.
 *
 * While the log is unreachable an append keeps waiting, with one message in flight, and resolves when the log
 * is back; the sequencer bounds what may wait meanwhile. Only a node that stops gives up.
 */
export class ReplicatedJournal implements Journal {
  readonly #parts: ReplicatedParts;
  readonly #retry: RetryParts;
  #inFlight: Promise<void> | undefined;
  /** A mark in flight; never rejects. */
  #marking: Promise<void> | undefined;
  #failure: JournalFailure | undefined;
  #isClosed = false;
  #attemptsLeft = ATTEMPTS_WHEN_CLOSING;
  #giveUpAtMs = Number.POSITIVE_INFINITY;
  #isInDoubt = false;
  #isHandedOver = false;
  /** When the newest stored message was first sent; undefined before the first. */
  #proven: { readonly monotonicMs: number; readonly wallMs: number } | undefined;

  constructor(parts: ReplicatedParts) {
    this.#parts = parts;
    this.#retry = {
      log: parts.log,
      pause: parts.pause,
      isGivenUp: () => this.#isGivenUp(),
      onDoubt: (reason) => this.#doubted(reason),
    };
  }

  get lastSequence(): number {
    return this.#parts.local.lastSequence;
  }

  get groupBytesMax(): number {
    return this.#parts.log.messageBytesMax - MESSAGE_HEAD_BYTES;
  }

  /** The place of the newest stored message. */
  get place(): number {
    return this.#parts.cursor.place;
  }

  /** How long ago it was last proven that this node leads; the larger value of both clocks. */
  get provenAgeMs(): number {
    const proven = this.#proven;
    if (this.#isHandedOver || proven === undefined) return Number.POSITIVE_INFINITY;
    const { monotonicMs, wallMs } = this.#now();
    return Math.max(monotonicMs - proven.monotonicMs, wallMs - proven.wallMs);
  }

  /** The writer id of this leader's takeover. */
  get writer(): string {
    return this.#parts.cursor.leader?.writer ?? '';
  }

  /** The place of this leader's takeover. */
  get term(): number {
    return this.#parts.cursor.term;
  }

  /** Whether the log has not answered the message in flight yet. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  append(entries: readonly Uint8Array[], expectedSequence: number): Promise<void> {
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (entries.length === 0) return Promise.resolve();
    const bytes = this.#encode('group', entries);
    if (bytes.length > this.#parts.log.messageBytesMax) {
      return Promise.reject(
        new RangeError(`a group of ${bytes.length} bytes is too large for the log`),
      );
    }
    this.#inFlight = this.#appendBoth(bytes, entries, expectedSequence);
    return this.#inFlight;
  }

  /** The log is on other machines: an append never completes synchronously. */
  appendNow(): boolean {
    return false;
  }

  read(fromSequence: number): IterableIterator<Entry> {
    return this.#parts.local.read(fromSequence);
  }

  /** Proves that this node leads, by an append of any kind. Rejects if it no longer does. */
  async prove(): Promise<void> {
    if (this.#isHandedOver) throw new JournalFailure('this node has handed over');
    if (this.#inFlight !== undefined) await this.#inFlight;
    else await this.#mark('lease');
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * The node is stopping: appends that the log has not answered by then fail with their outcome unknown.
   * Otherwise a node whose log is unreachable would never end.
   */
  giveUpAfter(delayMs: number): void {
    this.#giveUpAtMs = Math.min(this.#giveUpAtMs, this.#now().monotonicMs + delayMs);
  }

  /**
   * The last message of this writer: a node that reads it may take over at once. With a layout, only programs
   * with another layout may, and those with this one end there.
   */
  async handOver(gate?: { readonly layout: string }): Promise<void> {
    this.#isHandedOver = true;
    await this.#inFlight;
    await this.#marking;
    await this.#mark(gate === undefined ? 'hand-over' : 'gate', gate);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#inFlight?.catch(() => undefined);
    await this.#marking;
    await this.#parts.local.close();
  }

  #isGivenUp(): boolean {
    if (this.#now().monotonicMs >= this.#giveUpAtMs) return true;
    return this.#isClosed && this.#attemptsLeft-- <= 0;
  }

  #refusalOf(expectedSequence: number): Error | undefined {
    return refusalOfAppend({
      lastSequence: this.lastSequence,
      expectedSequence,
      isFull: this.#inFlight !== undefined,
      isClosed: this.#isClosed,
      failure: this.#failure,
    });
  }

  async #appendBoth(
    bytes: Uint8Array,
    entries: readonly Uint8Array[],
    expectedSequence: number,
  ): Promise<void> {
    try {
      await this.#marking;
      if (this.#failure !== undefined) throw this.#failure;
      await this.#store(bytes);
      const { local } = this.#parts;
      if (!local.appendNow(entries, expectedSequence))
        await local.append(entries, expectedSequence);
    } catch (cause) {
      throw this.#failed(cause);
    } finally {
      this.#inFlight = undefined;
    }
  }

  /** One mark serves all concurrent callers. */
  #mark(kind: MessageKind, more: { readonly layout?: string } = {}): Promise<void> {
    this.#marking ??= this.#store(this.#encode(kind, [], more))
      .catch((cause: unknown) => void this.#failed(cause))
      .finally(() => {
        this.#marking = undefined;
      });
    return this.#marking;
  }

  async #store(bytes: Uint8Array): Promise<void> {
    const { cursor } = this.#parts;
    const sent = this.#now();
    const place = cursor.place + 1;
    const outcome = await appendWithRetry(this.#retry, bytes, cursor.place);
    if (outcome === 'fenced') {
      throw new Fenced(
        `another node has taken over: message ${place} of the log is not this node's`,
      );
    }
    if (outcome === 'given up') {
      throw new JournalFailure(`message ${place} of the log has no answer: outcome unknown`);
    }
    cursor.accept({ place, timeMs: 0, bytes });
    this.#proven = sent;
    if (this.#isInDoubt) this.#parts.onTrouble?.('the log answers again');
    this.#isInDoubt = false;
  }

  #now(): { readonly monotonicMs: number; readonly wallMs: number } {
    const { clocks } = this.#parts;
    return { monotonicMs: clocks.monotonicMs(), wallMs: clocks.wallMs() };
  }

  #encode(
    kind: MessageKind,
    entries: readonly Uint8Array[],
    more: { readonly layout?: string } = {},
  ): Uint8Array {
    const { cursor } = this.#parts;
    const { node, writer } = cursor.leader ?? { node: '', writer: '' };
    const { nextSequence: firstSequence } = cursor;
    return encodeMessage({ kind, node, writer, firstSequence, entries, ...more });
  }

  #doubted(reason: string): void {
    if (this.#isInDoubt) return;
    this.#isInDoubt = true;
    this.#parts.onTrouble?.(
      `the log does not acknowledge (${reason}); nothing is lost, and nothing is answered until it does`,
    );
  }

  #failed(cause: unknown): JournalFailure {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure =
      cause instanceof JournalFailure
        ? cause
        : new JournalFailure(`the append failed: outcome unknown`, { cause });
    if (this.#failure instanceof Fenced) this.#parts.onFenced(this.#failure);
    return this.#failure;
  }
}

/**
 * Appends a takeover directly after the cursor. Returns whether it is stored there: then the cursor has
 * passed it, and this node leads. Otherwise another node has appended, and there is more to read.
 */
export async function takeOver(
  retry: RetryParts,
  cursor: LogCursor,
  node: string,
): Promise<boolean> {
  const writer = randomBytes(16).toString('hex');
  const bytes = encodeMessage({
    kind: 'takeover',
    node,
    writer,
    firstSequence: cursor.nextSequence,
    entries: [],
  });
  const place = cursor.place + 1;
  const outcome = await appendWithRetry(retry, bytes, cursor.place);
  if (outcome === 'stored') cursor.accept({ place, timeMs: 0, bytes });
  return outcome === 'stored';
}
