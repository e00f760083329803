import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { openSegments } from '../journal/segments.ts';
import { newestSnapshot, pruneSnapshots, writeSnapshot } from '../journal/snapshots.ts';
import { advance, beyond, type Cursors, cursorAt, isStopRequested } from './cursors.ts';
import { Follower } from './follower.ts';
import { layoutOf } from './layout.ts';
import { refuseAhead, startingState } from './recovery.ts';
import { stampOf } from './stamp.ts';

/** The thread of the follower: opens its own view of the files and goes on until told to stop. */
export type FollowerWork = {
  readonly directory: string;
  readonly venueId: string;
  readonly cursors: Cursors;
  readonly snapshotEvery: number;
  readonly segmentBytes: number | undefined;
};

const SNAPSHOTS_KEPT = 3;
/**
 * How long the follower rests after a round. What comes after a quiet moment is followed at once;
 * under load this gathers groups, so that the event log and history do not sync after every group
 * of the journal, and compete with it for the disk. History is later by this much at most.
 */
const GATHERING_MS = 5;

async function run(work: FollowerWork): Promise<void> {
  const { cursors, venueId } = work;
  const stamp = stampOf(venueId);
  const paths = layoutOf(work.directory);
  const eventLog = await openSegments({
    directory: paths.events,
    stamp: venueId,
    ...(work.segmentBytes === undefined ? {} : { segmentBytes: work.segmentBytes }),
  });
  refuseAhead('the event log', eventLog.lastSequence, cursorAt(cursors, 'journal'));
  const found = newestSnapshot(paths.snapshots, {
    stamps: [stamp],
    atMost: eventLog.lastSequence,
  });
  const follower = new Follower({
    state: startingState(found),
    journal: openSegmentReader({ directory: paths.journal }),
    eventLog,
    snapshotEvery: work.snapshotEvery,
    saveSnapshot: async (sequence, bytes) => {
      await writeSnapshot(paths.snapshots, sequence, bytes, { stamp });
      await pruneSnapshots(paths.snapshots, SNAPSHOTS_KEPT);
    },
  });
  const tell = (sequence: number): void => {
    advance(cursors, 'eventLog', sequence);
    parentPort?.postMessage(sequence);
  };
  tell(eventLog.lastSequence);
  for (;;) {
    const durable = cursorAt(cursors, 'journal');
    await follower.follow(durable, tell);
    if (isStopRequested(cursors) && cursorAt(cursors, 'journal') === durable) break;
    await setTimeout(GATHERING_MS);
    await beyond(cursors, 'journal', durable);
  }
  // A venue that stops cleanly starts from here, without replay.
  await follower.snapshot();
  await eventLog.close();
}

await run(workerData as FollowerWork);
