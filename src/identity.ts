import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Who a data directory belongs to. Files of another venue, or of a newer program, are refused. */
export type Identity = {
  readonly venueId: string;
  readonly format: number;
  /** A venue of `dev`: its secrets may be shown. The first version did not write it down. */
  readonly demo: boolean | undefined;
};

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
  return { venueId: identity.venueId, format: identity.format, demo: identity.demo };
}

export function identityOrNew(directory: string, demo: boolean): Identity {
  if (existsSync(join(directory, FILE))) return identityOf(directory);
  mkdirSync(directory, { recursive: true });
  const identity: Identity = { venueId: randomUUID(), format: FORMAT, demo };
  writeIdentity(directory, identity);
  return identity;
}

export const writeIdentity = (directory: string, identity: Identity): void =>
  writeAtomically(join(directory, FILE), `${JSON.stringify(identity)}\n`);

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

/** `dev` shows secrets and forgets venues on demand: it keeps away from those of `serve`. */
export function refuseServed(directory: string): void {
  if (!existsSync(join(directory, FILE))) return;
  if (identityOf(directory).demo === false) throw new ServedVenue(directory);
}

export class ServedVenue extends Error {
  constructor(directory: string) {
    super(`${directory} holds a venue of \`serve\`: \`dev\` would show its secrets; use serve`);
    this.name = 'ServedVenue';
  }
}

/** What a venue writes is for its owner alone: data of earlier versions is put right. */
export function keepPrivate(directory: string): void {
  const wanted = (isDirectory: boolean): number => (isDirectory ? 0o700 : 0o600);
  const put = (path: string): void => {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return;
    const mode = wanted(stat.isDirectory());
    if ((stat.mode & 0o777) !== mode) chmodSync(path, mode);
    if (stat.isDirectory()) for (const name of readdirSync(path)) put(join(path, name));
  };
  put(directory);
}

/** A reader sees the old file or the new one, never half of it. */
export function writeAtomically(file: string, text: string): void {
  const aside = `${file}.${process.pid}.tmp`;
  writeFileSync(aside, text, { flush: true, mode: 0o600 });
  renameSync(aside, file);
}
