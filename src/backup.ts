import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, copyFile, cp, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { BackedUp, BackUp } from './api/server.ts';
import type { VenueConfig } from './config.ts';
import { near } from './domain/nearest.ts';
import { VERSION } from './domain/version.ts';
import { copyEngineFiles } from './engine/copy-venue.ts';
import type { Engine } from './engine/engine.ts';
import { copyHistory } from './history/copy.ts';
import { refusePlainFiles, writeAtomically } from './identity.ts';
import { isThere } from './journal/file-faults.ts';
import { makeFolder } from './journal/files.ts';
import type { Rooms } from './rooms.ts';

/**
 * A copy of a venue in a separate folder, taken while it runs: everything that a start needs, and a list with
 * the checksum of every file. The list is written last: a folder without it is incomplete.
 */
const LIST = 'backup.json';

const BackupList = Type.Object({
  venueId: Type.String(),
  version: Type.String(),
  takenAt: Type.String(),
  /** The venue's digest at this sequence; the copy reaches at least this far. */
  sequence: Type.Integer(),
  digest: Type.String(),
  hasMasterKey: Type.Boolean(),
  files: Type.Array(
    Type.Object({ path: Type.String(), bytes: Type.Integer(), sha256: Type.String() }),
  ),
});
export type BackupList = Static<typeof BackupList>;
const backupList = Compile(BackupList);

/** Who holds the lock; whoever opens a copy, to verify it, writes and removes their own. Copies of earlier versions list it. */
const HOLDER = 'venue.lock.holder';
/** Copied by other code, or of no use in a copy. */
const LEFT_OUT = new Set([
  ...['journal', 'events', 'snapshots', 'archive', 'poison'],
  ...['history.db', 'history.db-wal', 'history.db-shm'],
  ...['venue.lock', HOLDER, 'management.json', 'handout.json', LIST],
  // What a node of a cluster had before it began anew.
  'aside',
]);

type BackupSource = {
  readonly engine: Engine;
  readonly venueId: string;
  readonly data: string;
  /** Undefined if the key is not on this disk. */
  readonly masterKeyFile: string | undefined;
  readonly archive?: string | undefined;
  readonly nowMs: () => number;
};

/** Copies a venue into a folder, while it runs. */
export const backUpOf =
  ({ engine, identity }: Pick<Rooms, 'engine' | 'identity'>, config: VenueConfig): BackUp =>
  (folder) =>
    backUpVenue(
      {
        engine,
        venueId: identity.venueId,
        data: config.data,
        masterKeyFile: config.masterKeyText === undefined ? config.masterKeyFile : undefined,
        archive: config.retention?.folder,
        nowMs: () => engine.nowMs(),
      },
      folder,
    );

async function backUpVenue(source: BackupSource, folder: string): Promise<BackedUp> {
  const { engine, data, venueId } = source;
  refuseFolder(data, folder);
  const { sequence, digest } = engine.status();
  // Resolves once everything up to there is on disk, and so in what is copied from now on.
  await engine.view('clock', {});
  makeFolder(folder, 0o700);
  // A history on a server has no file: it has its own backups, and can be rebuilt from the event log.
  await copyHistory(join(data, 'history.db'), join(folder, 'history.db'));
  await copyEngineFiles({ from: data, to: folder, archive: source.archive });
  await copyRest(data, folder);
  const hasMasterKey = await copyMasterKey(source, folder);
  const files = await listFiles(folder);
  const list: BackupList = {
    ...{ venueId, version: VERSION, sequence, digest, hasMasterKey, files },
    takenAt: new Date(source.nowMs()).toISOString(),
  };
  writeAtomically(join(folder, LIST), `${JSON.stringify(list, null, 2)}\n`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { sequence, digest, files: files.length, bytes };
}

function refuseFolder(data: string, folder: string): void {
  if (!isAbsolute(folder)) throw new Error(`${folder} is no absolute path`);
  const inside = relative(resolve(data), resolve(folder));
  if (inside === '' || !(inside.startsWith('..') || isAbsolute(inside))) {
    throw new Error(`${folder} lies in the data directory: a copy belongs elsewhere`);
  }
  if (isThere(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file: name a new folder`);
    if (readdirSync(folder).length === 0) return;
    throw new Error(`${folder} is not empty: give each copy a folder of its own`);
  }
  refuseMissingParent(folder);
}

/** Its disk may just not be mounted, or its name be mistyped: the copy would be where nobody looks for it. */
function refuseMissingParent(folder: string): void {
  let missing = dirname(folder);
  if (isThere(missing)) return;
  while (!isThere(dirname(missing))) missing = dirname(missing);
  const above = dirname(missing);
  const meant = statSync(above).isDirectory()
    ? near(basename(missing), foldersIn(above))
    : undefined;
  throw new Error(
    `${missing} is not there: a backup makes only its own folder, none above it. Is a disk not mounted? ` +
      (meant === undefined ? `Nearest is ${above}` : `Did you mean ${join(above, meant)}?`),
  );
}

function foldersIn(directory: string): readonly string[] {
  try {
    const found = readdirSync(directory, { withFileTypes: true });
    return found.flatMap((one) => (one.isDirectory() ? [one.name] : []));
  } catch {
    // It may be passed through, but not be read.
    return [];
  }
}

/** Small files beside the parts: identity, operators, wallets of chains. */
async function copyRest(data: string, folder: string): Promise<void> {
  for (const name of await readdir(data)) {
    if (LEFT_OUT.has(name)) continue;
    await cp(join(data, name), join(folder, name), { recursive: true });
  }
}

async function copyMasterKey({ masterKeyFile }: BackupSource, folder: string): Promise<boolean> {
  if (masterKeyFile === undefined || !existsSync(masterKeyFile)) return false;
  const to = join(folder, 'master.key');
  await copyFile(masterKeyFile, to);
  await chmod(to, 0o600);
  return true;
}

async function listFiles(folder: string): Promise<BackupList['files']> {
  const files: BackupList['files'] = [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  for (const path of names) {
    const file = join(folder, path);
    const found = statSync(file);
    if (!found.isFile() || path === LIST) continue;
    files.push({ path, bytes: found.size, sha256: await sumOf(file) });
  }
  return files;
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

/** The list of a copy, where the directory is one or was restored from one. */
export function backupListIn(folder: string): BackupList | undefined {
  const file = join(folder, LIST);
  if (!existsSync(file)) return undefined;
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!backupList.Check(found)) throw new Error(`${file} is no list of a backup`);
  return found;
}

/** Creates a data directory from a copy, after every file was compared with the list. */
export async function restoreVenue(folder: string, data: string): Promise<BackupList> {
  const list = backupListIn(folder);
  if (list === undefined) {
    throw new Error(`${folder} has no ${LIST}: it is no backup, or one that was not finished`);
  }
  refusePlainFiles(data);
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new Error(`${data} is not empty: restore into a new directory`);
  }
  const files = list.files.filter(({ path }) => path !== HOLDER);
  for (const { path, bytes, sha256 } of files) {
    const file = join(folder, path);
    if (!existsSync(file)) throw new Error(`${file} is missing: the backup is not whole`);
    if (statSync(file).size !== bytes || (await sumOf(file)) !== sha256) {
      throw new Error(`${file} is not what was backed up: its sum differs`);
    }
  }
  makeFolder(data, 0o700);
  for (const { path } of files) {
    const to = join(data, path);
    makeFolder(dirname(to), 0o700);
    await copyFile(join(folder, path), to);
    await chmod(to, 0o600);
  }
  writeAtomically(join(data, LIST), readFileSync(join(folder, LIST), 'utf8'));
  return list;
}
