import type { Journal } from '../journal/journal.ts';
import { ENTRY_LENGTH_BYTES } from '../journal/record.ts';
import { isOrderEntry } from './codec.ts';
import type { EngineStopped } from './engine.ts';
import type { SyncTimes } from './sync-times.ts';

/** A command that is applied and not durable. */
export type Applied = {
  readonly sequence: number;
  /** Bytes for the journal. */
  readonly entry: Uint8Array;
  readonly release: () => void;
  readonly fail: (reason: Error) => void;
};

/** A view, or a request sent again, that waits for what it saw to be durable. */
type Onlooker = {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
};

export type GroupCommitParts = {
  readonly journal: Journal;
  /** Runs a function soon, after what has already arrived (setImmediate): this forms the groups. */
  readonly soon: (run: () => void) => void;
  /**
   * Everything up to here is durable: the follower may advance. The second is the last sequence so far, of this
   * run, whose command does more than place or cancel orders.
   */
  readonly onDurable: (sequence: number, namesSequence: number) => void;
  readonly syncTimes?: SyncTimes | undefined;
  /** The journal has failed; returns what those who wait are told. Called once. */
  readonly onFailure: (reason: Error) => EngineStopped;
};

/**
 * On a slow disk so many commands are not kept for what else this turn of the event loop brings: what arrives
 * together would travel together, and the disk would wait while it is read and answered.
 */
const WORTH_AN_APPEND = 16;

/**
 * Makes applied commands durable in groups, in their order, and releases their outcomes then. One append serves
 * everything that arrived while the journal had as many in flight as it takes.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts;
  #waiting: Applied[] = [];
  #onlookers: Onlooker[] = [];
  #isFlushScheduled = false;
  #inFlight = 0;
  /** Up to here the journal has been given everything. */
  #handedOver: number;
  #durable: number;
  #namesSequence = 0;
  #failure: EngineStopped | undefined;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
    this.#durable = parts.journal.lastSequence;
    this.#handedOver = this.#durable;
  }

  get durable(): number {
    return this.#durable;
  }

  /** Commands that no append has taken yet. */
  get waitingCommands(): number {
    return this.#waiting.length;
  }

  /** With the views that wait. */
  get waiting(): number {
    return this.#waiting.length + this.#onlookers.length;
  }

  add(applied: Applied): void {
    this.#waiting.push(applied);
    if (this.#waiting.length >= WORTH_AN_APPEND && this.#appendsMax() > 1) this.#flush();
    else this.#scheduleFlush();
  }

  /** `sequence` was added, so this needs no append of its own. */
  durableTo(sequence: number): Promise<void> {
    if (sequence <= this.#durable) return Promise.resolve();
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#onlookers.push({ sequence, resolve, reject });
    });
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled || !this.#mayFlush()) return;
    this.#isFlushScheduled = true;
    this.#parts.soon(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #mayFlush(): boolean {
    if (this.#waiting.length === 0) return false;
    return this.#inFlight === 0 || this.#inFlight < this.#appendsMax();
  }

  #appendsMax(): number {
    return this.#parts.journal.appendsMax ?? 1;
  }

  #flush(): void {
    if (!this.#mayFlush()) return;
    const group = this.#takeGroup();
    const entries = group.map(({ entry }) => entry);
    const { journal, syncTimes } = this.#parts;
    // From here to the append nothing may lower the journal's appendsMax: it would refuse the append.
    const expected = this.#handedOver + 1;
    this.#handedOver += group.length;
    const beganMs = syncTimes?.begin() ?? 0;
    try {
      if (journal.appendNow(entries, expected)) {
        this.#released(group, beganMs);
        return;
      }
    } catch (cause) {
      this.#failed(group, cause);
      return;
    }
    this.#inFlight++;
    journal.append(entries, expected).then(
      () => {
        this.#inFlight--;
        this.#released(group, beganMs);
      },
      (cause: unknown) => {
        this.#inFlight--;
        this.#failed(group, cause);
      },
    );
    this.#scheduleFlush();
  }

  /** Everything that waits, or as much as the journal accepts at once. */
  #takeGroup(): Applied[] {
    const all = this.#waiting;
    const most = this.#parts.journal.groupBytesMax;
    const count = most === undefined ? all.length : fitting(all, most);
    this.#waiting = count === all.length ? [] : all.slice(count);
    return count === all.length ? all : all.slice(0, count);
  }

  #released(group: readonly Applied[], beganMs: number): void {
    this.#parts.syncTimes?.end(beganMs);
    this.#durable += group.length;
    for (const { sequence, entry } of group) {
      if (!isOrderEntry(entry)) this.#namesSequence = sequence;
    }
    this.#parts.onDurable(this.#durable, this.#namesSequence);
    for (const { release } of group) release();
    if (this.#onlookers.length > 0) this.#releaseOnlookers();
    this.#flush();
  }

  #releaseOnlookers(): void {
    const all = this.#onlookers;
    this.#onlookers = all.filter(({ sequence }) => sequence > this.#durable);
    for (const { sequence, resolve } of all) if (sequence <= this.#durable) resolve();
  }

  #failed(group: readonly Applied[], cause: unknown): void {
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    this.#failure ??= this.#parts.onFailure(reason);
    for (const { fail } of [...group, ...this.#waiting]) fail(this.#failure);
    for (const { reject } of this.#onlookers) reject(this.#failure);
    this.#waiting = [];
    this.#onlookers = [];
  }
}

/** How many of the waiting entries fit into one group; at least one. */
function fitting(waiting: readonly Applied[], mostBytes: number): number {
  let bytes = 0;
  for (const [at, { entry }] of waiting.entries()) {
    bytes += ENTRY_LENGTH_BYTES + entry.length;
    if (bytes > mostBytes) return Math.max(1, at);
  }
  return waiting.length;
}
