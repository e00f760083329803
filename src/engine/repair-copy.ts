import { peekSegments } from '../journal/peek.ts';
import type { Segments } from '../journal/segments.ts';
import { peekSnapshots } from '../journal/snapshots.ts';
import { LogRefused, type ReplicatedLog } from '../replication/log.ts';
import { findPlace } from '../replication/log-cursor.ts';
import { layoutOf } from './layout.ts';
import { isLastEntry } from './log-follower.ts';
import { stampOf } from './stamp.ts';

/**
 * Runs before a gateway's copy is recovered. Its journal is not fsynced after every message, but what is
 * derived from it is: after a power cut the event log or a snapshot may be ahead of it. All of that was in
 * the log, which has the missing part of the journal too.
 */
export async function repairCopy(
  { directory, venueId }: { readonly directory: string; readonly venueId: string },
  local: Segments,
  log: ReplicatedLog,
): Promise<void> {
  const madeTo = madeFromJournal(directory, stampOf(venueId));
  if (local.lastSequence === 0 || local.lastSequence >= madeTo) return;
  const { lastSequence } = local;
  const isLast = (entry: Uint8Array): boolean => isLastEntry(local, entry);
  const { cursor, rest } = await findPlace(log, { lastSequence, isLast });
  await local.append(rest, local.lastSequence + 1);
  const { lastPlace } = await log.end();
  await log.read(
    cursor.place + 1,
    async (message) => {
      await local.append(cursor.accept(message).entries, local.lastSequence + 1);
    },
    () => local.lastSequence >= madeTo || cursor.place >= lastPlace,
  );
  await local.sync();
  if (local.lastSequence >= madeTo) return;
  throw new LogRefused(
    `this gateway's event log or a snapshot is at sequence ${madeTo}, the log at ` +
      `${local.lastSequence}: the log has lost ${madeTo - local.lastSequence} entries. Do not start ` +
      'other nodes; find the engine with the longest journal and run there: rialto cluster repair',
  );
}

function madeFromJournal(directory: string, stamp: string): number {
  const { events, snapshots } = layoutOf(directory);
  const snapshot = peekSnapshots(snapshots).find((one) => one.stamp === stamp);
  return Math.max(peekSegments({ directory: events }).lastSequence(), snapshot?.sequence ?? 0);
}
