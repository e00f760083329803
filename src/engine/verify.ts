import { createHash } from 'node:crypto';
import { digestText } from '../bytes/digest.ts';
import { ByteWriter, type Plain, pack } from '../bytes/pack.ts';
import { type Audit, audit } from '../core/audit/audit.ts';
import { snapshotOf, stateFrom } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import { decodeOutcome, encodeOutcome, isNumbered } from '../domain/event-codec.ts';
import type { Files } from '../journal/files.ts';
import type { Entry, JournalReader } from '../journal/journal.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { listSnapshots, newestSnapshot } from '../journal/snapshots.ts';
import { type Verified as VerifiedSegments, verifySegments } from '../journal/verify.ts';
import { withAdvice } from './event-log.ts';
import { layoutOf } from './layout.ts';
import { RecoveryRefused, replay, startingState } from './recovery.ts';
import { filesWithArchive } from './retention.ts';
import { stampOf } from './stamp.ts';
import { findOlder, type Older, stateAtBoundary } from './upgrade.ts';

export type Verified = {
  readonly sequence: number;
  /** Sequence the replay began after: 0, unless older entries were archived or of earlier rules. */
  readonly from: number;
  readonly digest: string;
  /** SHA-256 of the whole state: equal in every venue that replayed the same journal. */
  readonly stateHash: string;
  readonly audit: Audit;
  readonly snapshotsChecked: number;
  readonly eventLog: VerifiedEventLog;
  /** Parts that are missing or were not checked, although nothing is wrong with them. */
  readonly remarks: readonly string[];
};

export type VerifiedEventLog = {
  readonly sequence: number;
  /** 1 unless its beginning was deleted; 0 when it is empty. */
  readonly firstSequence: number;
  /** How many events there are up to a sequence of the log; history counts them, too. */
  eventsUpTo(sequence: number): number;
};

export type VerifyOptions = {
  readonly directory: string;
  readonly venueId: string;
  /** Where old segments went, if not into the data directory's own archive. */
  readonly archive?: string | undefined;
  readonly onProgress?: (sequence: number, last: number) => void;
  /** An independently known digest at a sequence, to compare with. */
  readonly known?: { readonly sequence: number; readonly digest: string } | undefined;
};

/**
 * Replays a stopped venue from its first command and adds up every purse again. Snapshots and event log are
 * not trusted but checked: a snapshot must equal the bytes that replay produces, the event log its outcomes.
 * Nothing may be ahead of the journal: that would mean that the journal has lost its end.
 */
export function verifyVenue(options: VerifyOptions): Verified {
  const { directory, venueId, archive } = options;
  const paths = layoutOf(directory);
  const journalFiles = filesWithArchive(directory, 'journal', archive);
  const eventFiles = filesWithArchive(directory, 'events', archive);
  const older = findOlder({ directory, venueId, files: journalFiles });
  const journal = verifySegments({ directory: paths.journal, files: journalFiles });
  const log = eventLogIn(options, eventFiles);
  refuseLostEnd('the event log', log.lastSequence, journal.lastSequence);
  refuseLostEnd('the backup', options.known?.sequence ?? 0, journal.lastSequence);
  for (const at of listSnapshots(paths.snapshots)) {
    refuseLostEnd('a snapshot', at, journal.lastSequence);
  }
  const state = stateToBeginWith(options, older, journal.firstSequence);
  const from = state.sequence;
  const snapshotsChecked = replayAll(options, state, journal.lastSequence, log);
  return {
    sequence: state.sequence,
    from,
    digest: digestText(state.digest),
    stateHash: hashOf(orderedSnapshotOf(state)),
    audit: audit(state),
    snapshotsChecked,
    eventLog: {
      sequence: log.lastSequence,
      firstSequence: log.firstSequence,
      eventsUpTo: (upTo) => countEvents(paths.events, eventFiles, upTo),
    },
    remarks: [...journalRemarks(journal, older), ...logRemarks(journal, log)],
  };
}

function eventLogIn({ directory, venueId }: VerifyOptions, files: Files): VerifiedSegments {
  try {
    const { events } = layoutOf(directory);
    return verifySegments({ directory: events, stamps: [venueId], files });
  } catch (cause) {
    throw withAdvice(cause, directory, venueId);
  }
}

/** The journal is authoritative: anything beyond it is a trace of entries that it no longer has. */
export function refuseLostEnd(part: string, partSequence: number, journalSequence: number): void {
  if (partSequence <= journalSequence) return;
  throw new RecoveryRefused(
    `the journal ends at ${journalSequence}, but ${part} is at ${partSequence}: the last ` +
      `${partSequence - journalSequence} entries of the journal are missing`,
  );
}

/** Empty, or the state where the part of the journal begins that this program can replay. */
function stateToBeginWith(options: VerifyOptions, older: Older, firstSequence: number): State {
  if (older.boundary > 0) return stateAtBoundary(options, older);
  if (firstSequence <= 1) return startingState({ sequence: 0, bytes: undefined });
  // The beginning was archived: use the oldest snapshot from which the rest can be replayed.
  const { snapshots } = layoutOf(options.directory);
  const stamps = [stampOf(options.venueId)];
  for (const at of listSnapshots(snapshots).sort((a, b) => a - b)) {
    if (at < firstSequence - 1) continue;
    const found = newestSnapshot(snapshots, { stamps, atMost: at });
    if (found.sequence === at) return startingState(found);
  }
  throw new RecoveryRefused(
    `the journal begins at ${firstSequence} and no snapshot reaches back that far`,
  );
}

/** Replays to the end, comparing the event log and every snapshot on the way; returns how many. */
function replayAll(
  { directory, venueId, archive, onProgress, known }: VerifyOptions,
  state: State,
  lastSequence: number,
  log: VerifiedSegments,
): number {
  const paths = layoutOf(directory);
  const stamps = [stampOf(venueId)];
  const journal = openSegmentReader({
    directory: paths.journal,
    files: filesWithArchive(directory, 'journal', archive),
  });
  const events = openSegmentReader({
    directory: paths.events,
    files: filesWithArchive(directory, 'events', archive),
  });
  const compare = outcomeComparison(events, log);
  const checkpoints = listSnapshots(paths.snapshots).filter((at) => at >= state.sequence);
  let snapshotsChecked = 0;
  const stops = known === undefined ? checkpoints : [...checkpoints, known.sequence];
  for (const upTo of [...new Set([...stops, lastSequence])].sort((a, b) => a - b)) {
    if (upTo > state.sequence) replay(state, journal.read(state.sequence + 1, upTo), compare);
    onProgress?.(state.sequence, lastSequence);
    refuseOtherDigest(state, known);
    if (!checkpoints.includes(upTo)) continue;
    const kept = newestSnapshot(paths.snapshots, { stamps, atMost: upTo });
    if (kept.sequence !== upTo || kept.bytes === undefined) continue; // A damaged one: recovery skips it, too.
    if (!isSnapshotOf(kept.bytes, state)) {
      throw new RecoveryRefused(`the snapshot at ${upTo} is not the state that replay gives`);
    }
    snapshotsChecked++;
  }
  return snapshotsChecked;
}

/**
 * A member that was absent in a snapshot and is set after a restart is the last of its record, and elsewhere in a state
 * that was never restarted: the bytes differ, the state does not.
 */
const isSnapshotOf = (kept: Uint8Array, state: State): boolean =>
  hashOf(kept) === hashOf(snapshotOf(state)) ||
  hashOf(orderedSnapshotOf(stateFrom(kept))) === hashOf(orderedSnapshotOf(state));

const orderedSnapshotOf = (state: State): Uint8Array => pack(ordered(state as unknown as Plain));

/** The same with the members of all records in the order of their names. */
function ordered(value: Plain): Plain {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(ordered);
  if (value instanceof Map) return new Map([...value].map(([key, of]) => [key, ordered(of)]));
  const names = Object.keys(value).sort();
  const record = value as Readonly<Record<string, Plain>>;
  return Object.fromEntries(names.map((name) => [name, ordered(record[name])]));
}

function refuseOtherDigest(state: State, known: VerifyOptions['known']): void {
  if (known === undefined || state.sequence !== known.sequence) return;
  const digest = digestText(state.digest);
  if (digest === known.digest) return;
  throw new RecoveryRefused(
    `the digest at ${known.sequence} is ${digest}, but was ${known.digest} when the copy was taken`,
  );
}

/** Compares each outcome of the log with that of the replay. */
function outcomeComparison(
  log: JournalReader,
  { firstSequence, lastSequence: logSequence }: VerifiedSegments,
) {
  const writer = new ByteWriter();
  let stored: Iterator<Entry> | undefined;
  return (sequence: number, timeMs: number, events: Uint8Array): void => {
    if (sequence < firstSequence || sequence > logSequence) return;
    stored ??= log.read(sequence, logSequence);
    const next = stored.next();
    writer.clear();
    encodeOutcome(writer, timeMs, events);
    if (next.done !== true && Buffer.compare(next.value.bytes, writer.view()) === 0) return;
    throw new RecoveryRefused(`the event log at ${sequence} is not what replay brings about`);
  };
}

function countEvents(directory: string, files: Files, upTo: number): number {
  let count = 0;
  if (upTo < 1) return 0;
  const entries = openSegmentReader({ directory, files }).read(1, upTo);
  for (const { sequence, bytes } of entries) {
    for (const { kind } of decodeOutcome(sequence, bytes).events) if (isNumbered(kind)) count++;
  }
  return count;
}

function journalRemarks(journal: VerifiedSegments, older: Older): string[] {
  const remarks: string[] = [];
  if (older.boundary > 0) {
    remarks.push(
      `entries up to ${older.boundary} are of an earlier version: their checksums and chain hold, ` +
        'they were not replayed',
    );
  }
  const { tornTail } = journal;
  if (tornTail !== undefined) {
    remarks.push(
      `the journal ends in an unfinished write of ${tornTail.bytes} bytes, which the next start ` +
        'cuts; nothing in it was answered',
    );
  }
  return remarks;
}

function logRemarks(journal: VerifiedSegments, log: VerifiedSegments): string[] {
  const remarks: string[] = [];
  if (log.firstSequence > 1) {
    remarks.push(
      `the event log begins at ${log.firstSequence}: what was before has been deleted, is in an archive ` +
        'elsewhere, or was before the snapshot that this node of a cluster began with',
    );
  }
  const short = journal.lastSequence - log.lastSequence;
  if (short === 0) return remarks;
  return [
    ...remarks,
    `the event log ends at ${log.lastSequence}, ${short} short of the journal: the next start ` +
      'writes the rest',
  ];
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
