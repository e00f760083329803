/**
 * Walks the records of one segment and checks each before it is returned: checksum, format, sequence, and the
 * chain hash from the previous record.
 */
import { join } from 'node:path';
import type { Files, OpenFile } from './files.ts';
import { JournalDamaged } from './journal.ts';
import {
  chainAfter,
  decodeRecord,
  type Group,
  RECORD_HEADER_BYTES,
  recordBytesAt,
} from './record.ts';
import {
  openSegment,
  type ReadHeader,
  readHeader,
  SEGMENT_HEADER_BYTES,
  segmentName,
} from './segment-header.ts';

/** The position of a walk: everything before it has been checked. */
export type Place = {
  readonly segmentFirst: number;
  readonly offset: number;
  readonly nextSequence: number;
  readonly chain: Uint8Array;
};
/** There is no record here: 'end' if none was ever written, 'bad' if there is something else. */
export type Stop = { readonly stopped: 'end' | 'bad'; readonly reason: string };

/**
 * How a record is checked before it is returned: always by its checksum, format and sequence; by the chain
 * hash too, unless the reader leaves that to others. Hashing takes as long as everything else in reading.
 */
export type Checks = 'chain' | 'checksum';
/** Which segment to walk, by its first sequence, and from where; from its beginning if omitted. */
export type Walk = {
  readonly first: number;
  readonly from?: Place | undefined;
  readonly checks?: Checks | undefined;
  /** Returned entries are valid until more are requested: the memory is reused. */
  readonly isReused?: boolean | undefined;
};

const CHUNK_BYTES_MIN = 16 * 1024;
const CHUNK_BYTES_MAX = 1024 * 1024;

export class SegmentWalker {
  readonly path: string;
  readonly header: ReadHeader;
  readonly checks: Checks;
  readonly isReused: boolean;
  readonly #file: OpenFile;
  #place: Place;
  #chunk = new Uint8Array(0);
  #chunkStart = 0;
  #chunkBytes = CHUNK_BYTES_MIN;
  #memory = new Uint8Array(0);

  constructor(file: OpenFile, path: string, { first: segmentFirst, from, checks, isReused }: Walk) {
    this.path = path;
    this.isReused = isReused === true;
    this.#file = file;
    this.checks = checks ?? 'chain';
    this.header = readHeader(file, path, segmentFirst);
    this.#place = from ?? {
      segmentFirst,
      offset: SEGMENT_HEADER_BYTES,
      nextSequence: segmentFirst,
      chain: this.header.previousChain,
    };
  }

  get place(): Place {
    return this.#place;
  }

  next(): Group | Stop {
    const { segmentFirst, offset, nextSequence, chain } = this.#place;
    const recordBytes = recordBytesAt(this.#window(offset, RECORD_HEADER_BYTES));
    if (recordBytes === undefined) return bad('no record starts here');
    if (recordBytes === 0) return { stopped: 'end', reason: 'nothing was written here' };
    const record = this.#window(offset, recordBytes);
    if (record.length < recordBytes) return bad('the record runs past the end of the file');
    const group = decodeRecord(record, this.header.salt);
    if (typeof group === 'string') return bad(group);
    if (group.firstSequence !== nextSequence) {
      return bad(`the record begins at sequence ${group.firstSequence}, not ${nextSequence}`);
    }
    if (this.checks === 'chain') {
      const expected = chainAfter(chain, group.payload);
      if (Buffer.compare(expected, group.chain) !== 0) return bad('the chain hash differs');
    }
    this.#place = {
      segmentFirst,
      offset: offset + recordBytes,
      nextSequence: group.lastSequence + 1,
      chain: this.isReused ? new Uint8Array(group.chain) : group.chain,
    };
    return group;
  }

  /** Returns to a position in this segment; what was read before is read again on request. */
  goOnFrom(place: Place): void {
    this.#place = place;
    this.#chunk = new Uint8Array(0);
    this.#chunkBytes = CHUNK_BYTES_MIN;
  }

  /** All bytes from an offset to the end of the file. */
  rest(offset: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, this.#file.size() - offset));
    return bytes.subarray(0, this.#file.read(bytes, offset));
  }

  damage(reason: string): JournalDamaged {
    return new JournalDamaged({ file: this.path, offset: this.#place.offset }, reason);
  }

  close(): void {
    this.#file.close();
  }

  /**
   * The bytes at an offset, fewer at the end of the file. A chunk is never read into twice, because returned
   * entries are views into it; chunks grow, so that a follower that takes one group at a time does not pay
   * for a megabyte.
   */
  #window(offset: number, length: number): Uint8Array {
    const start = offset - this.#chunkStart;
    if (start + length > this.#chunk.length) {
      const chunk = this.#room(Math.max(length, this.#chunkBytes));
      this.#chunk = chunk.subarray(0, this.#file.read(chunk, offset));
      this.#chunkStart = offset;
      this.#chunkBytes = Math.min(this.#chunkBytes * 2, CHUNK_BYTES_MAX);
      return this.#chunk.subarray(0, length);
    }
    return this.#chunk.subarray(start, start + length);
  }

  #room(bytes: number): Uint8Array<ArrayBuffer> {
    if (!this.isReused) return unfilled(bytes);
    if (this.#memory.length < bytes) this.#memory = unfilled(bytes);
    return this.#memory.subarray(0, bytes);
  }
}

/** Not zeroed: it is read into at once. */
const unfilled = (bytes: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);

const bad = (reason: string): Stop => ({ stopped: 'bad', reason });

/** Undefined if there is no such segment. */
export function walkSegment(
  files: Files,
  directory: string,
  walk: Walk,
): SegmentWalker | undefined {
  const path = join(directory, segmentName(walk.first));
  const file = openSegment(files, path);
  if (file === undefined) return undefined;
  try {
    return new SegmentWalker(file, path, walk);
  } catch (cause) {
    file.close();
    throw cause;
  }
}

/** The segment that continues where this one has stopped; it must follow without a gap. */
export function walkOn(
  files: Files,
  directory: string,
  before: SegmentWalker,
  stop: Stop,
): SegmentWalker {
  if (stop.stopped === 'bad') throw before.damage(stop.reason);
  const { segmentFirst, nextSequence, chain } = before.place;
  // Without this check an emptied segment would follow itself for ever.
  if (nextSequence === segmentFirst) throw before.damage('the first record is missing');
  const { checks, isReused } = before;
  const next = walkSegment(files, directory, { first: nextSequence, checks, isReused });
  if (next === undefined) throw before.damage(`sequence ${nextSequence} and on are missing`);
  if (Buffer.compare(next.header.previousChain, chain) !== 0) {
    next.close();
    throw next.damage('the chain hash does not follow from the segment before');
  }
  return next;
}
