/**
 * The embedded journal: a directory of preallocated segment files, written by one process.
 *
 * One append is one write and one fdatasync into space that already exists, so the sync has no file
 * size and no block map to write: 0.1 ms at the median. The segment after the active one is made
 * ready in the background as `next.spare`, again and again until it could be. All that an append
 * needs is open: both files and the directory, so that no crowd of connections can stop it. When the active one is full, header and first group go
 * into the spare with one write; it is synced, then renamed, then the directory is synced. So a file
 * with a segment's name always has a whole header and a whole first record.
 *
 * Opening reads all headers but only the two newest segments: older ones were checked when they
 * were the newest, and `verifyAll` or any read checks them again.
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
  fenceOf,
  type Journal,
  JournalFailure,
  type JournalReader,
} from './journal.ts';
import { CHAIN_BYTES, encodeRecord, PAYLOAD_BYTES_MAX, recordBytesOf } from './record.ts';
import { encodeHeader, encodeStamp, SEGMENT_HEADER_BYTES, segmentName } from './segment-header.ts';
import { openSegmentReader } from './segment-reader.ts';
import type { Cut, Tail } from './tail.ts';
import { checkFrom, checkHeaders, type Verified, verifySegments } from './verify.ts';

export type SegmentsOptions = {
  readonly directory: string;
  /** What this journal is of, e.g. venue and version of the rules; at most 256 bytes. */
  readonly stamp: string;
  /** Stamps that older segments may carry as well. New entries then go to a new segment. */
  readonly olderStamps?: readonly string[];
  readonly segmentBytes?: number;
  readonly files?: Files;
  /** Told when the next segment cannot be made ready, and when it could be after all. */
  readonly onTrouble?: (words: string) => void;
  /** Runs something in a while; a second of real time unless handed in. */
  readonly later?: (run: () => void) => void;
};

/** How the journal was found. */
export type Opened = {
  readonly segments: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** What a crash left behind the last whole group, now thrown away. */
  readonly cut: Cut | undefined;
};

const SEGMENT_BYTES = 16 * 1024 * 1024;
const SEGMENT_BYTES_MIN = 1024;
const SPARE_NAME = 'next.spare';
const LOCK_NAME = 'writer.lock';

const inASecond = (run: () => void): void => void setTimeout(run, 1_000).unref();

type Active = {
  readonly file: OpenFile;
  readonly firstSequence: number;
  readonly fileBytes: number;
  readonly stamp: string;
  readonly salt: number;
  endOffset: number;
};
type Found = Opened & { readonly active: Active | undefined; readonly chain: Uint8Array };

/** Takes the directory for this process, checks what is there, cuts a torn tail. */
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

async function findEnd(files: Files, options: SegmentsOptions): Promise<Found> {
  const { directory, stamp, olderStamps = [] } = options;
  const headers = checkHeaders(files, directory, [stamp, ...olderStamps]);
  const newest = headers.at(-1);
  if (newest === undefined) {
    const chain = new Uint8Array(CHAIN_BYTES);
    return {
      segments: 0,
      firstSequence: 0,
      lastSequence: 0,
      cut: undefined,
      active: undefined,
      chain,
    };
  }
  const first = (headers.at(-2) ?? newest).firstSequence;
  const tail = checkFrom(files, directory, first, newest.firstSequence);
  const file = files.open(join(directory, segmentName(newest.firstSequence)), 'change');
  try {
    await settleTail(file, tail, newest.fileBytes);
    await files.syncDirectory(directory);
  } catch (cause) {
    file.close();
    throw cause;
  }
  return {
    segments: headers.length,
    firstSequence: headers[0]?.firstSequence ?? 0,
    lastSequence: tail.lastSequence,
    cut: tail.cut,
    active: { ...newest, file, endOffset: tail.endOffset },
    chain: tail.chain,
  };
}

/**
 * Makes durable what will be built upon. The last group may be in memory only: its writer died
 * before the sync, or the sync failed and the kernel forgot that the pages are dirty. So it is
 * written again, not only synced.
 */
async function settleTail(file: OpenFile, tail: Tail, fileBytes: number): Promise<void> {
  const lastRecord = new Uint8Array(tail.endOffset - tail.lastRecordOffset);
  file.read(lastRecord, tail.lastRecordOffset);
  writeAll(file, lastRecord, tail.lastRecordOffset);
  if (tail.cut !== undefined) await fillWithZeros(file, tail.endOffset, fileBytes);
  await file.sync();
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
  #active: Active | undefined;
  /** Resolves when there is one; fails only when it is needed and cannot be had. */
  #spare: Promise<OpenFile>;
  #spareFailure: string | undefined;
  #chain: Uint8Array;
  #lastSequence: number;
  /** Room for a segment header, then the record: used again by every append. */
  #buffer = new Uint8Array(64 * 1024);
  #inFlight: Promise<void> | undefined;
  #failure: JournalFailure | undefined;
  #closing: Promise<void> | undefined;

  /** Use `openSegments`. */
  constructor(options: SegmentsOptions, found: Found, unlock: () => void) {
    const { active, chain, ...opened } = found;
    this.opened = opened;
    this.#directory = options.directory;
    this.#files = options.files ?? realFiles;
    this.#stamp = options.stamp;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#reader = openSegmentReader({ directory: this.#directory, files: this.#files });
    this.#unlock = unlock;
    this.#onTrouble = options.onTrouble ?? (() => undefined);
    this.#later = options.later ?? inASecond;
    this.#names = this.#files.openDirectory(this.#directory);
    this.#active = active;
    this.#chain = chain;
    this.#lastSequence = opened.lastSequence;
    this.#spare = this.#prepareSpare();
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Why there is no next segment yet, in words: when this one is full, appends would fail. */
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

  read(fromSequence: number): IterableIterator<Entry> {
    return this.#reader.read(fromSequence, this.#lastSequence);
  }

  /** Moves segments wholly below a sequence to another directory; answers their names. */
  archive(beforeSequence: number, directory: string): Promise<string[]> {
    return archiveSegments(this.#files, { from: this.#directory, to: directory, beforeSequence });
  }

  /** Reads and checks every record of every segment still here. Not while an append is in flight. */
  verifyAll(): Verified {
    return verifySegments({ directory: this.#directory, files: this.#files });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #refusalOf(expectedSequence: number): Error | undefined {
    if (this.#closing !== undefined) return new JournalFailure('the journal is closed');
    if (this.#failure !== undefined) return this.#failure;
    return fenceOf({
      lastSequence: this.#lastSequence,
      expectedSequence,
      isInFlight: this.#inFlight !== undefined,
    });
  }

  async #write(entries: readonly Uint8Array[], recordBytes: number): Promise<void> {
    try {
      const active = this.#active;
      const fits = active !== undefined && active.endOffset + recordBytes <= active.fileBytes;
      const chain =
        fits && active.stamp === this.#stamp
          ? await this.#appendTo(active, entries, recordBytes)
          : await this.#appendToNew(entries, recordBytes);
      this.#chain = chain;
      this.#lastSequence += entries.length;
    } catch (cause) {
      this.#failure = new JournalFailure(
        `group of ${entries.length} from sequence ${this.#lastSequence + 1}: outcome unknown`,
        { cause },
      );
      throw this.#failure;
    } finally {
      this.#inFlight = undefined;
    }
  }

  async #appendTo(
    active: Active,
    entries: readonly Uint8Array[],
    recordBytes: number,
  ): Promise<Uint8Array> {
    const record = this.#room(recordBytes).subarray(SEGMENT_HEADER_BYTES);
    const chain = this.#encode(record, entries, active.salt);
    writeAll(active.file, record, active.endOffset);
    active.endOffset += recordBytes;
    await active.file.sync();
    return chain;
  }

  async #appendToNew(entries: readonly Uint8Array[], recordBytes: number): Promise<Uint8Array> {
    const neededBytes = SEGMENT_HEADER_BYTES + recordBytes;
    const spare = await this.#takeSpare();
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
    await spare.sync();
    this.#files.rename(this.#path(SPARE_NAME), this.#path(segmentName(header.firstSequence)));
    await this.#names.sync();
    this.#active?.file.close();
    this.#active = { ...header, file: spare, salt, endOffset: neededBytes };
    this.#spare = this.#prepareSpare();
    return chain;
  }

  #encode(record: Uint8Array, entries: readonly Uint8Array[], salt: number): Uint8Array {
    const firstSequence = this.#lastSequence + 1;
    return encodeRecord(record, { entries, firstSequence, previousChain: this.#chain, salt });
  }

  /** The buffer for a header and a record. */
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

  /** Nothing was promised of a spare, so one that failed, on a full disk say, may be tried again. */
  #spareFailed(failed: Promise<OpenFile>, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (this.#spareFailure === undefined) {
      this.#onTrouble(`the next segment of ${this.#directory} cannot be made ready: ${reason}`);
    }
    this.#spareFailure = reason;
    this.#retryLater(failed);
  }

  /** Not while an append runs: it may be making one itself, in the same place. */
  #retryLater(failed: Promise<OpenFile>): void {
    this.#later(() => {
      if (this.#closing !== undefined || this.#spare !== failed) return;
      if (this.#inFlight === undefined) this.#spare = this.#prepareSpare();
      else this.#retryLater(failed);
    });
  }

  /**
   * The spare, now that it is needed. One that failed is tried once more; while only descriptors are
   * missing it is waited for, because connections come and go.
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
      await fillWithZeros(file, 0, this.#segmentBytes);
      await file.sync();
      await this.#names.sync();
      return file;
    } catch (cause) {
      file.close();
      removeQuietly(this.#files, this.#path(SPARE_NAME));
      throw cause;
    }
  }

  async #close(): Promise<void> {
    await this.#inFlight?.catch(() => undefined);
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
