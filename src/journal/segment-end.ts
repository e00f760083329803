import { join } from 'node:path';
import type { Active } from './active-segment.ts';
import { type Files, fillWithZeros, type OpenFile, writeAll } from './files.ts';
import { ALIGNMENT, CHAIN_BYTES, IN_FLIGHT_BYTES_MAX } from './record.ts';
import { segmentName } from './segment-header.ts';
import { SyncHandles } from './sync-handles.ts';
import type { Cut, Tail } from './tail.ts';
import { checkFrom, checkHeaders } from './verify.ts';

/** The state in which the journal was found. */
export type Opened = {
  readonly segments: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** What a crash left after the last whole group; it has been removed. */
  readonly cut: Cut | undefined;
};

export type Found = Opened & { readonly active: Active | undefined; readonly chain: Uint8Array };

export type EndOptions = {
  readonly directory: string;
  readonly stamp: string;
  readonly olderStamps?: readonly string[];
  readonly beginsAfter?: number | undefined;
  readonly isCopy?: boolean;
};

/** Finds where writing continues, and cuts what a crash left after the last whole group. */
export async function findEnd(files: Files, options: EndOptions): Promise<Found> {
  const { directory, stamp, olderStamps = [], beginsAfter = 0, isCopy = false } = options;
  const headers = checkHeaders(files, directory, [stamp, ...olderStamps]);
  const newest = headers.at(-1);
  if (newest === undefined) {
    const chain = new Uint8Array(CHAIN_BYTES);
    return {
      segments: 0,
      firstSequence: beginsAfter === 0 ? 0 : beginsAfter + 1,
      lastSequence: beginsAfter,
      cut: undefined,
      active: undefined,
      chain,
    };
  }
  const first = (headers.at(-2) ?? newest).firstSequence;
  const tail = checkFrom(files, directory, { first, newest: newest.firstSequence, isCopy });
  const openFile = (): OpenFile =>
    files.open(join(directory, segmentName(newest.firstSequence)), 'change');
  const file = openFile();
  try {
    await settleTail(file, tail, newest.fileBytes);
    await files.fsyncDirectory(directory);
  } catch (cause) {
    file.close();
    throw cause;
  }
  return {
    segments: headers.length,
    firstSequence: headers[0]?.firstSequence ?? 0,
    lastSequence: tail.lastSequence,
    cut: tail.cut,
    active: {
      ...newest,
      file,
      syncHandles: new SyncHandles(file, openFile),
      endOffset: tail.endOffset,
      durableOffset: tail.endOffset,
    },
    chain: tail.chain,
  };
}

/**
 * Makes the tail durable before anything is appended to it. The last groups may be in memory only: their writer
 * died before the fsync, or the fsync failed and the kernel dropped the dirty flag. So they are written again,
 * not only synced. The same for what was cut: an earlier start may have failed to make its zeros durable, so that
 * they are read and a whole record of those in flight is on the disk.
 */
async function settleTail(file: OpenFile, tail: Tail, fileBytes: number): Promise<void> {
  const lastRecords = new Uint8Array(tail.endOffset - tail.unsettledOffset);
  file.read(lastRecords, tail.unsettledOffset);
  writeAll(file, lastRecords, tail.unsettledOffset);
  const inFlightEnd = tail.endOffset + IN_FLIGHT_BYTES_MAX + ALIGNMENT;
  const to = tail.cut === undefined ? Math.min(fileBytes, inFlightEnd) : fileBytes;
  if (to > tail.endOffset) await fillWithZeros(file, tail.endOffset, to, 'at once');
  else await file.fsync();
}
