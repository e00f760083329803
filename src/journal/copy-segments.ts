/** Copies a journal's directory while it is written to. */
import { constants, copyFile, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, makeFolder, realFiles } from './files.ts';
import { listSegments, segmentName } from './segment-header.ts';
import { walkSegment } from './segment-walker.ts';

/**
 * Older segments are copied as they are. Of the newest only whole groups are copied: a plain copy could hold
 * the end of a group without its beginning, which no crash leaves behind and every start refuses. A segment
 * that is retired meanwhile is left out: it is in the archive, or was to be deleted.
 */
export async function copySegments(from: string, to: string): Promise<void> {
  makeFolder(to, 0o700);
  const segments = listSegments(realFiles, from);
  for (const first of segments) {
    const name = segmentName(first);
    try {
      if (first === segments.at(-1)) await copyNewest(from, to, first);
      else await copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
    }
  }
}

const CHUNK_BYTES = 1024 * 1024;

async function copyNewest(from: string, to: string, first: number): Promise<void> {
  const walker = walkSegment(realFiles, from, { first, checks: 'checksum' });
  if (walker === undefined) return;
  let endOffset: number;
  try {
    while (!('stopped' in walker.next()));
    endOffset = walker.place.offset;
  } finally {
    walker.close();
  }
  const name = segmentName(first);
  const source = await open(join(from, name), 'r');
  const target = await open(join(to, name), 'wx', 0o600);
  try {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let offset = 0; offset < endOffset; ) {
      const length = Math.min(CHUNK_BYTES, endOffset - offset);
      const { bytesRead } = await source.read(chunk, 0, length, offset);
      await target.write(chunk, 0, bytesRead, offset);
      offset += bytesRead;
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
  await truncate(join(to, name), walker.header.fileBytes);
}
