/**
 * The embedded journal: a directory of preallocated segment files, written by one process.
 *
 * One append is one write and one fdatasync into existing space, so there is no file size and no block map to
 * write: 0.1 ms at the median. The next segment is prepared in the background as `next.spare`, and retried
 * until that succeeds. All files that an append needs are already open, so that a shortage of descriptors
 * cannot stop it. When the active segment is full, header and first group go into the spare with one write;
 * it is synced, then renamed, then the directory is synced. So a file with a segment's name always has a
 * whole header and a whole first record.
 *
 * Opening reads all headers but only the two newest segments: older ones were checked when they were the
 * newest. A read checks them again by their checksums and for continuity. `verifyAll` also checks their
 * hashes, which take longer than everything else in reading: whoever replays an entry checks its outcome.
 */
import { join } from 'node:path';
import { archiveSegments, removeLeftovers, removeQuietly } from './archive.ts';
import {
  type Files,
  fillWithZeros,
  isOutOfDescriptors,
  type OpenDirectory,
  type OpenFile,
  realFiles,
  writeAll,
} from './files.ts';
import {
  type Entry,
  type Journal,
  JournalFailure,
  type JournalReader,
  refusalOfAppend,
} from './journal.ts';
import { LazySync } from './lazy-sync.ts';
import { encodeRecord, PAYLOAD_BYTES_MAX, recordBytesOf } from './record.ts';
import { type Active, type Found, findEnd, type Opened } from './segment-end.ts';
import { encodeHeader, encodeStamp, SEGMENT_HEADER_BYTES, segmentName } from './segment-header.ts';
import { openSegmentReader } from './segment-reader.ts';
import { measuredPace, type SyncPace } from './sync-pace.ts';
import { type Verified, verifySegments } from './verify.ts';

export type SegmentsOptions = {
  readonly directory: string;
  /** What this journal belongs to, e.g. the venue and the version of the rules; at most 256 bytes. */
  readonly stamp: string;
  /** Stamps that older segments may have as well. New entries then go to a new segment. */
  readonly olderStamps?: readonly string[];
  /**
   * Everything in it can be fetched again from elsewhere. An append does not wait for the disk: call `sync`
   * now and then. Opening cuts everything after the first damaged record of the newest segment, whatever
   * follows it.
   */
  readonly isCopy?: boolean;
  /** For an empty directory: a snapshot covers everything up to this sequence; the first entry is the next. */
  readonly beginsAfter?: number | undefined;
  readonly segmentBytes?: number;
  readonly files?: Files;
  /** Called when the next segment cannot be prepared, and when it then succeeds. */
  readonly onTrouble?: (words: string) => void;
  /** Runs a function after a while; after a second of real time by default. */
  readonly later?: (run: () => void) => void;
  /** Decides whether `appendNow` may wait for the disk; by default from how long the disk takes. */
  readonly pace?: SyncPace;
  /** Milliseconds of a monotonic clock, for the pace. */
  readonly nowMs?: () => number;
};

const SEGMENT_BYTES = 16 * 1024 * 1024;
const SEGMENT_BYTES_MIN = 1024;
const SPARE_NAME = 'next.spare';
const LOCK_NAME = 'writer.lock';

const inASecond = (run: () => void): void => void setTimeout(run, 1_000).unref();

/** Locks the directory for this process, checks its content, and cuts a torn tail. */
export async function openSegments(options: SegmentsOptions): Promise<Segments> {
  const { directory, files = realFiles } = options;
  checkOptions(options);
  files.makeDirectory(directory);
  const unlock = files.lock(join(directory, LOCK_NAME));
  try {
    removeLeftovers(files, directory);
    if (files.list(directory).includes(SPARE_NAME)) files.remove(join(directory, SPARE_NAME));
    return new Segments(options, await findEnd(files, options), unlock);
  } catch (cause) {
    unlock();
    throw cause;
  }
}

function checkOptions({ stamp, segmentBytes = SEGMENT_BYTES }: SegmentsOptions): void {
  encodeStamp(stamp);
  if (Number.isSafeInteger(segmentBytes) && segmentBytes >= SEGMENT_BYTES_MIN) return;
  throw new RangeError(`a segment has at least ${SEGMENT_BYTES_MIN} bytes, not ${segmentBytes}`);
}

export class Segments implements Journal {
  readonly opened: Opened;
  readonly #directory: string;
  readonly #files: Files;
  readonly #stamp: string;
  readonly #segmentBytes: number;
  readonly #reader: JournalReader;
  readonly #unlock: () => void;
  readonly #onTrouble: (words: string) => void;
  readonly #later: (run: () => void) => void;
  readonly #names: OpenDirectory;
  readonly #pace: SyncPace;
  readonly #nowMs: () => number;
  /** Only for a copy. */
  readonly #lazy: LazySync | undefined;
  #active: Active | undefined;
  /** Resolves when it is ready; rejects only when it is needed and cannot be created. */
  #spare: Promise<OpenFile>;
  #spareFailure: string | undefined;
  #chain: Uint8Array;
  #lastSequence: number;
  /** Space for a segment header, then the record: reused by every append. */
  #buffer = new Uint8Array(64 * 1024);
  #inFlight: Promise<void> | undefined;
  #failure: JournalFailure | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openSegments`. */
  constructor(options: SegmentsOptions, found: Found, unlock: () => void) {
    const { active, chain, ...opened } = found;
    this.opened = opened;
    const { directory } = options;
    this.#directory = directory;
    this.#files = options.files ?? realFiles;
    this.#stamp = options.stamp;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#reader = openSegmentReader({ directory, files: this.#files, checks: 'checksum' });
    this.#unlock = unlock;
    this.#onTrouble = options.onTrouble ?? (() => undefined);
    this.#later = options.later ?? inASecond;
    this.#names = this.#files.openDirectory(this.#directory);
    this.#pace = options.pace ?? measuredPace();
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#lazy = options.isCopy === true ? new LazySync() : undefined;
    this.#active = active;
    this.#chain = chain;
    this.#lastSequence = opened.lastSequence;
    this.#spare = this.#prepareSpare();
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Why there is no next segment yet, as text: appends will fail when this segment is full. */
  get spareFailure(): string | undefined {
    return this.#spareFailure;
  }

  /** The chain hash over every entry up to the last durable one, in hexadecimal. */
  get chain(): string {
    return Buffer.from(this.#chain).toString('hex');
  }

  append(entries: readonly Uint8Array[], expectedSequence: number): Promise<void> {
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (entries.length === 0) return Promise.resolve();
    const recordBytes = recordBytesOf(entries);
    if (recordBytes > PAYLOAD_BYTES_MAX) {
      return Promise.reject(new RangeError(`a group of ${recordBytes} bytes is too large`));
    }
    this.#inFlight = this.#write(entries, recordBytes);
    return this.#inFlight;
  }

  appendNow(entries: readonly Uint8Array[], expectedSequence: number): boolean {
    const recordBytes = recordBytesOf(entries);
    const active = this.#activeFor(recordBytes);
    if (active === undefined || entries.length === 0) return false;
    if (this.#lazy === undefined && !this.#pace.isOnThread()) return false;
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) throw refusal;
    try {
      const chain = this.#writeTo(active, entries, recordBytes);
      if (this.#lazy === undefined) this.#syncOnThread(active);
      else this.#lazy.wrote();
      this.#appended(chain, entries.length);
    } catch (cause) {
      throw this.#failed(entries.length, cause);
    }
    return true;
  }

  read(fromSequence: number): IterableIterator<Entry> {
    return this.#reader.read(fromSequence, this.#lastSequence);
  }

  /** For a copy: resolves when everything appended before is durable. Other journals always are. */
  async sync(): Promise<void> {
    try {
      await this.#lazy?.settle(() => this.#active?.file.fsync() ?? Promise.resolve());
    } catch (cause) {
      this.#failure ??= new JournalFailure('the journal could not be synced', { cause });
      throw this.#failure;
    }
  }

  /** Moves segments wholly below a sequence to another directory; returns their names. */
  archive(beforeSequence: number, directory: string): Promise<string[]> {
    return archiveSegments(this.#files, { from: this.#directory, to: directory, beforeSequence });
  }

  /** Reads and checks every record of every remaining segment. Not while an append is in flight. */
  verifyAll(): Verified {
    return verifySegments({ directory: this.#directory, files: this.#files });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #refusalOf(expectedSequence: number): Error | undefined {
    return refusalOfAppend({
      lastSequence: this.#lastSequence,
      expectedSequence,
      isInFlight: this.#inFlight !== undefined,
      isClosed: this.#closing !== undefined,
      failure: this.#failure,
    });
  }

  async #write(entries: readonly Uint8Array[], recordBytes: number): Promise<void> {
    try {
      const active = this.#activeFor(recordBytes);
      if (active === undefined) {
        this.#appended(await this.#appendToNew(entries, recordBytes), entries.length);
      } else {
        const chain = this.#writeTo(active, entries, recordBytes);
        // Also asynchronous for a copy: an append never finishes within the call.
        await (this.#lazy === undefined ? active.file.fsync() : this.#lazy.wrote());
        this.#appended(chain, entries.length);
      }
    } catch (cause) {
      throw this.#failed(entries.length, cause);
    } finally {
      this.#inFlight = undefined;
    }
  }

  #syncOnThread({ file }: Active): void {
    const startedMs = this.#nowMs();
    file.syncNow();
    this.#pace.took(this.#nowMs() - startedMs);
  }

  /** The active segment if it has this stamp and room for the record. */
  #activeFor(recordBytes: number): Active | undefined {
    const active = this.#active;
    const fits = active !== undefined && active.endOffset + recordBytes <= active.fileBytes;
    return fits && active.stamp === this.#stamp ? active : undefined;
  }

  #appended(chain: Uint8Array, count: number): void {
    this.#chain = chain;
    this.#lastSequence += count;
  }

  #failed(count: number, cause: unknown): JournalFailure {
    const group = `group of ${count} from sequence ${this.#lastSequence + 1}`;
    this.#failure = new JournalFailure(`${group}: outcome unknown`, { cause });
    return this.#failure;
  }

  /** Into the memory of the operating system; durable after an fsync. */
  #writeTo(active: Active, entries: readonly Uint8Array[], recordBytes: number): Uint8Array {
    const record = this.#room(recordBytes).subarray(SEGMENT_HEADER_BYTES);
    const chain = this.#encode(record, entries, active.salt);
    writeAll(active.file, record, active.endOffset);
    active.endOffset += recordBytes;
    return chain;
  }

  async #appendToNew(entries: readonly Uint8Array[], recordBytes: number): Promise<Uint8Array> {
    const neededBytes = SEGMENT_HEADER_BYTES + recordBytes;
    const spare = await this.#takeSpare();
    // Only the newest segment may be incomplete after a power cut.
    await this.sync();
    const header = {
      fileBytes: Math.max(neededBytes, this.#segmentBytes),
      firstSequence: this.#lastSequence + 1,
      previousFirstSequence: this.#active?.firstSequence ?? 0,
      previousChain: this.#chain,
      stamp: this.#stamp,
    };
    const bytes = this.#room(recordBytes);
    const salt = encodeHeader(bytes.subarray(0, SEGMENT_HEADER_BYTES), header);
    const chain = this.#encode(bytes.subarray(SEGMENT_HEADER_BYTES), entries, salt);
    writeAll(spare, bytes, 0);
    await spare.fsync();
    this.#files.rename(this.#path(SPARE_NAME), this.#path(segmentName(header.firstSequence)));
    await this.#names.fsync();
    this.#active?.file.close();
    this.#active = { ...header, file: spare, salt, endOffset: neededBytes };
    this.#spare = this.#prepareSpare();
    return chain;
  }

  #encode(record: Uint8Array, entries: readonly Uint8Array[], salt: number): Uint8Array {
    const firstSequence = this.#lastSequence + 1;
    return encodeRecord(record, { entries, firstSequence, previousChain: this.#chain, salt });
  }

  /** A buffer for a header and a record. */
  #room(recordBytes: number): Uint8Array {
    const neededBytes = SEGMENT_HEADER_BYTES + recordBytes;
    if (this.#buffer.length < neededBytes) this.#buffer = new Uint8Array(2 * neededBytes);
    return this.#buffer.subarray(0, neededBytes);
  }

  #prepareSpare(): Promise<OpenFile> {
    const spare = this.#makeSpare();
    spare.then(
      () => {
        if (this.#spareFailure === undefined) return;
        this.#spareFailure = undefined;
        this.#onTrouble(`the next segment of ${this.#directory} is ready again`);
      },
      (cause: unknown) => this.#spareFailed(spare, cause),
    );
    return spare;
  }

  /** Nothing was promised about a spare, so a failed one (on a full disk, for example) may be retried. */
  #spareFailed(failed: Promise<OpenFile>, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (this.#spareFailure === undefined) {
      this.#onTrouble(`the next segment of ${this.#directory} cannot be made ready: ${reason}`);
    }
    this.#spareFailure = reason;
    this.#retryLater(failed);
  }

  /** Not while an append runs: it may be creating one itself, under the same name. */
  #retryLater(failed: Promise<OpenFile>): void {
    this.#later(() => {
      if (this.#closing !== undefined || this.#spare !== failed) return;
      if (this.#inFlight === undefined) this.#spare = this.#prepareSpare();
      else this.#retryLater(failed);
    });
  }

  /**
   * The spare, when it is needed. A failed one is tried once more; if only descriptors are missing, it waits,
   * because connections come and go.
   */
  async #takeSpare(): Promise<OpenFile> {
    try {
      return await this.#spare;
    } catch {
      for (;;) {
        try {
          const spare = await this.#makeSpare();
          this.#spareFailure = undefined;
          return spare;
        } catch (cause) {
          if (!isOutOfDescriptors(cause) || this.#closing !== undefined) throw cause;
          await new Promise<void>((resolve) => this.#later(resolve));
        }
      }
    }
  }

  async #makeSpare(): Promise<OpenFile> {
    const file = this.#files.open(this.#path(SPARE_NAME), 'create');
    try {
      // Nothing is appended yet that could wait for the first one.
      const how = this.#active === undefined ? 'at once' : 'in durable pieces';
      await fillWithZeros(file, 0, this.#segmentBytes, how);
      await this.#names.fsync();
      return file;
    } catch (cause) {
      file.close();
      removeQuietly(this.#files, this.#path(SPARE_NAME));
      throw cause;
    }
  }

  async #close(): Promise<void> {
    await this.#inFlight?.catch(() => undefined);
    if (this.#failure === undefined) await this.sync().catch(() => undefined);
    const spare = await this.#spare.catch(() => undefined);
    spare?.close();
    this.#active?.file.close();
    this.#reader.close();
    this.#names.close();
    this.#unlock();
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}
