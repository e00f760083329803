/** Checks segments from outside: all headers and links, or all records of the whole journal. */
import { join } from 'node:path';
import { type Files, realFiles } from './files.ts';
import { JournalDamaged } from './journal.ts';
import {
  listSegments,
  openSegment,
  type ReadHeader,
  readHeader,
  segmentName,
} from './segment-header.ts';
import { walkOn, walkSegment } from './segment-walker.ts';
import { type Cut, findTail, type Tail } from './tail.ts';

export type Verified = {
  readonly segments: number;
  /** Sequence of the first entry still here (older ones are archived); 0 when empty. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The last chain hash, in hexadecimal: equal on two machines if all entries are. */
  readonly chain: string;
  /** What opening the journal for writing would cut. */
  readonly tornTail: Cut | undefined;
};

/**
 * Walks everything, takes no lock and changes nothing. Throws JournalDamaged with the first fault found.
 * Beside a running writer the groups in flight may appear as a torn tail.
 */
export function verifySegments(options: {
  readonly directory: string;
  readonly stamps?: readonly string[];
  readonly files?: Files;
}): Verified {
  const { directory, stamps, files = realFiles } = options;
  const headers = checkHeaders(files, directory, stamps);
  const [oldest] = headers;
  const newest = headers.at(-1);
  if (oldest === undefined || newest === undefined) {
    return { segments: 0, firstSequence: 0, lastSequence: 0, chain: '', tornTail: undefined };
  }
  const range = { first: oldest.firstSequence, newest: newest.firstSequence };
  const tail = checkFrom(files, directory, range);
  return {
    segments: headers.length,
    firstSequence: oldest.firstSequence,
    lastSequence: tail.lastSequence,
    chain: Buffer.from(tail.chain).toString('hex'),
    tornTail: tail.cut,
  };
}

/** Walks the records from one segment to the newest, and returns the tail of that one. */
export function checkFrom(
  files: Files,
  directory: string,
  range: { readonly first: number; readonly newest: number; readonly isCopy?: boolean },
): Tail {
  const { first, newest, isCopy = false } = range;
  let walker = walkSegment(files, directory, { first });
  if (walker === undefined) {
    throw new JournalDamaged(
      { file: join(directory, segmentName(first)), offset: 0 },
      'is missing',
    );
  }
  try {
    while (walker.header.firstSequence < newest) {
      let group = walker.next();
      while (!('stopped' in group)) group = walker.next();
      const next = walkOn(files, directory, walker, group);
      walker.close();
      walker = next;
    }
    return findTail(walker, isCopy);
  } finally {
    walker.close();
  }
}

/**
 * The headers of all segments, oldest first: each whole, with a known stamp, and each naming the previous
 * one. 512 bytes per segment, so that opening can always do it.
 */
export function checkHeaders(
  files: Files,
  directory: string,
  stamps: readonly string[] | undefined,
): ReadHeader[] {
  const headers: ReadHeader[] = [];
  for (const firstSequence of listSegments(files, directory)) {
    const path = join(directory, segmentName(firstSequence));
    const header = headerAt(files, path, firstSequence);
    const refuse = (offset: number, reason: string): never => {
      throw new JournalDamaged({ file: path, offset }, reason);
    };
    if (stamps !== undefined && !stamps.includes(header.stamp)) {
      refuse(72, `the segment is stamped "${header.stamp}", not "${stamps.join('" or "')}"`);
    }
    const before = headers.at(-1);
    // The oldest one here may name one that has been archived.
    if (before !== undefined && header.previousFirstSequence !== before.firstSequence) {
      refuse(32, `the segment before it, ${segmentName(header.previousFirstSequence)}, is missing`);
    }
    headers.push(header);
  }
  return headers;
}

function headerAt(files: Files, path: string, firstSequence: number): ReadHeader {
  const file = openSegment(files, path);
  if (file === undefined) throw new JournalDamaged({ file: path, offset: 0 }, 'is missing');
  try {
    return readHeader(file, path, firstSequence);
  } finally {
    file.close();
  }
}
