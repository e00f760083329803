/**
 * One writer per directory, by a lock of the operating system.
 *
 * Node has no flock, but SQLite locks its files with one: an exclusive transaction on an empty database of
 * its own holds until it is closed, or until the process is dead, immediately, however it died. Two
 * connections of one process exclude each other as well. The file stays when the lock is released: removing
 * it would let two processes lock two files of the same name.
 *
 * Nothing else may open the lock file in this process: closing any descriptor of it would drop the lock. So
 * its holder is named in a second file, which is only read for the text of a refusal. Known limit: network
 * file systems on which fcntl locks do not hold.
 */
import fs from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isThere, unreadable } from './file-faults.ts';
import { JournalLocked } from './journal.ts';

/** Takes the lock or throws JournalLocked. Returns the release function. */
export function takeLock(path: string): () => void {
  const database = opened(path);
  try {
    // In memory, so that the transaction leaves no file behind when its process is killed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (isBusy(cause)) throw new JournalLocked(path, holderOf(path));
    throw cause;
  }
  nameHolder(path);
  return () => {
    if (!database.isOpen) return;
    fs.rmSync(holderFile(path), { force: true });
    database.close();
  };
}

/** The database names no file and no reason: asking for the permissions does, and opens nothing. */
function opened(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    try {
      fs.accessSync(isThere(path) ? path : dirname(path), fs.constants.R_OK | fs.constants.W_OK);
    } catch (refused) {
      throw unreadable(path, refused);
    }
    throw unreadable(path, cause);
  }
}

const holderFile = (path: string): string => `${path}.holder`;

/** Best effort: on a full disk the lock still holds, without the holder's name. */
function nameHolder(path: string): void {
  try {
    const command = process.argv.slice(2).join(' ');
    const words = `process ${process.pid} on ${hostname()}${command === '' ? '' : ` (${command})`}`;
    fs.writeFileSync(holderFile(path), `${words}\n`, { mode: 0o600 });
  } catch {
    fs.rmSync(holderFile(path), { force: true });
  }
}

function holderOf(path: string): string {
  try {
    const words = fs.readFileSync(holderFile(path), 'utf8').trim();
    return words === '' ? NAMELESS : words;
  } catch {
    return NAMELESS;
  }
}

const NAMELESS = 'process unknown (it has not written its name yet)';
const SQLITE_BUSY = 5;

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === SQLITE_BUSY;
