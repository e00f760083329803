import { ByteWriter } from '../bytes/pack.ts';
import { audit } from '../core/audit/audit.ts';
import { snapshotOf } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import { assert } from '../domain/assert.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import type { Journal, JournalReader } from '../journal/journal.ts';
import { pooled } from './codec.ts';
import { replay } from './recovery.ts';

export type FollowerParts = {
  /** Its own copy, at or before the end of the event log. */
  readonly state: State;
  readonly journal: JournalReader;
  /** Encoded outcomes by sequence: a journal of events. */
  readonly eventLog: Journal;
  readonly saveSnapshot: (sequence: number, bytes: Uint8Array) => Promise<void>;
  readonly snapshotEvery: number;
  /** Also after this many bytes of the journal, whichever comes first. */
  readonly snapshotEveryBytes?: number | undefined;
  /**
   * A monotonic clock; if given, a snapshot is also due once replaying what came since the last one has taken
   * long: commands differ a hundredfold in cost, and a restart, or a new copy on a thread, waits for the replay.
   */
  readonly monotonicMs?: (() => number) | undefined;
  /** Called with a problem that does not stop the venue. */
  readonly onTrouble?: (words: string) => void;
  /** Called after each entry: the thread may let others have its core for a moment. */
  readonly rest?: (() => void) | undefined;
};

/** How many entries are replayed before the event log is fsynced and progress is reported. */
const GROUP = 4096;
/** A snapshot that could not be written is retried after this fraction of the usual interval. */
const RETRY_PART = 20;
/** With a clock: a snapshot after this much replay, or this many times what the last snapshot took. */
const REPLAY = { leastMs: 500, timesSaving: 20 };

/**
 * Tails the journal with the same core: checks every digest, writes the event log that history, stream and
 * repeated requests read, and takes snapshots, so that the writer never copies its state.
 *
 * A mismatch stops the venue: an entry that replays differently, or an audit that fails. A snapshot that
 * cannot be written (a full disk, no descriptor) does not: recovery would only replay more. It is retried
 * later.
 */
export class Follower {
  readonly #parts: FollowerParts;
  #snapshotAt: number;
  #nextSnapshotAt: number;
  #auditedAt = -1;
  #bytesSince = 0;
  #replayMsSince = 0;
  /** What the last snapshot took. */
  #savingMs = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#snapshotAt = parts.state.sequence;
    this.#nextSnapshotAt = this.#snapshotAt + parts.snapshotEvery;
  }

  get sequence(): number {
    return this.#parts.state.sequence;
  }

  /** Replays what is durable, in groups; returns the sequence it has reached. */
  async follow(upTo: number, onStored?: (sequence: number) => void): Promise<number> {
    const { state, eventLog } = this.#parts;
    while (state.sequence < upTo) {
      await this.#storeGroup(Math.min(upTo, state.sequence + GROUP));
      onStored?.(eventLog.lastSequence);
      if (this.#isDue()) await this.snapshot();
    }
    return state.sequence;
  }

  /**
   * Checks every invariant, unless nothing has changed since the last check; returns whether it did. A fault
   * stops the venue.
   */
  audit(): boolean {
    const { state } = this.#parts;
    if (state.sequence === this.#auditedAt) return false;
    const { faults } = audit(state);
    assert(faults.length === 0, `the audit at ${state.sequence} finds nothing (${faults[0]})`);
    this.#auditedAt = state.sequence;
    return true;
  }

  /**
   * Audits, then saves. Only at a sequence that the event log has stored: recovery may start at a snapshot,
   * and the outcomes before it must be in the log.
   */
  async snapshot(): Promise<void> {
    const { state, eventLog, snapshotEvery, saveSnapshot, onTrouble } = this.#parts;
    if (state.sequence === this.#snapshotAt || state.sequence !== eventLog.lastSequence) return;
    const beganMs = this.#nowMs();
    // Even if it fails: the next attempt waits as long.
    this.#replayMsSince = 0;
    this.audit();
    const { sequence } = state;
    try {
      await saveSnapshot(sequence, snapshotOf(state));
      this.#savingMs = this.#nowMs() - beganMs;
      this.#snapshotAt = sequence;
      this.#nextSnapshotAt = sequence + snapshotEvery;
      this.#bytesSince = 0;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      onTrouble?.(`the snapshot at ${sequence} could not be written: ${reason}`);
      this.#nextSnapshotAt = sequence + Math.ceil(snapshotEvery / RETRY_PART);
    }
  }

  #isDue(): boolean {
    const { state, snapshotEveryBytes = Number.POSITIVE_INFINITY } = this.#parts;
    return (
      state.sequence >= this.#nextSnapshotAt ||
      this.#bytesSince >= snapshotEveryBytes ||
      this.#replayMsSince >= Math.max(REPLAY.leastMs, REPLAY.timesSaving * this.#savingMs)
    );
  }

  /** Without a clock no time passes. */
  #nowMs(): number {
    return this.#parts.monotonicMs?.() ?? 0;
  }

  async #storeGroup(upTo: number): Promise<void> {
    const { state, journal, eventLog, rest } = this.#parts;
    const outcomes: Uint8Array[] = [];
    const writer = new ByteWriter();
    const stored = eventLog.lastSequence;
    let failure: { readonly cause: unknown } | undefined;
    const beganMs = this.#nowMs();
    try {
      const entries = journal.read(state.sequence + 1, upTo);
      this.#bytesSince += replay(state, entries, (sequence, timeMs, events) => {
        rest?.();
        if (sequence <= stored) return;
        writer.clear();
        encodeOutcome(writer, timeMs, events);
        outcomes.push(pooled(writer.view()));
      });
    } catch (cause) {
      failure = { cause };
    }
    this.#replayMsSince += this.#nowMs() - beganMs;
    // Even if reading failed on the way: the state has passed these entries and will not see them again.
    if (outcomes.length > 0) await eventLog.append(outcomes, stored + 1);
    if (failure !== undefined) throw failure.cause;
    assert(state.sequence === upTo, 'the journal reads back what it called durable');
  }
}
