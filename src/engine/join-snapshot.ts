import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../core/state.ts';
import { makeFolder } from '../journal/files.ts';
import { Entry } from '../journal/journal.ts';
import { peekSegments } from '../journal/peek.ts';
import { newestSnapshot, snapshotName } from '../journal/snapshots.ts';
import { digestIn } from './codec.ts';
import { layoutOf } from './layout.ts';
import { startingState } from './recovery.ts';
import { stampOf } from './stamp.ts';

/**
 * Written when a data directory was created from a snapshot of the cluster: its journal and event log begin
 * after it.
 */
const JOINED = 'joined.json';
/** Where files go that a snapshot of the cluster replaces; one generation is kept. */
const ASIDE = 'aside';

/** The sequence after which a node's files begin; 0 if they are complete, or empty. */
export function joinedAt(directory: string): number {
  const file = join(directory, JOINED);
  if (!existsSync(file)) return 0;
  const { sequence } = JSON.parse(readFileSync(file, 'utf8')) as { readonly sequence: number };
  return sequence;
}

/** The last sequence on the node's own disk; the journal of a gateway is a copy (segments.ts). */
export const ownEnd = (directory: string, isCopy: boolean): number =>
  peekSegments({ directory: layoutOf(directory).journal, isCopy }).lastSequence() ||
  joinedAt(directory);

/** Whether an entry of the log is the last one of a state, by the digest of everything up to it. */
export function isEntryOf({ sequence, digest }: State, entry: Uint8Array): boolean {
  const logged = digestIn(new Entry(sequence, entry));
  return logged.lo === digest.lo && logged.hi === digest.hi;
}

/** Reads and checks a whole snapshot, and compares it with the entry of the log. Rejects with the reason. */
export async function checkJoining(options: {
  readonly file: string;
  readonly sequence: number;
  readonly venueId: string;
  readonly entryIn: (sequence: number) => Promise<Uint8Array | undefined>;
}): Promise<void> {
  const { file, sequence, venueId } = options;
  const folder = `${file}.checked`;
  makeFolder(folder);
  renameSync(file, join(folder, snapshotName(sequence)));
  try {
    const found = newestSnapshot(folder, { stamps: [stampOf(venueId)] });
    if (found.bytes === undefined) throw new Error(found.skipped[0]?.reason ?? 'it is not there');
    const state = startingState(found);
    const entry = await options.entryIn(sequence);
    if (entry === undefined) throw new Error(`the log does not have sequence ${sequence}`);
    if (!isEntryOf(state, entry)) throw new Error('its digest is not the one of the log');
    renameSync(join(folder, snapshotName(sequence)), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sets aside a node's data of the venue; its keys and its identity stay. */
export function setAside(directory: string): boolean {
  rmSync(join(directory, JOINED), { force: true });
  const { journal, events, snapshots } = layoutOf(directory);
  const histories = ['history.db', 'history.db-wal', 'history.db-shm'];
  const parts = [journal, events, snapshots, ...histories.map((name) => join(directory, name))];
  const there = parts.filter((part) => existsSync(part));
  if (there.length === 0) return false;
  const aside = join(directory, ASIDE);
  rmSync(aside, { recursive: true, force: true });
  makeFolder(aside, 0o700);
  for (const part of there) renameSync(part, join(aside, part.slice(directory.length + 1)));
  return true;
}

/**
 * Creates a data directory that begins after a snapshot. The marker file comes last: without it the next
 * start repeats this.
 */
export function beginFrom(
  directory: string,
  snapshot: { readonly sequence: number; readonly state: string; readonly history?: string },
  writeFile: (file: string, text: string) => void,
): void {
  const { sequence, state, history } = snapshot;
  const { snapshots } = layoutOf(directory);
  makeFolder(snapshots, 0o700);
  renameSync(state, join(snapshots, snapshotName(sequence)));
  if (history !== undefined) renameSync(history, join(directory, 'history.db'));
  writeFile(join(directory, JOINED), `${JSON.stringify({ sequence })}\n`);
}
