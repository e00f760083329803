/**
 * The few disk operations that the journal needs, injected so that tests can use a simulated disk.
 *
 * Only what waits for the device is asynchronous: a write goes to memory and costs microseconds, an fsync
 * waits for the disk and must leave the event loop free, except on a fast disk: see sync-pace.ts. Nothing
 * here retries.
 */
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { takeLock } from './lock.ts';

export interface Files {
  /** 'create' truncates or creates the file. Otherwise a missing file throws with code ENOENT. */
  open(path: string, mode: 'read' | 'change' | 'create'): OpenFile;
  /** Names, in no order; empty if the directory does not exist. */
  list(directory: string): string[];
  /** Creates its parents too, each one durable in its own parent. */
  makeDirectory(directory: string): void;
  /** Within a directory; replaces an existing file. Durable after fsyncDirectory. */
  rename(from: string, to: string): void;
  /** A hard link. Throws with code EXDEV or EPERM if that is not possible. */
  link(from: string, to: string): void;
  remove(path: string): void;
  fsyncDirectory(directory: string): Promise<void>;
  /** Keeps a descriptor, so that repeated fsyncs need no new one. */
  openDirectory(directory: string): OpenDirectory;
  /** Takes a lock for the life of this process, or throws JournalLocked. Returns the release function. */
  lock(path: string): () => void;
}

export interface OpenDirectory {
  fsync(): Promise<void>;
  close(): void;
}

export interface OpenFile {
  size(): number;
  /** Bytes read, fewer than asked for only at the end of the file. */
  read(into: Uint8Array, position: number): number;
  /** Bytes written, perhaps fewer than given: use `writeAll`. */
  write(bytes: Uint8Array, position: number): number;
  /** The same without blocking the event loop, for filling a whole segment. */
  writeAside(bytes: Uint8Array, position: number): Promise<number>;
  /** Data and size become durable (fdatasync). */
  fsync(): Promise<void>;
  /** The same, blocking this thread: only where the disk is known to be fast. */
  syncNow(): void;
  close(): void;
}

/**
 * Creates a directory and its missing parents, and returns what it created. Not by the runtime's recursive mkdir:
 * where a system refuses with ENOENT, as in /proc, that tries again for ever.
 */
export function makeFolder(directory: string, mode = 0o777): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(directory); !fs.existsSync(at); at = dirname(at)) {
    missing.unshift(at);
    // A drive that does not exist has no parent.
    if (at === dirname(at)) break;
  }
  if (missing.length === 0 && !fs.statSync(directory).isDirectory()) missing.push(directory);
  return missing.filter((folder) => makeOne(folder, mode));
}

/** Whether it was created here; another process may have been faster. */
function makeOne(folder: string, mode: number): boolean {
  try {
    fs.mkdirSync(folder, { mode });
    return true;
  } catch (cause) {
    const isThere = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isThere) return false;
    throw cause;
  }
}

export const realFiles: Files = {
  open: (path, mode) => new RealFile(fs.openSync(path, FLAGS[mode], 0o640)),
  list: (directory) => {
    try {
      return fs.readdirSync(directory);
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw cause;
    }
  },
  makeDirectory: (directory) => {
    for (const made of makeFolder(directory, 0o750)) {
      const descriptor = fs.openSync(dirname(made), 'r');
      if (CAN_SYNC_DIRECTORIES) fs.fsyncSync(descriptor);
      fs.closeSync(descriptor);
    }
  },
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  remove: (path) => fs.unlinkSync(path),
  fsyncDirectory: async (directory) => {
    if (!CAN_SYNC_DIRECTORIES) return;
    const handle = await fs.promises.open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  openDirectory: (directory) => {
    if (!CAN_SYNC_DIRECTORIES) return { fsync: () => Promise.resolve(), close: () => undefined };
    const descriptor = fs.openSync(directory, 'r');
    return {
      fsync: () =>
        new Promise((resolve, reject) => {
          fs.fsync(descriptor, (error) => (error ? reject(error) : resolve()));
        }),
      close: () => fs.closeSync(descriptor),
    };
  },
  lock: takeLock,
};

const FLAGS = { read: 'r', change: 'r+', create: 'w+' } as const;
/** Windows cannot open a directory; its file system keeps the entries in order. */
const CAN_SYNC_DIRECTORIES = process.platform !== 'win32';

class RealFile implements OpenFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  size(): number {
    return fs.fstatSync(this.#descriptor).size;
  }

  read(into: Uint8Array, position: number): number {
    let done = 0;
    while (done < into.length) {
      const count = fs.readSync(this.#descriptor, into, done, into.length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  write(bytes: Uint8Array, position: number): number {
    return fs.writeSync(this.#descriptor, bytes, 0, bytes.length, position);
  }

  writeAside(bytes: Uint8Array, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.write(this.#descriptor, bytes, 0, bytes.length, position, (error, count) =>
        error ? reject(error) : resolve(count),
      );
    });
  }

  fsync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve()));
    });
  }

  syncNow(): void {
    fs.fdatasyncSync(this.#descriptor);
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}

/** Writes all bytes or throws: a short write is reported only by its count. */
export function writeAll(file: OpenFile, bytes: Uint8Array, position: number): void {
  let done = file.write(bytes, position);
  while (done < bytes.length) {
    const count = file.write(bytes.subarray(done), position + done);
    if (count === 0) throw new Error('the disk takes no more bytes');
    done += count;
  }
}

/**
 * What is written in bulk beside a running journal becomes durable in pieces of this size. A disk that is given
 * a whole segment or snapshot at once keeps the journal's next group waiting until it has taken all of it.
 */
export const DURABLE_PIECE_BYTES = 256 * 1024;

/** Writes a run of zero bytes, durably, without blocking the event loop. */
export async function fillWithZeros(
  file: OpenFile,
  from: number,
  to: number,
  how: 'at once' | 'in durable pieces',
): Promise<void> {
  let position = from;
  while (position < to) {
    const count = await file.writeAside(ZEROS.subarray(0, to - position), position);
    if (count === 0) throw new Error('the disk takes no more bytes');
    position += count;
    if (how === 'in durable pieces') await file.fsync();
  }
  if (how === 'at once') await file.fsync();
}

const ZEROS = new Uint8Array(DURABLE_PIECE_BYTES);

export function readWhole(files: Files, path: string): Uint8Array {
  const file = files.open(path, 'read');
  try {
    const bytes = new Uint8Array(file.size());
    return bytes.subarray(0, file.read(bytes, 0));
  } finally {
    file.close();
  }
}

/** The process or the machine has reached its limit of open files; that may be temporary. */
export const isOutOfDescriptors = (cause: unknown): boolean =>
  codeOf(cause) === 'EMFILE' || codeOf(cause) === 'ENFILE';

/** The disk is full, gone or failing, or no descriptor is free; that may be temporary. */
export const isDiskTrouble = (cause: unknown): boolean =>
  DISK_TROUBLES.has(String(codeOf(cause))) || isOutOfDescriptors(cause);

const DISK_TROUBLES = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES']);

export const isMissing = (cause: unknown): boolean => codeOf(cause) === 'ENOENT';

export const codeOf = (cause: unknown): unknown =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined;
