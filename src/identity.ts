import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Who a data directory belongs to. Files of another venue, or of a newer program, are refused. */
export type Identity = { readonly venueId: string; readonly format: number };

const FORMAT = 1;
const FILE = 'venue.json';
/**
 * Everything a venue writes into its directory; a reset removes these and nothing else. The identity
 * goes last, so that a reset cut short can be done again. The lock stays: it is held.
 */
const CONTENTS = [
  'journal',
  'events',
  'snapshots',
  'poison',
  'history.db',
  'history.db-wal',
  'history.db-shm',
  'operators.json',
  'operator.json',
  'management.json',
  'handout.json',
  'master.key',
  FILE,
];

export function identityOf(directory: string): Identity {
  const file = join(directory, FILE);
  if (!existsSync(file)) throw new Error(`${directory} holds no venue (no ${FILE})`);
  const identity = JSON.parse(readFileSync(file, 'utf8')) as Partial<Identity>;
  if (typeof identity.venueId !== 'string') throw new Error(`${file} names no venue`);
  if (identity.format !== FORMAT) {
    throw new Error(`${file} is of format ${identity.format}, this program knows format ${FORMAT}`);
  }
  return { venueId: identity.venueId, format: identity.format };
}

export function identityOrNew(directory: string): Identity {
  const file = join(directory, FILE);
  if (existsSync(file)) return identityOf(directory);
  mkdirSync(directory, { recursive: true });
  const identity: Identity = { venueId: randomUUID(), format: FORMAT };
  writeAtomically(file, `${JSON.stringify(identity)}\n`);
  return identity;
}

/** A reset empties a venue's directory, or one that is not there yet; never one of something else. */
export function refuseOtherThanVenue(directory: string): void {
  if (!existsSync(directory)) return;
  const isEmpty = readdirSync(directory).every((name) => name.startsWith('venue.lock'));
  if (!isEmpty) identityOf(directory);
}

export function resetVenue(directory: string): void {
  refuseOtherThanVenue(directory);
  for (const name of CONTENTS) rmSync(join(directory, name), { recursive: true, force: true });
}

/** A reader sees the old file or the new one, never half of it. */
export function writeAtomically(file: string, text: string, mode = 0o644): void {
  const aside = `${file}.${process.pid}.tmp`;
  writeFileSync(aside, text, { flush: true, mode });
  renameSync(aside, file);
}
