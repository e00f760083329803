import { audit } from '../core/audit/audit.ts';
import { snapshotOf } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import { type Reader, readerOf, stateFromFacts } from '../core/upgrade.ts';
import type { Files } from '../journal/files.ts';
import { type Peeked, peekSegments } from '../journal/peek.ts';
import { keepSnapshot, newestSnapshot, readKept, writeSnapshot } from '../journal/snapshots.ts';
import type { ReplicatedLog } from '../replication/log.ts';
import { gateBehind } from '../replication/log-cursor.ts';
import { layoutOf } from './layout.ts';
import { RecoveryRefused } from './recovery.ts';
import { LAYOUT, ONE_LAYOUT, readStamp, stampOf } from './stamp.ts';

/**
 * Data of an earlier version. Its journal is not replayed, because its rules no longer exist. A venue that
 * was stopped cleanly has a snapshot at the very end of its journal; the reader of its layout reads that, it
 * is audited, and written again in the current layout. The old snapshot is kept beside it under another name:
 * from it everything since can be replayed again. New entries go to new segments with the current stamp, the
 * sequence continues, and event log and history are left as they are.
 *
 * A journal that extends beyond its newest snapshot is refused, and nothing has been changed then.
 */
export type Older = {
  /** Stamps of the segments that earlier versions wrote. */
  readonly stamps: readonly string[];
  /** The last sequence an earlier version wrote: replay begins after it. 0 if there is none. */
  readonly boundary: number;
  /** What was done, for the log. */
  readonly remarks: readonly string[];
};

type Place = { readonly directory: string; readonly venueId: string; readonly files?: Files };

export async function takeOver(place: Place): Promise<Older> {
  const older = findOlder(place);
  if (older.boundary === 0 || hasOwnSnapshot(place, older.boundary)) return older;
  const { snapshots } = layoutOf(place.directory);
  const { bytes, layout, isKept, reader } = endSnapshot(place, older);
  refuseShortEventLog(place, older.boundary, reader);
  const state = convert(bytes, older.boundary, reader);
  if (!isKept) await keepSnapshot(snapshots, older.boundary, keptAs(layout), place);
  await writeSnapshot(snapshots, older.boundary, snapshotOf(state), {
    ...place,
    stamp: stampOf(place.venueId),
  });
  const remark = `the data of ${reader.version} was taken over at sequence ${older.boundary}`;
  return { ...older, remarks: [remark] };
}

/**
 * A node of a cluster is not upgraded in place: the others would continue in the previous layout. Nothing is
 * changed.
 */
export function refuseOlder(place: Place): void {
  const older = findOlder(place);
  if (older.boundary === 0 || hasOwnSnapshot(place, older.boundary)) return;
  const { layout } = readStamp(older.stamps.at(-1) ?? '');
  throw new RecoveryRefused(
    `${place.directory} was written with ${layout}, this program has ${LAYOUT.name}, and nothing was ` +
      `changed: ${ONE_LAYOUT}`,
  );
}

/**
 * A command on a stopped venue must not upgrade it in passing: a backup, for one, would be no way back. Only a
 * start takes data over, and says so; what a start would refuse is refused here in its words. Nothing is changed.
 */
export function refuseTakeOver(place: Place): void {
  const older = findOlder(place);
  if (older.boundary === 0 || hasOwnSnapshot(place, older.boundary)) return;
  const { version } = endSnapshot(place, older).reader;
  throw new Error(
    `${place.directory} was written by ${version}, and nothing was changed: a command would take the data ` +
      'over, and that version could not open it any more. Stop that version if it still runs, copy the ' +
      'directory to be able to go back, and start this version on it first',
  );
}

/**
 * For a node of a cluster: data of an earlier version is upgraded only if it ends exactly where the log was
 * closed for its layout. Then all nodes continue after the same entry. Otherwise nothing is changed.
 */
export async function refuseBeforeGate(place: Place, log: ReplicatedLog): Promise<void> {
  const older = findOlder(place);
  if (older.boundary === 0 || hasOwnSnapshot(place, older.boundary)) return;
  const { layout } = readStamp(older.stamps.at(-1) ?? '');
  const gate = await gateBehind(log, older.boundary);
  if (gate?.layout !== layout) refuseOlder(place);
}

/** Which part of the journal was written by earlier versions. Refuses files of another venue. */
export function findOlder({ directory, venueId, files }: Place): Older {
  const { journal } = layoutOf(directory);
  const peeked = peekSegments({ directory: journal, ...(files === undefined ? {} : { files }) });
  const own = stampOf(venueId);
  for (const { stamp } of peeked.segments) {
    if (readStamp(stamp).venueId === venueId) continue;
    throw new RecoveryRefused(
      `${journal} is the journal of venue ${readStamp(stamp).venueId}, not of ${venueId}: ` +
        'bring back the right journal, or the venue.json that belongs to it',
    );
  }
  const older = peeked.segments.filter(({ stamp }) => stamp !== own);
  return {
    stamps: [...new Set(older.map(({ stamp }) => stamp))],
    boundary: boundaryOf(peeked, own),
    remarks: [],
  };
}

function boundaryOf(peeked: Peeked, own: string): number {
  const { segments } = peeked;
  const lastOlder = segments.findLastIndex(({ stamp }) => stamp !== own);
  if (lastOlder < 0) return 0;
  const next = segments[lastOlder + 1];
  return next === undefined ? peeked.lastSequence() : next.firstSequence - 1;
}

function hasOwnSnapshot(place: Place, boundary: number): boolean {
  const { snapshots } = layoutOf(place.directory);
  const stamps = [stampOf(place.venueId)];
  return newestSnapshot(snapshots, { ...place, stamps }).sequence >= boundary;
}

/** The state at the boundary, from the kept snapshot of an earlier version; for `verify`. */
export function stateAtBoundary(place: Place, older: Older): State {
  const { bytes, reader } = endSnapshot(place, older);
  return convert(bytes, older.boundary, reader);
}

type EndSnapshot = {
  readonly bytes: Uint8Array;
  readonly layout: string;
  /** Found under the name under which an earlier upgrade kept it. */
  readonly isKept: boolean;
  readonly reader: Reader;
};

/** The snapshot that the last earlier version left at its end. */
function endSnapshot(place: Place, { stamps, boundary }: Older): EndSnapshot {
  const { snapshots } = layoutOf(place.directory);
  const stamp = stamps.at(-1) ?? '';
  const { layout } = readStamp(stamp);
  const reader = readerOf(layout);
  if (reader === undefined) {
    throw new RecoveryRefused(
      `the data was written with ${layout}, this program has ${LAYOUT.name} and no reader for ` +
        'that: start the program that wrote it',
    );
  }
  const kept = readKept(snapshots, boundary, keptAs(layout), { ...place, stamps: [stamp] });
  if (kept !== undefined) return { bytes: kept, layout, isKept: true, reader };
  const found = newestSnapshot(snapshots, { ...place, stamps: [stamp], atMost: boundary });
  if (found.sequence === boundary && found.bytes !== undefined) {
    return { bytes: found.bytes, layout, isKept: false, reader };
  }
  throw new RecoveryRefused(
    `the data was written by ${reader.version} and not stopped cleanly: its journal ends at ` +
      `${boundary}, its newest snapshot is at ${found.sequence}. Start ${reader.version} on it and ` +
      'stop it (SIGTERM); then start this version again',
  );
}

function convert(bytes: Uint8Array, boundary: number, { read, version }: Reader): State {
  const state = stateFromFacts(read(bytes));
  const { faults } = audit(state);
  if (state.sequence === boundary && faults.length === 0) return state;
  throw new RecoveryRefused(
    `the data of ${version} could not be taken over: ${faults[0] ?? `it is of ${state.sequence}`}`,
  );
}

/** Only the version that wrote the journal could write the missing part of the event log. */
function refuseShortEventLog(place: Place, boundary: number, { version }: Reader): void {
  const { events } = layoutOf(place.directory);
  const at = peekSegments({ ...place, directory: events }).lastSequence();
  if (at >= boundary) return;
  throw new RecoveryRefused(
    `the event log is at ${at}, the journal of ${version} at ${boundary}: bring back ${events}, ` +
      `or start ${version} and stop it cleanly, which writes it again`,
  );
}

const keptAs = (layout: string): string => layout.replaceAll(' ', '-');
