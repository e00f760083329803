import type { State } from '../core/state.ts';
import { type Journal, numberedFrom } from '../journal/journal.ts';
import type { Segments } from '../journal/segments.ts';
import type { LogMessage, ReplicatedLog } from '../replication/log.ts';
import {
  type CursorStart,
  findPlace,
  type Leader,
  type LogCursor,
} from '../replication/log-cursor.ts';
import type { Message } from '../replication/message.ts';
import { GateWatch } from './gate.ts';
import { isEntryOf } from './join-snapshot.ts';
import { type EntryHandler, replay } from './recovery.ts';

export type LogFollowerParts = {
  readonly log: ReplicatedLog;
  readonly local: Journal;
  /** The local journal is empty and begins after a snapshot. */
  readonly isBare?: boolean;
  /** At the end of the local journal. */
  readonly state: State;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /**
   * Everything up to here is in the local journal and in the state; in a replica it may not be on disk yet.
   */
  readonly onStored: (sequence: number) => void;
  /**
   * For a node that never leads: what is in the log counts at once, and the local journal is written
   * afterwards.
   */
  readonly replica?: ReplicaParts;
};

export type ReplicaParts = {
  /** Called with each entry of the log, before it is applied. */
  readonly onBytes: (entry: Uint8Array) => void;
  readonly onEntry: EntryHandler;
  /** A message was applied: says who leads now, and how far the state is. */
  readonly onMessage: (follower: LogFollower) => void;
  /** Resolves when there is room for more outcomes; undefined if there is. */
  readonly room: () => Promise<void> | undefined;
  /** Entries are applied and stored as they arrive unless set. */
  readonly lag?: LagParts;
};

/**
 * Entries that nobody waits for are applied and stored in batches, at a fraction of the cost: between two
 * messages the processor's caches lose the program and the state.
 */
export type LagParts = {
  /** Whether only a view shows what an entry did. */
  readonly mayWait: (entry: Uint8Array) => boolean;
  /** Somebody waits for the copy, or listens to the stream that is made from it. */
  readonly isAwaited: () => boolean;
  readonly after: (delayMs: number, run: () => void) => () => void;
};

/** The most bytes of entries that wait for the local disk; the reader pauses when there are more. */
const AHEAD_BYTES_MAX = 4 * 1_024 * 1_024;
/** How long, and by how many entries, a copy may lag: a few milliseconds of work at most. */
const LAG_MS = 250;
const LAG_ENTRIES = 1_000;
const LAG_BYTES = 1_024 * 1_024;

/**
 * How a standby follows the log: each message is checked, its entries go to the local journal and then
 * through the same core as the leader's, which checks every digest. What arrives while the disk is busy goes
 * into the next group. A gateway does the same, but applies first.
 */
export class LogFollower {
  readonly #parts: LogFollowerParts;
  readonly #cursor: LogCursor;
  readonly #gates: GateWatch;
  #isAtEnd = false;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #storing: Promise<void> | undefined;
  /** Read but not applied. */
  #lagging: Uint8Array[] = [];
  #laggingBytes = 0;
  #stopLag: (() => void) | undefined;
  readonly #broken = Promise.withResolvers<never>();
  #failure: { readonly cause: unknown } | undefined;
  #leaderSeenMs: number;
  #isEnded = false;

  private constructor(parts: LogFollowerParts, cursor: LogCursor) {
    this.#parts = parts;
    this.#cursor = cursor;
    this.#gates = new GateWatch(parts.local.lastSequence);
    this.#leaderSeenMs = parts.nowMs();
    // The reader reports the failure as well.
    this.#broken.promise.catch(() => undefined);
  }

  /** Finds the node's place in the log and follows to the end that the log had at the call. */
  static async open(parts: LogFollowerParts): Promise<LogFollower> {
    const { log, local } = parts;
    const { lastSequence } = local;
    const isLast = (entry: Uint8Array): boolean => isLastOf(parts, entry);
    const { cursor, rest } = await findPlace(log, { lastSequence, isLast });
    const follower = new LogFollower(parts, cursor);
    for (const entry of rest) parts.replica?.onBytes(entry);
    follower.#take(rest);
    const { lastPlace } = await log.end();
    await log.read(
      cursor.place + 1,
      (message) => follower.#accept(message),
      () => cursor.place >= lastPlace,
    );
    await follower.stored();
    follower.#gates.check();
    follower.#isAtEnd = true;
    follower.#leaderSeenMs = parts.nowMs();
    return follower;
  }

  /** Runs until `end` is called; rejects with what is wrong with the log or this node. */
  follow(): Promise<void> {
    const isEnough = (): boolean => this.#isEnded;
    const read = this.#parts.log.read(
      this.#cursor.place + 1,
      (message) => this.#accept(message),
      isEnough,
    );
    return Promise.race([read, this.#broken.promise]);
  }

  /** For a copy that lags: applies what was read. `follow` reports a failure. */
  catchUp(): void {
    if (this.#lagging.length === 0 || this.#failure !== undefined) return;
    try {
      this.#takeLagging();
      this.#parts.replica?.onMessage(this);
    } catch (cause) {
      this.#failure = { cause };
      this.#broken.reject(cause as Error);
    }
  }

  /** From now on messages are ignored: this node writes them, or ends. */
  end(): void {
    this.#isEnded = true;
  }

  /** Its position, for a writer that continues from there. */
  position(): CursorStart {
    const { place, nextSequence, leader, term } = this.#cursor;
    return { place, nextSequence, leader, term };
  }

  /** The place of the newest takeover that was read; 0 before the first. */
  get term(): number {
    return this.#cursor.term;
  }

  /** How many takeovers were read. */
  get takeovers(): number {
    return this.#cursor.takeovers;
  }

  get place(): number {
    return this.#cursor.place;
  }

  get leader(): Leader | undefined {
    return this.#cursor.leader;
  }

  get isHandedOver(): boolean {
    return this.#cursor.isHandedOver;
  }

  /** The log is closed for this program: it must no longer lead. */
  get isAtGate(): boolean {
    return this.#gates.isReached;
  }

  /** How long nothing was received from a leader. */
  get silentMs(): number {
    return this.#parts.nowMs() - this.#leaderSeenMs;
  }

  /** A sign of life that is not in the log. */
  leaderSeen(): void {
    this.#leaderSeenMs = this.#parts.nowMs();
  }

  /** Resolves when everything that was read is in the journal and in the state. */
  async stored(): Promise<void> {
    this.catchUp();
    while (this.#storing !== undefined) await this.#storing;
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  #accept(message: LogMessage): void | Promise<void> {
    if (this.#isEnded) return;
    if (this.#failure !== undefined) throw this.#failure.cause;
    const accepted = this.#cursor.accept(message);
    this.#gates.pass(accepted);
    this.#leaderSeenMs = this.#parts.nowMs();
    const { replica } = this.#parts;
    if (replica !== undefined) for (const entry of accepted.entries) replica.onBytes(entry);
    if (this.#mayLag(accepted)) {
      this.#lag(accepted.entries);
      return;
    }
    this.#takeLagging();
    this.#take(accepted.entries);
    replica?.onMessage(this);
    // What arrives while the node runs is the newest there is.
    if (this.#isAtEnd) this.#gates.check();
    const room = replica?.room();
    if (room !== undefined || this.#waitingBytes > AHEAD_BYTES_MAX) return this.#waitForRoom(room);
  }

  async #waitForRoom(room: Promise<void> | undefined): Promise<void> {
    await room;
    if (this.#waitingBytes > AHEAD_BYTES_MAX) await this.#storing;
  }

  /** A mark may never lag: it decides who leads, with everything before it applied. */
  #mayLag({ kind, entries }: Message): boolean {
    const lag = this.#parts.replica?.lag;
    if (lag === undefined || !this.#isAtEnd || kind !== 'group' || lag.isAwaited()) return false;
    if (this.#lagging.length >= LAG_ENTRIES || this.#laggingBytes >= LAG_BYTES) return false;
    return entries.every(lag.mayWait);
  }

  #lag(entries: readonly Uint8Array[]): void {
    for (const entry of entries) {
      this.#lagging.push(entry);
      this.#laggingBytes += entry.length;
    }
    this.#stopLag ??= this.#parts.replica?.lag?.after(LAG_MS, () => {
      this.#stopLag = undefined;
      this.catchUp();
    });
  }

  #takeLagging(): void {
    this.#stopLag?.();
    this.#stopLag = undefined;
    const entries = this.#lagging;
    if (entries.length === 0) return;
    this.#lagging = [];
    this.#laggingBytes = 0;
    this.#take(entries);
  }

  #take(entries: readonly Uint8Array[]): void {
    const { replica, state } = this.#parts;
    if (replica !== undefined) {
      replay(state, numberedFrom(state.sequence + 1, entries), replica.onEntry);
    }
    for (const entry of entries) {
      this.#waiting.push(entry);
      this.#waitingBytes += entry.length;
    }
    this.#storeWaiting();
  }

  /** One group at a time. A failure is reported to whoever reads or waits. */
  #storeWaiting(): void {
    if (this.#storing !== undefined || this.#failure !== undefined) return;
    if (this.#waiting.length === 0) return;
    this.#storing = this.#storeGroup()
      .catch((cause: unknown) => {
        this.#failure = { cause };
      })
      .then(() => {
        this.#storing = undefined;
        this.#storeWaiting();
      });
  }

  async #storeGroup(): Promise<void> {
    const { local, state, onStored, replica } = this.#parts;
    const entries = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const from = local.lastSequence + 1;
    if (!local.appendNow(entries, from)) await local.append(entries, from);
    if (replica === undefined) replay(state, numberedFrom(from, entries));
    onStored(local.lastSequence);
  }
}

/** Whether a journal was opened after a snapshot and has no entry yet. */
export const isBare = ({ opened }: Pick<Segments, 'opened'>): boolean =>
  opened.segments === 0 && opened.lastSequence > 0;

/**
 * For a journal that begins after a snapshot and has no entry yet, the state's digest takes the entry's
 * place.
 */
function isLastOf({ local, state, isBare = false }: LogFollowerParts, entry: Uint8Array): boolean {
  return isBare ? isEntryOf(state, entry) : isLastEntry(local, entry);
}

/** Whether this is the last entry of a journal. */
export function isLastEntry(journal: Journal, entry: Uint8Array): boolean {
  const mine = journal.read(journal.lastSequence).next().value?.bytes;
  return mine !== undefined && Buffer.compare(entry, mine) === 0;
}
