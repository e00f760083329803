import { RULES_VERSION } from '../../src/core/snapshot.ts';
import type { State } from '../../src/core/state.ts';
import { decodeOutcome } from '../../src/domain/event-codec.ts';
import type { Outcome } from '../../src/domain/events.ts';
import { manualClock } from '../../src/engine/clock.ts';
import { decodeEntry, type JournalEntry } from '../../src/engine/codec.ts';
import { Follower } from '../../src/engine/follower.ts';
import { layoutOf } from '../../src/engine/layout.ts';
import { memoryPoison, type Poison } from '../../src/engine/poison.ts';
import { RecentOutcomes } from '../../src/engine/recent-outcomes.ts';
import { refuseAhead, replay, startingState } from '../../src/engine/recovery.ts';
import { Sequencer } from '../../src/engine/sequencer.ts';
import { FaultyFiles } from '../../src/journal/faulty-files.fixture.ts';
import type { JournalReader } from '../../src/journal/journal.ts';
import { openSegmentReader } from '../../src/journal/segment-reader.ts';
import { openSegments, type Segments } from '../../src/journal/segments.ts';
import { newestSnapshot, pruneSnapshots, writeSnapshot } from '../../src/journal/snapshots.ts';
import type { SyncPace } from '../../src/journal/sync-pace.ts';

const STAMP = 'simulation';
const SEGMENT_BYTES = 32 * 1024;
const SNAPSHOT_EVERY = 150;
const SNAPSHOTS_KEPT = 2;
const APPENDS_MAX = 3;
const paths = layoutOf('venue');

/** What lives between two crashes: the writer, and the follower, which is driven by calls. */
export type Life = {
  readonly state: State;
  readonly sequencer: Sequencer;
  readonly journal: Segments;
  readonly eventLog: Segments;
  readonly journalReader: JournalReader;
  readonly follower: Follower;
  readonly followerState: State;
  /** Why it cannot continue; undefined while it can. */
  failure: Error | undefined;
};

/**
 * The real engine over the real segment journal, on a disk in memory that loses power: start.ts with the
 * follower's thread replaced by a call. The clock is advanced by the test and survives crashes.
 */
export class DiskVenue {
  readonly files: FaultyFiles;
  readonly clock: ReturnType<typeof manualClock>;
  readonly #poison: Poison = memoryPoison();
  /**
   * A third of the venues wait for their disk on the writer's thread, a third on another one, and a third on one
   * that is slow, with several groups in flight.
   */
  readonly #pace: SyncPace;

  constructor(seed: number, startMs: number) {
    const slowSyncs = seed % 3 === 2;
    this.files = new FaultyFiles({ seed, slowSyncs });
    this.clock = manualClock(startMs);
    this.#pace = {
      isOnThread: () => seed % 3 === 0,
      appendsMax: () => (slowSyncs ? APPENDS_MAX : 1),
      overlapped: () => undefined,
      took: () => undefined,
    };
  }

  /** Start-up is recovery: the newest valid snapshot, then replay with digests checked. */
  async start(): Promise<Life> {
    const { files } = this;
    const options = { stamp: STAMP, segmentBytes: SEGMENT_BYTES, files, pace: this.#pace };
    const journal = await openSegments({ ...options, directory: paths.journal });
    const found = newestSnapshot(paths.snapshots, { stamps: [STAMP], files });
    refuseAhead('a snapshot', found.sequence, journal.lastSequence);
    const state = startingState(found);
    replay(state, journal.read(found.sequence + 1));

    const eventLog = await openSegments({ ...options, directory: paths.events });
    refuseAhead('the event log', eventLog.lastSequence, journal.lastSequence);
    const followed = newestSnapshot(paths.snapshots, {
      stamps: [STAMP],
      atMost: eventLog.lastSequence,
      files,
    });
    const followerState = startingState(followed);
    const journalReader = openSegmentReader({ directory: paths.journal, files });
    const follower = new Follower({
      state: followerState,
      journal: openSegmentReader({ directory: paths.journal, files }),
      eventLog,
      snapshotEvery: SNAPSHOT_EVERY,
      saveSnapshot: async (sequence, bytes) => {
        await writeSnapshot(paths.snapshots, sequence, bytes, { stamp: STAMP, files });
        await pruneSnapshots(paths.snapshots, SNAPSHOTS_KEPT, { files });
      },
    });
    const recent = new RecentOutcomes({
      nextSequence: journal.lastSequence + 1,
      readOlder: async (sequence) => {
        await follower.follow(journal.lastSequence);
        for (const { bytes } of eventLog.read(sequence)) return bytes.slice();
        throw new Error(`outcome ${sequence} is in no log`);
      },
    });
    let fail: (reason: Error) => void = () => undefined;
    // Small groups, so that a batch of commands makes several.
    const groups = this.#pace.appendsMax() === 1 ? {} : { groupBytesMax: 500 };
    const sequencer = new Sequencer({
      state,
      journal: Object.assign(journal, groups),
      clock: this.clock,
      recent,
      poison: this.#poison,
      soon: queueMicrotask,
      onDurable: () => undefined,
      onFailure: (reason) => fail(reason),
    });
    const life: Life = {
      state,
      sequencer,
      journal,
      eventLog,
      journalReader,
      follower,
      followerState,
      failure: undefined,
    };
    fail = (reason) => {
      life.failure ??= reason;
    };
    return life;
  }

  /** Everything durable since a sequence, from the journal and from the event log. */
  async follow(life: Life, afterSequence: number): Promise<Followed[]> {
    const upTo = life.sequencer.releasedSequence;
    await life.follower.follow(upTo);
    const followed: Followed[] = [];
    const outcomes = life.eventLog.read(afterSequence + 1);
    for (const journaled of life.journalReader.read(afterSequence + 1, upTo)) {
      const { sequence } = journaled;
      const entry = decodeEntry(journaled, RULES_VERSION);
      const stored = outcomes.next().value;
      if (stored === undefined) throw new Error(`outcome ${sequence} is not in the event log`);
      followed.push({ entry, outcome: decodeOutcome(sequence, stored.bytes) });
    }
    return followed;
  }

  /** Power is lost and comes back; a venue is dead until it is restarted. */
  crash(): void {
    this.files.crash();
  }
}

export type Followed = { readonly entry: JournalEntry; readonly outcome: Outcome };
