/**
 * A disk in memory that fails and loses power on request, reproducibly for a seed.
 *
 * It keeps two states: what a running program sees, and what is durable. An fsync of a file moves its writes
 * from the first to the second, an fsync of a directory its names. `crash` keeps the durable state and, by a
 * seeded choice, keeps, loses or tears each write that is not durable. After a failed fsync the writes that
 * it covered are visible but never become durable, as on Linux; and as there, the failure is reported once to
 * each descriptor that was open, so that of two fsyncs with the same one the other succeeds.
 */
import { dirname } from 'node:path';
import type { Files, OpenDirectory, OpenFile } from './files.ts';
import { JournalLocked } from './journal.ts';

export type Fault = { readonly call: number; readonly code: 'EIO' | 'ENOSPC' };
export type FaultyFilesOptions = {
  readonly seed?: number;
  /** Every write takes only some of the bytes and returns how many. */
  readonly shortWrites?: boolean;
  /** An fsync covers what was written before it began and takes a while, so that several overlap. */
  readonly slowSyncs?: boolean;
  /** A directory on another device: linking into it fails with EXDEV. */
  readonly farDirectory?: string;
};

type Write = { readonly position: number; readonly bytes: Uint8Array };
type Stored = { seen: Uint8Array; durable: Uint8Array; unsynced: Write[]; failedSyncs: number };
type Handle = { isClosed: boolean };
type NameChange = { readonly gone?: string; readonly path?: string; readonly stored?: Stored };

export class FaultyFiles implements Files {
  /** Calls so far that change or fsync something: writes, fsyncs, creations, renames, removals. */
  calls = 0;
  /** The n-th call fails; later calls work again. */
  fault: Fault | undefined;
  /** How many files may still be opened; opening more fails with EMFILE. */
  descriptorsFree = Number.POSITIVE_INFINITY;
  /** Bytes that files may still grow by; then writes fail with ENOSPC. */
  bytesFree = Number.POSITIVE_INFINITY;
  /** From the n-th call on everything fails: power is lost, only `crash` works. */
  stopAtCall: number | undefined;

  readonly #options: FaultyFilesOptions;
  readonly #random: () => number;
  readonly #changesByDirectory = new Map<string, NameChange[]>();
  readonly #locks = new Set<string>();
  #seen = new Map<string, Stored>();
  #durable = new Map<string, Stored>();
  #life = 0;

  constructor(options: FaultyFilesOptions = {}) {
    this.#options = options;
    this.#random = seededRandom(options.seed ?? 1);
  }

  open(path: string, mode: 'read' | 'change' | 'create'): OpenFile {
    const letGo = this.#takeDescriptor();
    const handle = { isClosed: false };
    const close = (): void => {
      handle.isClosed = true;
      letGo();
    };
    try {
      return { ...this.#open(path, mode, handle), close };
    } catch (cause) {
      letGo();
      throw cause;
    }
  }

  #open(path: string, mode: 'read' | 'change' | 'create', handle: Handle): Omit<OpenFile, 'close'> {
    if (mode === 'create') {
      this.#step();
      this.#changeName(dirname(path), { path, stored: newStored(new Uint8Array(0)) });
    }
    return this.#openFile(this.#storedAt(path), handle);
  }

  list(directory: string): string[] {
    return [...this.#seen.keys()]
      .filter((path) => dirname(path) === directory)
      .map((path) => path.slice(directory.length + 1));
  }

  makeDirectory(): void {
    // A directory exists as soon as it contains a file.
  }

  rename(from: string, to: string): void {
    const stored = this.#storedAt(from);
    this.#step();
    this.#changeName(dirname(to), { gone: from, path: to, stored });
  }

  link(from: string, to: string): void {
    const stored = this.#storedAt(from);
    if (dirname(to) === this.#options.farDirectory) throw fileError('EXDEV', to);
    if (this.#seen.has(to)) throw fileError('EEXIST', to);
    this.#step();
    this.#changeName(dirname(to), { path: to, stored });
  }

  remove(path: string): void {
    const stored = this.#storedAt(path);
    this.#step();
    this.bytesFree += stored.seen.length;
    this.#changeName(dirname(path), { gone: path });
  }

  async fsyncDirectory(directory: string): Promise<void> {
    const letGo = this.#takeDescriptor();
    try {
      await this.#syncNames(directory);
    } finally {
      letGo();
    }
  }

  async #syncNames(directory: string): Promise<void> {
    this.#step();
    for (const change of this.#changesByDirectory.get(directory) ?? []) {
      applyChange(this.#durable, change);
    }
    this.#changesByDirectory.delete(directory);
  }

  openDirectory(directory: string): OpenDirectory {
    const letGo = this.#takeDescriptor();
    return { fsync: () => this.#syncNames(directory), close: letGo };
  }

  lock(path: string): () => void {
    if (this.#locks.has(path)) throw new JournalLocked(path, `process ${process.pid}`);
    this.#locks.add(path);
    const life = this.#life;
    return () => {
      if (life === this.#life) this.#locks.delete(path);
    };
  }

  /** Power is lost and comes back. Open files are dead, locks are released. */
  crash(): void {
    for (const changes of this.#changesByDirectory.values()) {
      // A file system keeps the order of the changes within a directory, so a prefix of them survives.
      const kept = Math.floor(this.#random() * (changes.length + 1));
      for (const change of changes.slice(0, kept)) applyChange(this.#durable, change);
    }
    this.#changesByDirectory.clear();
    for (const stored of new Set(this.#durable.values())) {
      for (const write of stored.unsynced) this.#writePart(stored, write);
      stored.unsynced = [];
      stored.seen = stored.durable.slice();
    }
    this.#seen = new Map(this.#durable);
    this.#locks.clear();
    this.#life++;
    this.fault = undefined;
    this.stopAtCall = undefined;
  }

  /** The content of a file, for tests that damage it. */
  contents(path: string): Uint8Array {
    return this.#storedAt(path).seen.slice();
  }

  /** Sets the durable content directly. */
  setContents(path: string, bytes: Uint8Array): void {
    const stored = newStored(bytes);
    this.#seen.set(path, stored);
    this.#durable.set(path, stored);
  }

  /** Removes a file durably. */
  drop(path: string): void {
    this.#seen.delete(path);
    this.#durable.delete(path);
  }

  #takeDescriptor(): () => void {
    if (this.descriptorsFree < 1) throw fileError('EMFILE', 'too many open files');
    this.descriptorsFree--;
    let isHeld = true;
    return () => {
      if (isHeld) this.descriptorsFree++;
      isHeld = false;
    };
  }

  #openFile(stored: Stored, handle: Handle): Omit<OpenFile, 'close'> {
    const life = this.#life;
    const alive = (): void => {
      if (handle.isClosed) throw fileError('EBADF', 'a file that was closed');
      if (life !== this.#life) throw fileError('EBADF', 'a file opened before the crash');
    };
    const write = (bytes: Uint8Array, position: number): number => {
      alive();
      return this.#write(stored, bytes, position);
    };
    let toldFailedSyncs = stored.failedSyncs;
    const sync = (covered: readonly Write[]): void => {
      alive();
      try {
        this.#sync(stored, covered);
        if (stored.failedSyncs > toldFailedSyncs) throw fileError('EIO', 'an fsync before failed');
      } finally {
        toldFailedSyncs = stored.failedSyncs;
      }
    };
    const syncNow = (): void => sync(stored.unsynced);
    const syncSlowly = async (): Promise<void> => {
      alive();
      const covered = stored.unsynced.slice();
      for (let turns = this.#choose(SLOW_TURNS); turns > 0; turns--) await Promise.resolve();
      sync(covered);
    };
    return {
      size: () => stored.seen.length,
      read: (into, position) => {
        alive();
        const found = stored.seen.subarray(position, position + into.length);
        into.set(found);
        return found.length;
      },
      write,
      writeAside: async (bytes, position) => write(bytes, position),
      fsync: this.#options.slowSyncs === true ? syncSlowly : async () => syncNow(),
      syncNow,
    };
  }

  #write(stored: Stored, bytes: Uint8Array, position: number): number {
    const some = Math.floor(this.#random() * bytes.length);
    const growth = Math.max(0, position + bytes.length - stored.seen.length);
    if (growth > this.bytesFree) throw fileError('ENOSPC', 'no space left on device');
    this.bytesFree -= growth;
    try {
      this.#step();
    } catch (cause) {
      // A write that fails, or that a power loss interrupts, may have been done in part.
      remember(stored, { position, bytes: bytes.slice(0, some) });
      throw cause;
    }
    const count = this.#options.shortWrites === true ? Math.max(1, some) : bytes.length;
    remember(stored, { position, bytes: bytes.slice(0, count) });
    return count;
  }

  #sync(stored: Stored, covered: readonly Write[]): void {
    const isCovered = (write: Write): boolean => covered.includes(write);
    const rest = stored.unsynced.filter((write) => !isCovered(write));
    try {
      this.#step();
    } catch (cause) {
      if (!this.#isStopped()) {
        stored.unsynced = rest;
        stored.failedSyncs++;
      }
      throw cause;
    }
    for (const write of stored.unsynced.filter(isCovered)) {
      stored.durable = written(stored.durable, write);
    }
    stored.unsynced = rest;
  }

  /** Keeps all, none or some pieces of a write that was never synced. */
  #writePart(stored: Stored, write: Write): void {
    const fate = this.#random();
    if (fate < 0.25) return;
    const pieceBytes = fate < 0.5 ? write.bytes.length : ([16, 64, 512][this.#choose(3)] as number);
    const isWhole = fate < 0.5;
    for (let start = 0; start < write.bytes.length; start += pieceBytes) {
      if (!isWhole && this.#random() < 0.5) continue;
      const bytes = write.bytes.subarray(start, start + pieceBytes);
      stored.durable = written(stored.durable, { position: write.position + start, bytes });
    }
  }

  #choose(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #step(): void {
    this.calls++;
    if (this.#isStopped()) throw fileError('EIO', 'the power is gone');
    if (this.calls === this.fault?.call) throw fileError(this.fault.code, 'injected');
  }

  #isStopped(): boolean {
    return this.stopAtCall !== undefined && this.calls >= this.stopAtCall;
  }

  #storedAt(path: string): Stored {
    const stored = this.#seen.get(path);
    if (stored === undefined) throw fileError('ENOENT', path);
    return stored;
  }

  #changeName(directory: string, change: NameChange): void {
    applyChange(this.#seen, change);
    const changes = this.#changesByDirectory.get(directory) ?? [];
    changes.push(change);
    this.#changesByDirectory.set(directory, changes);
  }
}

/** Turns of the microtask queue that a slow fsync takes, at most. */
const SLOW_TURNS = 24;

const newStored = (bytes: Uint8Array): Stored => ({
  ...{ seen: bytes.slice(), durable: bytes.slice(), unsynced: [], failedSyncs: 0 },
});

function applyChange(names: Map<string, Stored>, change: NameChange): void {
  if (change.gone !== undefined) names.delete(change.gone);
  if (change.path !== undefined && change.stored !== undefined) {
    names.set(change.path, change.stored);
  }
}

function remember(stored: Stored, write: Write): void {
  stored.seen = written(stored.seen, write);
  stored.unsynced.push(write);
}

/** The content after a write: in place if there is room. */
function written(content: Uint8Array, { position, bytes }: Write): Uint8Array {
  const end = position + bytes.length;
  let changed = content;
  if (end > content.length) {
    changed = new Uint8Array(end);
    changed.set(content);
  }
  changed.set(bytes, position);
  return changed;
}

const fileError = (code: string, what: string): Error =>
  Object.assign(new Error(`${code}: ${what}`), { code });

/** Mulberry32: 32 bits of state are enough for choosing what a crash tears. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
