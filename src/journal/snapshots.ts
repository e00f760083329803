/**
 * Blobs by sequence, beside the journal: the state after an entry, so that a start need not replay everything
 * before it. A snapshot is never the only copy of anything, so a damaged one is skipped and reported, whereas
 * a damaged journal is refused.
 *
 *   0 magic · 8 SHA-256 of all that follows · 40 version u32 · 44 stamp length u32
 *   48 sequence u64 · 56 length u64 · 64 stamp · blob
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { removeLeftovers, writeAside } from './archive.ts';
import { type Files, readWhole, realFiles } from './files.ts';
import { getWhole, setWhole, viewOf } from './record.ts';
import { encodeStamp, STAMP_BYTES_MAX } from './segment-header.ts';

export type Skipped = { readonly file: string; readonly reason: string };
export type NewestSnapshot =
  | { readonly sequence: number; readonly bytes: Uint8Array; readonly skipped: readonly Skipped[] }
  /** No valid one: replay from the first entry. */
  | { readonly sequence: 0; readonly bytes: undefined; readonly skipped: readonly Skipped[] };

type OnFiles = { readonly files?: Files };

const VERSION = 1;
const HASHED_FROM = 40;
const HEADER_BYTES = 64;
const MAGIC = new TextEncoder().encode('RIALTOS\n');

/** Resolves when the snapshot is durable under its name; until then it does not exist. */
export async function writeSnapshot(
  directory: string,
  sequence: number,
  bytes: Uint8Array,
  options: OnFiles & { readonly stamp: string },
): Promise<void> {
  const { files = realFiles, stamp } = options;
  files.makeDirectory(directory);
  removeLeftovers(files, directory);
  const head = encodeHead(sequence, bytes, encodeStamp(stamp));
  await writeAside(files, join(directory, snapshotName(sequence)), [head, bytes]);
}

/** The newest valid snapshot up to a sequence; with a stamp, only those that have it. */
export function newestSnapshot(
  directory: string,
  options: OnFiles & { readonly atMost?: number; readonly stamps?: readonly string[] } = {},
): NewestSnapshot {
  const { files = realFiles, atMost = Number.MAX_SAFE_INTEGER, stamps } = options;
  const skipped: Skipped[] = [];
  for (const sequence of listSnapshots(directory, { files })) {
    if (sequence > atMost) continue;
    const file = join(directory, snapshotName(sequence));
    const bytes = check(readWhole(files, file), sequence, stamps);
    if (typeof bytes !== 'string') return { sequence, bytes, skipped };
    skipped.push({ file, reason: bytes });
  }
  return { sequence: 0, bytes: undefined, skipped };
}

/** Who wrote which snapshot, read from the headers only; those with an unreadable header are left out. */
export function peekSnapshots(
  directory: string,
  { files = realFiles }: OnFiles = {},
): { readonly sequence: number; readonly stamp: string }[] {
  return listSnapshots(directory, { files }).flatMap((sequence) => {
    const file = files.open(join(directory, snapshotName(sequence)), 'read');
    try {
      const head = new Uint8Array(HEADER_BYTES + STAMP_BYTES_MAX);
      const found = head.subarray(0, file.read(head, 0));
      if (found.length < HEADER_BYTES || MAGIC.some((byte, at) => found[at] !== byte)) return [];
      const end = HEADER_BYTES + viewOf(found).getUint32(44, true);
      return [{ sequence, stamp: new TextDecoder().decode(found.subarray(HEADER_BYTES, end)) }];
    } finally {
      file.close();
    }
  });
}

/** Copies a snapshot under a name by which it is neither found as the newest nor pruned. */
export async function keepSnapshot(
  directory: string,
  sequence: number,
  keptAs: string,
  { files = realFiles }: OnFiles = {},
): Promise<void> {
  const bytes = readWhole(files, join(directory, snapshotName(sequence)));
  await writeAside(files, join(directory, keptName(sequence, keptAs)), [bytes]);
}

/** The blob of a kept snapshot; undefined if there is no valid one. */
export function readKept(
  directory: string,
  sequence: number,
  keptAs: string,
  options: OnFiles & { readonly stamps: readonly string[] },
): Uint8Array | undefined {
  const { files = realFiles, stamps } = options;
  const name = keptName(sequence, keptAs);
  if (!files.list(directory).includes(name)) return undefined;
  const bytes = check(readWhole(files, join(directory, name)), sequence, stamps);
  return typeof bytes === 'string' ? undefined : bytes;
}

const keptName = (sequence: number, keptAs: string): string =>
  `${String(sequence).padStart(20, '0')}.${keptAs}.snapshot`;

/** Sequences of all snapshots, newest first, valid or not. */
export function listSnapshots(directory: string, options: OnFiles = {}): number[] {
  return (options.files ?? realFiles)
    .list(directory)
    .filter((name) => /^\d{20}\.snapshot$/.test(name))
    .map((name) => Number(name.slice(0, 20)))
    .sort((a, b) => b - a);
}

/**
 * Removes every snapshot older than the newest `keep` valid ones, and returns their sequences. Only valid
 * ones count, so that damaged ones cannot push out the last good one.
 */
export async function pruneSnapshots(
  directory: string,
  keep: number,
  options: OnFiles = {},
): Promise<number[]> {
  const { files = realFiles } = options;
  removeLeftovers(files, directory);
  const removed: number[] = [];
  let good = 0;
  for (const sequence of listSnapshots(directory, { files })) {
    const file = join(directory, snapshotName(sequence));
    if (good >= keep) {
      files.remove(file);
      removed.push(sequence);
    } else if (typeof check(readWhole(files, file), sequence, undefined) !== 'string') {
      good++;
    }
  }
  await files.fsyncDirectory(directory);
  return removed;
}

export const snapshotName = (sequence: number): string =>
  `${String(sequence).padStart(20, '0')}.snapshot`;

function encodeHead(sequence: number, bytes: Uint8Array, stamp: Uint8Array): Uint8Array {
  const head = new Uint8Array(HEADER_BYTES + stamp.length);
  const view = viewOf(head);
  head.set(MAGIC);
  view.setUint32(40, VERSION, true);
  view.setUint32(44, stamp.length, true);
  setWhole(view, 48, sequence);
  setWhole(view, 56, bytes.length);
  head.set(stamp, HEADER_BYTES);
  head.set(hashOf(head.subarray(HASHED_FROM), bytes), 8);
  return head;
}

/** The blob, or why the file cannot be used. */
function check(
  file: Uint8Array,
  sequence: number,
  stamps: readonly string[] | undefined,
): Uint8Array | string {
  if (file.length < HEADER_BYTES) return 'the file ends within the header';
  if (MAGIC.some((byte, index) => file[index] !== byte)) return 'this is no snapshot';
  const view = viewOf(file);
  const version = view.getUint32(40, true);
  if (version !== VERSION) return `format version ${version}, this program reads ${VERSION}`;
  const blobStart = HEADER_BYTES + view.getUint32(44, true);
  if (blobStart + getWhole(view, 56) !== file.length)
    return 'the file has another length than its header says';
  const expected = Buffer.from(file.buffer, file.byteOffset + 8, 32);
  if (!hashOf(file.subarray(HASHED_FROM)).equals(expected)) return 'the SHA-256 differs';
  if (getWhole(view, 48) !== sequence) return `it is of sequence ${getWhole(view, 48)}`;
  const stamp = new TextDecoder().decode(file.subarray(HEADER_BYTES, blobStart));
  if (stamps !== undefined && !stamps.includes(stamp)) return `it is stamped "${stamp}"`;
  return file.subarray(blobStart);
}

function hashOf(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
