import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readStamp } from './engine/stamp.ts';
import { isThere, textIn, unwritable } from './journal/file-faults.ts';
import { makeFolder } from './journal/files.ts';
import { peekSegments } from './journal/peek.ts';

/** The venue that a data directory belongs to. Files of another venue, or of a newer program, are refused. */
export type Identity = {
  readonly venueId: string;
  readonly format: number;
  /** A `dev` venue: its secrets may be shown. The first version did not record it. */
  readonly demo: boolean | undefined;
  /** Whether its first command is in the journal. The first version did not record it. */
  readonly begun: boolean | undefined;
  /** The sequence of the last clean stop: a journal that ends earlier has lost its end. */
  readonly stoppedAt: number | undefined;
};

/** Increases when an earlier program must no longer open the directory. */
const FORMAT = 2;
const FILE = 'venue.json';
/**
 * Everything a venue writes into its directory; a reset removes these and nothing else. The identity is
 * removed last, so that an interrupted reset can be repeated. The lock stays: it is held.
 */
const CONTENTS = [
  'journal',
  'chains',
  'events',
  'archive',
  'snapshots',
  'poison',
  'history.db',
  'history.db-wal',
  'history.db-shm',
  'operators.json',
  'operator.json',
  'management.json',
  'handout.json',
  'backup.json',
  'master.key',
  FILE,
];

export function identityOf(directory: string): Identity {
  refusePlainFiles(directory);
  const file = join(directory, FILE);
  if (!isThere(file)) {
    const contents = contentsFor(directory);
    if (contents === undefined) throw new NoVenue(directory);
    throw new Error(
      `${directory} holds a journal but no ${FILE}: ${broughtBack(contents)}. If it is a copy or a restore that ` +
        'was cut short, make that again in a new directory instead',
    );
  }
  const { venueId, format, demo, begun, stoppedAt } = partial(directory);
  if (typeof venueId !== 'string' || typeof format !== 'number') {
    throw new Error(`${file} names no venue: ${broughtBack(contentsFor(directory))}`);
  }
  if (format > FORMAT) {
    throw new Error(
      `${file} is of format ${format}, this program knows ${FORMAT}: use the program that wrote it`,
    );
  }
  return { venueId, format, demo, begun, stoppedAt };
}

const MADE_AGAIN =
  'bring the folder back from a copy; without one it is made from the journal again';
/** The folders of a venue, and what to do about one that is lost. */
const FOLDERS: readonly (readonly [name: string, advice: string])[] = [
  ['journal', 'bring the folder back from a copy: the journal is the venue'],
  ['events', MADE_AGAIN],
  ['snapshots', MADE_AGAIN],
  [
    'chains',
    "bring the folder back from a copy; without one, simulated chains are made anew from the ledger's balances",
  ],
  ['archive', 'bring the folder back from a copy: it holds the beginning of the journal'],
  ['poison', 'start again: the folder holds reports only'],
];

/** Something else where a folder belongs: whatever is done in it would fail with a message of the system. */
export function refusePlainFiles(directory: string): void {
  if (isPlain(directory)) {
    throw new Error(`${directory} is a file: the data of a venue is in a folder of its own`);
  }
  for (const [name, advice] of FOLDERS) {
    const path = join(directory, name);
    if (isPlain(path)) {
      throw new Error(`${path} is a file, where a folder belongs: move it away, and ${advice}`);
    }
  }
}

/** What cannot be looked at is named by whoever opens it. */
function isPlain(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    return false;
  }
}

function partial(directory: string): Partial<Identity> {
  const file = join(directory, FILE);
  const text = textIn(file);
  try {
    // Any other value than an object names no venue.
    return (JSON.parse(text) ?? {}) as Partial<Identity>;
  } catch (cause) {
    const advice = broughtBack(contentsFor(directory));
    throw new Error(`${file} is not JSON (${(cause as Error).message}): ${advice}`);
  }
}

/** What the file of a venue that has begun may contain at least; undefined without a journal. */
function contentsFor(directory: string): string | undefined {
  const [first] = peekSegments({ directory: join(directory, 'journal') }).segments;
  if (first === undefined) return undefined;
  return JSON.stringify({ venueId: readStamp(first.stamp).venueId, format: 1 });
}

const broughtBack = (contents: string | undefined): string =>
  `bring it back from a copy${contents === undefined ? '' : `, or write ${contents} into it`}`;

export class NoVenue extends Error {
  constructor(directory: string) {
    super(`${directory} holds no venue (no ${FILE})`);
    this.name = 'NoVenue';
  }
}

/** Whether the directory holds a venue that has been opened before. */
export const hasBegun = (directory: string): boolean =>
  isThere(join(directory, FILE)) && identityOf(directory).begun !== false;

/** `venueId` is given if the venue exists already, on other machines. */
export function identityOrNew(directory: string, demo: boolean, venueId?: string): Identity {
  if (isThere(join(directory, FILE))) return identityOf(directory);
  makeFolder(directory);
  return newIdentity(directory, demo, venueId ?? randomUUID());
}

function newIdentity(directory: string, demo: boolean, venueId: string): Identity {
  const identity = { venueId, format: FORMAT, demo, begun: false, stoppedAt: undefined };
  writeIdentity(directory, identity);
  return identity;
}

const writeIdentity = (directory: string, identity: Identity): void =>
  writeAtomically(join(directory, FILE), `${JSON.stringify(identity)}\n`);

/** Records what is known now: the venue has begun, and an earlier program must not open it. */
export function settleIdentity(
  directory: string,
  identity: Identity,
  now: { readonly demo: boolean | undefined; readonly begun: boolean },
): void {
  const { demo, begun, format } = identity;
  if (demo === now.demo && begun === now.begun && format === FORMAT) return;
  writeIdentity(directory, { ...identity, ...now, format: FORMAT });
}

/** Written at a clean stop, best effort: it only helps to detect a lost end of the journal. */
export function noteStop(directory: string, stoppedAt: number): void {
  try {
    writeIdentity(directory, { ...identityOf(directory), stoppedAt });
  } catch {
    // Best effort: the snapshot and the event log show a loss too.
  }
}

/** A reset empties a venue's directory, or one that does not exist yet; never one with other contents. */
export function refuseOtherThanVenue(directory: string): void {
  if (!existsSync(directory)) return;
  const isEmpty = readdirSync(directory).every((name) => name.startsWith('venue.lock'));
  if (!isEmpty) identityOf(directory);
}

export function resetVenue(directory: string): void {
  refuseOtherThanVenue(directory);
  for (const name of CONTENTS) rmSync(join(directory, name), { recursive: true, force: true });
}

/** `dev` prints secrets and resets venues on request, so it refuses a venue of `serve`. */
export function refuseServed(directory: string): void {
  if (!isThere(join(directory, FILE))) return;
  if (identityOf(directory).demo === false) throw new ServedVenue(directory);
}

export class ServedVenue extends Error {
  constructor(directory: string) {
    super(`${directory} holds a venue of \`serve\`: \`dev\` would show its secrets; use serve`);
    this.name = 'ServedVenue';
  }
}

/** What a venue writes is for its owner alone: permissions of earlier versions' data are corrected. */
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
  try {
    writeFileSync(aside, text, { flush: true, mode: 0o600 });
    renameSync(aside, file);
  } catch (cause) {
    rmSync(aside, { force: true });
    throw unwritable(file, cause);
  }
}
