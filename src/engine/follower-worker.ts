import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { isDiskTrouble, isOutOfDescriptors } from '../journal/files.ts';
import { JournalFailure } from '../journal/journal.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { openSegments } from '../journal/segments.ts';
import { newestSnapshot, pruneSnapshots, writeSnapshot } from '../journal/snapshots.ts';
import { Breaks } from './breaks.ts';
import { advance, beyond, type Cursors, cursorAt, gather, isStopRequested } from './cursors.ts';
import { withAdvice } from './event-log.ts';
import { Follower, type FollowerParts } from './follower.ts';
import { layoutOf } from './layout.ts';
import { refuseAhead, startingState } from './recovery.ts';
import { Retainer, type Retention, type RetentionStatus, SNAPSHOTS_KEPT } from './retention.ts';
import { stampOf } from './stamp.ts';

/** The follower's thread: opens its own view of the files and runs until it is asked to stop. */
export type FollowerWork = {
  readonly directory: string;
  readonly venueId: string;
  readonly cursors: Cursors;
  readonly snapshotEvery: number;
  readonly snapshotEveryBytes: number | undefined;
  /** Snapshots are also taken by what replay costs: nobody has set an interval. */
  readonly isTimed: boolean;
  /** The event log begins after a snapshot. */
  readonly beginsAfter: number | undefined;
  readonly segmentBytes: number | undefined;
  /** The longest batching interval; default GATHERING.mostMs. */
  readonly gatherMostMs: number | undefined;
  /**
   * This process wrote the journal from a log that it checked: chain hashes are not computed a second time.
   */
  readonly isCopy: boolean;
  /** Nothing is archived or deleted unless set. */
  readonly retention: Retention | undefined;
  readonly retainEveryMs: number | undefined;
};

/** Up to where the event log is stored, problems that did not end the thread, and what was retired. */
export type FollowerMessage =
  | number
  | { readonly trouble: string }
  | { readonly audited: number }
  | { readonly retention: RetentionStatus };

/**
 * What comes after a quiet moment is followed at once. Under load the follower batches groups, so that the
 * event log and history do not fsync after every group of the journal and compete with it for the disk. A
 * waiting history read ends the batching.
 */
const GATHERING = { leastMs: 5, mostMs: 50 };
/** How long it waits after a disk failure. */
const RECOVERING_MS = 1_000;
/** When it first audits after its start, how often at most, and what share of its time that may take. */
const AUDITING = { firstMs: 1_000, everyMs: 10_000, part: 0.01 };
/** How often it checks whether segments may be retired, and retries what failed. */
const RETAIN_EVERY_MS = 60_000;

/**
 * Trading does not need the event log: outcomes that are not stored yet are kept in memory, up to a bound. So
 * a log that cannot be written is reopened, from its last snapshot on, until it can be.
 */
async function run(work: FollowerWork): Promise<void> {
  const { cursors } = work;
  for (;;) {
    try {
      await followUntilStopped(work);
      return;
    } catch (cause) {
      if (!(cause instanceof JournalFailure || isDiskTrouble(cause))) throw cause;
      reportTrouble(`the event log cannot be written, history waits: ${reasonOf(cause)}`);
      if (isStopRequested(cursors)) return;
      await setTimeout(RECOVERING_MS);
    }
  }
}

async function followUntilStopped(work: FollowerWork): Promise<void> {
  const { cursors, gatherMostMs = GATHERING.mostMs } = work;
  const breaks = new Breaks();
  const paths = layoutOf(work.directory);
  const eventLog = await openSegments({
    directory: paths.events,
    stamp: work.venueId,
    beginsAfter: work.beginsAfter,
    onTrouble: reportTrouble,
    ...(work.segmentBytes === undefined ? {} : { segmentBytes: work.segmentBytes }),
  }).catch((cause: unknown) => {
    throw withAdvice(cause, work.directory, work.venueId);
  });
  const checks = work.isCopy ? 'checksum' : 'chain';
  const journal = openSegmentReader({ directory: paths.journal, checks });
  try {
    refuseAhead('the event log', eventLog.lastSequence, cursorAt(cursors, 'journal'));
    const follower = followerOf(work, { eventLog, journal, breaks });
    publishProgress(cursors, eventLog.lastSequence);
    const auditWhenDue = auditing(follower);
    for (;;) {
      const durable = cursorAt(cursors, 'journal');
      await followWithRetry(follower, cursors, durable);
      auditWhenDue();
      if (isStopRequested(cursors) && cursorAt(cursors, 'journal') === durable) break;
      await gather(cursors, durable, { ...GATHERING, mostMs: gatherMostMs });
      await beyond(cursors, 'journal', durable);
      breaks.begin();
    }
    // A venue that stops cleanly starts from here, without replay.
    await follower.snapshot();
  } finally {
    journal.close();
    await eventLog.close();
  }
}

/** So that operators learn within seconds that every invariant holds, however rare snapshots are. */
function auditing(follower: Follower): () => void {
  let dueAtMs = performance.now() + AUDITING.firstMs;
  return () => {
    const beganMs = performance.now();
    if (beganMs < dueAtMs || !follower.audit()) return;
    post({ audited: follower.sequence });
    const endedMs = performance.now();
    dueAtMs = endedMs + Math.max(AUDITING.everyMs, (endedMs - beganMs) / AUDITING.part);
  };
}

type Files = Pick<FollowerParts, 'eventLog' | 'journal'>;

function followerOf(
  { directory, venueId, snapshotEvery, snapshotEveryBytes, isTimed, retention }: FollowerWork,
  { eventLog, journal, breaks }: Files & { readonly breaks: Breaks },
): Follower {
  const { snapshots } = layoutOf(directory);
  const stamp = stampOf(venueId);
  const found = newestSnapshot(snapshots, { stamps: [stamp], atMost: eventLog.lastSequence });
  return new Follower({
    state: startingState(found),
    journal,
    eventLog,
    rest: () => breaks.take(),
    snapshotEvery,
    snapshotEveryBytes,
    // What replay would cost: without the breaks.
    monotonicMs: isTimed ? () => performance.now() - breaks.sleptMs : undefined,
    onTrouble: reportTrouble,
    saveSnapshot: async (sequence, bytes) => {
      await writeSnapshot(snapshots, sequence, bytes, { stamp });
      await pruneSnapshots(snapshots, retention?.snapshots ?? SNAPSHOTS_KEPT);
    },
  });
}

/** The next segment of the journal cannot be opened while connections have taken all descriptors. */
async function followWithRetry(
  follower: Follower,
  cursors: Cursors,
  durable: number,
): Promise<void> {
  for (;;) {
    try {
      await follower.follow(durable, (sequence) => publishProgress(cursors, sequence));
      return;
    } catch (cause) {
      if (!isOutOfDescriptors(cause)) throw cause;
      reportTrouble(`the journal cannot be followed for now: ${reasonOf(cause)}`);
      await setTimeout(RECOVERING_MS);
    }
  }
}

function publishProgress(cursors: Cursors, sequence: number): void {
  advance(cursors, 'eventLog', sequence);
  post(sequence);
}

const reportTrouble = (trouble: string): void => post({ trouble });

const post = (message: FollowerMessage): void => parentPort?.postMessage(message);

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}

/** Periodically checks whether something may be retired; the returned function ends that. */
function startRetaining(work: FollowerWork): () => Promise<void> {
  const { directory, venueId, retention, cursors, retainEveryMs = RETAIN_EVERY_MS } = work;
  if (retention === undefined) return () => Promise.resolve();
  const retainer = new Retainer({
    directory,
    stamp: stampOf(venueId),
    retention,
    historySequence: () => cursorAt(cursors, 'history'),
    onStatus: (status) => post({ retention: status }),
    isStopped: () => isStopRequested(cursors),
  });
  const timer = setInterval(() => void retainer.run(), retainEveryMs);
  return async () => {
    clearInterval(timer);
    await retainer.settled();
  };
}

const stopRetaining = startRetaining(workerData as FollowerWork);
await run(workerData as FollowerWork);
await stopRetaining();
