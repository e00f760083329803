/** Removes segments that are no longer needed from a journal's directory: archived or deleted. */
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { removeLeftovers, writeAside } from './archive.ts';
import { archivedName } from './archived-files.ts';
import { type Files, readWhole } from './files.ts';
import { listSegments, openSegment, segmentName } from './segment-header.ts';

export type Retire = {
  readonly from: string;
  /** The archive directory for the compressed segments; undefined deletes them for good. */
  readonly to: string | undefined;
  /** Only segments without entries from this sequence on. */
  readonly beforeSequence: number;
  /** The newest segments stay, up to this size together. */
  readonly keepBytes: number;
  /** Checked before each segment; the rest is left for the next run. */
  readonly isStopped?: () => boolean;
};

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Retires what may go, oldest first, and returns the number of segments. The newest always stays: it says
 * where the journal ends.
 *
 * A segment is removed only when its copy is durable under its name and decompresses to the same bytes, so a
 * kill at any instant leaves each entry in the journal, in the archive, or in both; and each removal is
 * durable before the next, so the journal never has a gap. Compression runs on other threads.
 */
export async function retireSegments(files: Files, retire: Retire): Promise<number> {
  const { from, to, isStopped } = retire;
  const retired = retirable(files, retire);
  if (retired.length === 0) return 0;
  if (to !== undefined) {
    files.makeDirectory(to);
    removeLeftovers(files, to);
  }
  for (const [done, name] of retired.entries()) {
    if (isStopped?.() === true) return done;
    if (to !== undefined) await archive(files, join(from, name), join(to, archivedName(name)));
    files.remove(join(from, name));
    await files.fsyncDirectory(from);
  }
  return retired.length;
}

/** Names, oldest first. */
function retirable(files: Files, { from, beforeSequence, keepBytes }: Retire): string[] {
  const segments = listSegments(files, from);
  let bytes = 0;
  let kept = segments.length;
  while (kept > 0 && (bytes < keepBytes || kept === segments.length)) {
    bytes += sizeOf(files, join(from, segmentName(segments[--kept] as number)));
  }
  return segments
    .slice(0, kept)
    .filter((_, at) => (segments[at + 1] as number) <= beforeSequence)
    .map(segmentName);
}

function sizeOf(files: Files, path: string): number {
  const file = openSegment(files, path);
  try {
    return file?.size() ?? 0;
  } finally {
    file?.close();
  }
}

async function archive(files: Files, from: string, to: string): Promise<void> {
  const bytes = readWhole(files, from);
  const before = openSegment(files, to);
  if (before === undefined) {
    await writeAside(files, to, [await compress(bytes)]);
  } else {
    // A kill came before the segment was removed. Its copy may not be durable yet.
    before.close();
    await syncFile(files, to);
  }
  const copy = await decompress(readWhole(files, to)).catch(() => undefined);
  if (copy === undefined || Buffer.compare(copy, bytes) !== 0) {
    throw new Error(`${to} is there, but is not the copy of ${from}`);
  }
}

async function syncFile(files: Files, path: string): Promise<void> {
  const file = files.open(path, 'change');
  try {
    await file.fsync();
  } finally {
    file.close();
  }
  await files.fsyncDirectory(join(path, '..'));
}
