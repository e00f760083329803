/**
 * The embedded journal: a directory of preallocated segment files, written by one process.
 *
 * One append is one write and one fdatasync into existing space, so there is no file size and no block map to
 * write: 0.1 ms at the median. All files that an append needs are already open, so that a shortage of
 * descriptors cannot stop it. When the active segment is full, header and first group go into the spare
 * (spare-segment.ts) with one write; it is synced, then renamed, then the directory is synced. So a file with a
 * segment's name always has a whole header and a whole first record.
 *
 * On a slow disk several appends may be in flight in the active segment, each with an fsync of its own. They are
 * acknowledged in their order, and if one fails, so do all after it. A new segment waits for all before it.
 *
 * Opening reads all headers but only the two newest segments: older ones were checked when they were the
 * newest. A read checks them again by their checksums and for continuity. `verifyAll` also checks their
 * hashes, which take longer than everything else in reading: whoever replays an entry checks its outcome.
 */
import { join } from 'node:path';
import {
  type Active,
  type Appending,
  bytesInFlight,
  type NewGroup,
  syncHandleFor,
} from './active-segment.ts';
import { archiveSegments, removeLeftovers } from './archive.ts';
import { type Files, type OpenDirectory, realFiles, writeAll } from './files.ts';
import {
  type Entry,
  type Journal,
  JournalFailure,
  type JournalReader,
  refusalOfAppend,
} from './journal.ts';
import { LazySync } from './lazy-sync.ts';
import { encodeRecord, PAYLOAD_BYTES_MAX, recordBytesOf } from './record.ts';
import { type Found, findEnd, type Opened } from './segment-end.ts';
import { encodeHeader, encodeStamp, SEGMENT_HEADER_BYTES, segmentName } from './segment-header.ts';
import { openSegmentReader } from './segment-reader.ts';
import { SPARE_NAME, SpareSegment } from './spare-segment.ts';
import { SyncHandles } from './sync-handles.ts';
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
  /**
   * Decides whether `appendNow` may wait for the disk, and how many appends may be in flight; by default from
   * how long the disk takes.
   */
  readonly pace?: SyncPace;
  /** Milliseconds of a monotonic clock, for the pace. */
  readonly nowMs?: () => number;
};

const SEGMENT_BYTES = 16 * 1024 * 1024;
const SEGMENT_BYTES_MIN = 1024;
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
  readonly #names: OpenDirectory;
  readonly #spare: SpareSegment;
  readonly #pace: SyncPace;
  readonly #nowMs: () => number;
  /** Only for a copy. */
  readonly #lazy: LazySync | undefined;
  #active: Active | undefined;
  /** Up to the last durable entry. */
  #chain: Uint8Array;
  #lastSequence: number;
  /** Up to the last one that was handed over, durable or not. */
  #newestChain: Uint8Array;
  #newestSequence: number;
  /** Space for a segment header, then the record: reused by every append. */
  #buffer = new Uint8Array(64 * 1024);
  #inFlight = 0;
  /** Whether the newest append waits for those before it, or writes a new segment: nothing may be added. */
  #isAlone = false;
  /** Resolves when all appends have settled, and says whether the newest was acknowledged. */
  #settled: Promise<boolean> = Promise.resolve(true);
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
    this.#names = this.#files.openDirectory(this.#directory);
    this.#pace = options.pace ?? measuredPace();
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#lazy = options.isCopy === true ? new LazySync() : undefined;
    this.#active = active;
    this.#chain = chain;
    this.#lastSequence = opened.lastSequence;
    this.#newestChain = chain;
    this.#newestSequence = opened.lastSequence;
    const spare = {
      files: this.#files,
      directory,
      names: this.#names,
      bytes: this.#segmentBytes,
      onTrouble: options.onTrouble ?? (() => undefined),
      later: options.later ?? inASecond,
    };
    this.#spare = new SpareSegment(spare, active === undefined);
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Why there is no next segment yet, as text: appends will fail when this segment is full. */
  get spareFailure(): string | undefined {
    return this.#spare.failure;
  }

  /** The chain hash over every entry up to the last durable one, in hexadecimal. */
  get chain(): string {
    return Buffer.from(this.#chain).toString('hex');
  }

  get appendsMax(): number {
    return this.#isAlone || this.#lazy !== undefined ? 1 : this.#pace.appendsMax();
  }

  append(entries: readonly Uint8Array[], expectedSequence: number): Promise<void> {
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (entries.length === 0) return Promise.resolve();
    const recordBytes = recordBytesOf(entries);
    if (recordBytes > PAYLOAD_BYTES_MAX) {
      return Promise.reject(new RangeError(`a group of ${recordBytes} bytes is too large`));
    }
    const before = this.#settled;
    if (this.#inFlight > 0) this.#pace.overlapped();
    const appended = this.#append(this.#handedOver(entries, recordBytes));
    const failed = (): Promise<boolean> => before.then(() => false);
    this.#settled = appended.then(() => true, failed);
    return appended;
  }

  appendNow(entries: readonly Uint8Array[], expectedSequence: number): boolean {
    const recordBytes = recordBytesOf(entries);
    const active = this.#activeFor(recordBytes);
    if (active === undefined || entries.length === 0) return false;
    if (this.#inFlight === 0 && this.#lazy === undefined && !this.#pace.isOnThread()) return false;
    const refusal = this.#refusalOf(expectedSequence);
    if (refusal !== undefined) throw refusal;
    if (this.#inFlight > 0) return false;
    const group = this.#handedOver(entries, recordBytes);
    try {
      const chain = this.#writeTo(active, group);
      if (this.#lazy === undefined) this.#syncOnThread(active);
      else this.#lazy.wrote();
      active.durableOffset = active.endOffset;
      this.#appended(group, chain);
    } catch (cause) {
      throw this.#failed(group, cause);
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

  /** Reads and checks every record of every remaining segment. Not while one is being appended. */
  verifyAll(): Verified {
    return verifySegments({ directory: this.#directory, files: this.#files });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #refusalOf(expectedSequence: number): Error | undefined {
    return refusalOfAppend({
      lastSequence: this.#newestSequence,
      expectedSequence,
      isFull: this.#inFlight >= this.appendsMax,
      isClosed: this.#closing !== undefined,
      failure: this.#failure,
    });
  }

  #handedOver(entries: readonly Uint8Array[], recordBytes: number): NewGroup {
    const firstSequence = this.#newestSequence + 1;
    this.#newestSequence += entries.length;
    return { entries, recordBytes, firstSequence };
  }

  async #append(group: NewGroup): Promise<void> {
    const before = this.#inFlight > 0 ? this.#settled : undefined;
    this.#inFlight++;
    try {
      const active = this.#activeFor(group.recordBytes);
      const handle = active === undefined ? undefined : syncHandleFor(active);
      if (active !== undefined && handle !== undefined) {
        await this.#appendTo(active, group, { handle, before });
        return;
      }
      this.#isAlone = true;
      await this.#acknowledged(before);
      if (active === undefined) await this.#appendToNew(group);
      else
        await this.#appendTo(active, group, { handle: active.syncHandles.take() ?? active.file });
      this.#isAlone = false;
    } catch (cause) {
      throw this.#failed(group, cause);
    } finally {
      this.#inFlight--;
    }
  }

  async #appendTo(active: Active, group: NewGroup, how: Appending): Promise<void> {
    const { handle, before } = how;
    const chain = this.#writeTo(active, group);
    const { endOffset } = active;
    // Also asynchronous for a copy: an append never finishes within the call.
    await (this.#lazy === undefined ? handle.fsync() : this.#lazy.wrote());
    active.syncHandles.giveBack(handle);
    await this.#acknowledged(before);
    active.durableOffset = endOffset;
    this.#appended(group, chain);
  }

  /** Resolves when the append before was acknowledged; throws if it was not. */
  async #acknowledged(before: Promise<boolean> | undefined): Promise<void> {
    if (before !== undefined && !(await before)) throw this.#failure;
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

  #appended({ firstSequence, entries }: NewGroup, chain: Uint8Array): void {
    this.#chain = chain;
    this.#lastSequence = firstSequence + entries.length - 1;
  }

  #failed({ firstSequence, entries }: NewGroup, cause: unknown): JournalFailure {
    const group = `group of ${entries.length} from sequence ${firstSequence}`;
    this.#failure ??= new JournalFailure(`${group}: outcome unknown`, { cause });
    return this.#failure;
  }

  /** Into the memory of the operating system; durable after an fsync. Returns the new chain hash. */
  #writeTo(active: Active, group: NewGroup): Uint8Array {
    const record = this.#room(group.recordBytes).subarray(SEGMENT_HEADER_BYTES);
    const chain = this.#encode(record, group, active.salt, bytesInFlight(active));
    try {
      writeAll(active.file, record, active.endOffset);
    } catch (cause) {
      // At once: the next group must not be written in its place.
      throw this.#failed(group, cause);
    }
    active.endOffset += group.recordBytes;
    return chain;
  }

  async #appendToNew(group: NewGroup): Promise<void> {
    const neededBytes = SEGMENT_HEADER_BYTES + group.recordBytes;
    const spare = await this.#spare.take();
    // Only the newest segment may be incomplete after a power cut.
    await this.sync();
    const header = {
      fileBytes: Math.max(neededBytes, this.#segmentBytes),
      firstSequence: group.firstSequence,
      previousFirstSequence: this.#active?.firstSequence ?? 0,
      previousChain: this.#chain,
      stamp: this.#stamp,
    };
    const bytes = this.#room(group.recordBytes);
    const salt = encodeHeader(bytes.subarray(0, SEGMENT_HEADER_BYTES), header);
    const chain = this.#encode(bytes.subarray(SEGMENT_HEADER_BYTES), group, salt, 0);
    writeAll(spare, bytes, 0);
    await spare.fsync();
    const path = this.#path(segmentName(header.firstSequence));
    this.#files.rename(this.#path(SPARE_NAME), path);
    await this.#names.fsync();
    this.#active?.syncHandles.close();
    const syncHandles = new SyncHandles(spare, () => this.#files.open(path, 'change'));
    const end = { endOffset: neededBytes, durableOffset: neededBytes };
    this.#active = { ...header, file: spare, syncHandles, salt, ...end };
    this.#spare.prepareNext();
    this.#appended(group, chain);
  }

  #encode(record: Uint8Array, group: NewGroup, salt: number, inFlightBytes: number): Uint8Array {
    const { entries, firstSequence } = group;
    const previousChain = this.#newestChain;
    const content = { entries, firstSequence, previousChain, salt, inFlightBytes };
    this.#newestChain = encodeRecord(record, content);
    return this.#newestChain;
  }

  /** A buffer for a header and a record. */
  #room(recordBytes: number): Uint8Array {
    const neededBytes = SEGMENT_HEADER_BYTES + recordBytes;
    if (this.#buffer.length < neededBytes) this.#buffer = new Uint8Array(2 * neededBytes);
    return this.#buffer.subarray(0, neededBytes);
  }

  async #close(): Promise<void> {
    this.#spare.giveUp();
    await this.#settled;
    if (this.#failure === undefined) await this.sync().catch(() => undefined);
    await this.#spare.close();
    this.#active?.syncHandles.close();
    this.#reader.close();
    this.#names.close();
    this.#unlock();
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}
