/**
 * The name and the header of a segment file.
 *
 *   0 magic · 8 version u32 · 12 checksum u32 · 16 file length u64 · 24 first sequence u64
 *   32 first sequence of the segment before, 0 for none · 40 chain hash before the first record
 *   72 stamp length u32 · 76 stamp · zeros up to 512
 *
 * Each segment names the one before it, so that a missing one is noticed without reading any record.
 */
import { crc32 } from 'node:zlib';
import { type Files, isMissing, type OpenFile } from './files.ts';
import { JournalDamaged } from './journal.ts';
import { CHAIN_BYTES, getWhole, setWhole, viewOf } from './record.ts';

const SEGMENT_VERSION = 1;
export const SEGMENT_HEADER_BYTES = 512;
export const STAMP_BYTES_MAX = 256;
const MAGIC = new TextEncoder().encode('RIALTOJ\n');
const STAMP_OFFSET = 76;

export type SegmentHeader = {
  readonly fileBytes: number;
  readonly firstSequence: number;
  readonly previousFirstSequence: number;
  readonly previousChain: Uint8Array;
  readonly stamp: string;
};
/** The salt is the header's own checksum: it depends on everything before this segment. */
export type ReadHeader = SegmentHeader & { readonly salt: number };

export const segmentName = (firstSequence: number): string =>
  `${String(firstSequence).padStart(20, '0')}.journal`;

/** First sequences of the segments in a directory, ascending. */
export function listSegments(files: Files, directory: string): number[] {
  return files
    .list(directory)
    .filter((name) => /^\d{20}\.journal$/.test(name))
    .map((name) => Number(name.slice(0, 20)))
    .sort((a, b) => a - b);
}

/** Writes the header to `into`, which has SEGMENT_HEADER_BYTES, and returns its salt. */
export function encodeHeader(into: Uint8Array, header: SegmentHeader): number {
  const stamp = encodeStamp(header.stamp);
  const view = viewOf(into);
  into.fill(0);
  into.set(MAGIC);
  view.setUint32(8, SEGMENT_VERSION, true);
  setWhole(view, 16, header.fileBytes);
  setWhole(view, 24, header.firstSequence);
  setWhole(view, 32, header.previousFirstSequence);
  into.set(header.previousChain, 40);
  view.setUint32(72, stamp.length, true);
  into.set(stamp, STAMP_OFFSET);
  const salt = crc32(into.subarray(16));
  view.setUint32(12, salt, true);
  return salt;
}

/** Reads and checks the header of an open segment; it must have the first sequence that the file name says. */
export function readHeader(file: OpenFile, path: string, firstSequence: number): ReadHeader {
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  const count = file.read(bytes, 0);
  const view = viewOf(bytes);
  const refuse = (offset: number, reason: string): never => {
    throw new JournalDamaged({ file: path, offset }, reason);
  };
  if (count < SEGMENT_HEADER_BYTES) refuse(count, 'the file ends within the segment header');
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) refuse(0, 'this is no journal segment');
  const version = view.getUint32(8, true);
  if (version !== SEGMENT_VERSION) {
    refuse(8, `the segment has format version ${version}, this program reads ${SEGMENT_VERSION}`);
  }
  const salt = crc32(bytes.subarray(16));
  if (salt !== view.getUint32(12, true)) refuse(12, 'the checksum of the segment header differs');
  const header = {
    fileBytes: getWhole(view, 16),
    firstSequence: getWhole(view, 24),
    previousFirstSequence: getWhole(view, 32),
    previousChain: bytes.slice(40, 40 + CHAIN_BYTES),
    stamp: new TextDecoder().decode(
      bytes.subarray(STAMP_OFFSET, STAMP_OFFSET + view.getUint32(72, true)),
    ),
    salt,
  };
  if (header.firstSequence !== firstSequence) {
    refuse(24, `the segment begins at sequence ${header.firstSequence}, its name says otherwise`);
  }
  return header;
}

/** Undefined if there is no such segment. */
export function openSegment(files: Files, path: string): OpenFile | undefined {
  try {
    return files.open(path, 'read');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

export function encodeStamp(stamp: string): Uint8Array {
  const bytes = new TextEncoder().encode(stamp);
  if (bytes.length <= STAMP_BYTES_MAX) return bytes;
  throw new RangeError(`a stamp has at most ${STAMP_BYTES_MAX} bytes, this one ${bytes.length}`);
}
