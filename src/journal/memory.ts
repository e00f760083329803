/**
 * A journal in memory, for tests, simulation and venues without storage.
 *
 * It keeps the whole contract except durability. With `isManual` the simulator decides when an append becomes
 * durable, so it can try every order of "durable" and "crashed".
 */
import { checkFrom, Entry, type Journal, JournalFailure, refusalOfAppend } from './journal.ts';

export type MemoryOptions = {
  /** Holds the entries: pass the same array to a second journal to reopen it. */
  readonly stored?: Uint8Array[];
  /** Appends wait for `settle` or `fail`. */
  readonly isManual?: boolean;
  /** How many may be in flight; one by default. */
  readonly appendsMax?: number;
};

export function openMemory(options: MemoryOptions = {}): MemoryJournal {
  return new MemoryJournal(options);
}

type Waiting = {
  readonly entries: readonly Uint8Array[];
  readonly resolve: () => void;
  readonly reject: (failure: JournalFailure) => void;
};

class MemoryJournal implements Journal {
  readonly appendsMax: number;
  readonly #stored: Uint8Array[];
  readonly #isManual: boolean;
  /** In flight, the oldest first. */
  readonly #waiting: Waiting[] = [];
  #newest: Promise<void> = Promise.resolve();
  #failure: JournalFailure | undefined;
  #isClosed = false;
  #lastSequence: number;

  constructor(options: MemoryOptions) {
    this.appendsMax = options.appendsMax ?? 1;
    this.#stored = options.stored ?? [];
    this.#isManual = options.isManual ?? false;
    this.#lastSequence = this.#stored.length;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Entries of the oldest append that is not durable yet; 0 if there is none. */
  get waitingEntries(): number {
    return this.#waiting[0]?.entries.length ?? 0;
  }

  get appendsInFlight(): number {
    return this.#waiting.length;
  }

  append(entries: readonly Uint8Array[], expectedSequence: number): Promise<void> {
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (entries.length === 0) return Promise.resolve();
    this.#newest = new Promise((resolve, reject) => {
      // Copied, because a disk would have copied them: writers reuse their buffers.
      this.#waiting.push({ entries: entries.map((entry) => entry.slice()), resolve, reject });
    });
    if (!this.#isManual) queueMicrotask(() => this.settle());
    return this.#newest;
  }

  appendNow(entries: readonly Uint8Array[], expectedSequence: number): boolean {
    if (this.#isManual || entries.length === 0 || this.#waiting.length > 0) return false;
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) throw refusal;
    this.#store(entries.map((entry) => entry.slice()));
    this.#lastSequence += entries.length;
    return true;
  }

  read(fromSequence: number): IterableIterator<Entry> {
    checkFrom(fromSequence);
    return this.#entries(fromSequence, this.lastSequence);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#newest.catch(() => undefined);
  }

  /** The oldest append in flight becomes durable. */
  settle(): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#store(waiting.entries);
    this.#lastSequence += waiting.entries.length;
    waiting.resolve();
  }

  /** Every append in flight fails; the simulator decides whether they are stored all the same. */
  fail(cause: unknown, options: { readonly isStored?: boolean } = {}): void {
    this.#failure = new JournalFailure('the append failed: outcome unknown', { cause });
    for (const { entries, reject } of this.#waiting.splice(0)) {
      if (options.isStored === true) this.#store(entries);
      reject(this.#failure);
    }
  }

  *#entries(fromSequence: number, upTo: number): IterableIterator<Entry> {
    for (let sequence = fromSequence; sequence <= upTo; sequence++) {
      yield new Entry(sequence, this.#stored[sequence - 1] as Uint8Array);
    }
  }

  #refusalOf(expectedSequence: number): Error | undefined {
    return refusalOfAppend({
      lastSequence: this.#waiting.reduce(
        (last, { entries }) => last + entries.length,
        this.lastSequence,
      ),
      expectedSequence,
      isFull: this.#waiting.length >= this.appendsMax,
      isClosed: this.#isClosed,
      failure: this.#failure,
    });
  }

  #store(entries: readonly Uint8Array[]): void {
    for (const entry of entries) this.#stored.push(entry);
  }
}
