/**
 * The tail rule: what a crash may have left after the last whole record, and what it may not.
 *
 * A crash can tear the groups that were in flight and nothing else: on a quick disk that is the last one, on a
 * slow disk up to three. Each record says how far before it the first one began that was in flight when it was
 * written. A bad record with a good one anywhere after it is a torn tail only if it was in flight for that good
 * one, and then both go: groups are acknowledged in their order. Otherwise it is damage to acknowledged data,
 * and is refused. So is a bad first record of a segment: a segment gets its name only after that record's fsync.
 * Anything else is cut.
 *
 * A copy is not synced after every group, so a power cut may lose any of the last ones and keep later ones.
 * All of it can be fetched again from elsewhere, so everything from the first bad record on is cut.
 *
 * Known limit: damage to the very last record, or to one that was in flight with it, looks like a torn one. It
 * is cut, and reported.
 */
import {
  ALIGNMENT,
  inFlightBytesOf,
  isChecked,
  RECORD_MAGIC,
  recordBytesAt,
  viewOf,
} from './record.ts';
import type { SegmentWalker } from './segment-walker.ts';

/** What was, or would be, cut after the last whole record. */
export type Cut = { readonly file: string; readonly offset: number; readonly bytes: number };
export type Tail = {
  /** Where the first record begins of those that may be in memory only. */
  readonly unsettledOffset: number;
  readonly endOffset: number;
  readonly lastSequence: number;
  readonly chain: Uint8Array;
  readonly cut: Cut | undefined;
};

/** Walks the newest segment to its end and applies the rule. Changes nothing. */
export function findTail(walker: SegmentWalker, isCopy = false): Tail {
  let unsettledOffset = 0;
  for (;;) {
    const { offset, nextSequence, chain } = walker.place;
    const group = walker.next();
    if (!('stopped' in group)) {
      unsettledOffset = offset - group.inFlightBytes;
      continue;
    }
    const rest = walker.rest(offset);
    const goodOffset = isCopy ? undefined : findAcknowledging(rest, walker.header.salt);
    if (goodOffset === 0) throw walker.damage(group.reason);
    if (goodOffset !== undefined) {
      throw walker.damage(
        `${group.reason}, yet a good record stands at offset ${offset + goodOffset}: ` +
          'this is no torn write but damage, and nothing was changed; restore the file from a copy',
      );
    }
    if (unsettledOffset === 0) {
      throw walker.damage(`${group.reason}, and a segment is never without its first record`);
    }
    const bytes = usedBytes(rest);
    const isShort = offset + rest.length < walker.header.fileBytes;
    const cut = bytes > 0 || isShort ? { file: walker.path, offset, bytes } : undefined;
    return { unsettledOffset, endOffset: offset, lastSequence: nextSequence - 1, chain, cut };
  }
}

/**
 * Offset of the first whole record with a valid checksum for whose writer everything at the beginning of `rest`
 * was durable. One at the exact position of the bad record was written that way: another format version, or a
 * repeated sequence.
 */
function findAcknowledging(rest: Uint8Array, salt: number): number | undefined {
  const view = viewOf(rest);
  for (let offset = 0; offset + 4 <= rest.length; offset += ALIGNMENT) {
    if (view.getUint32(offset, true) !== RECORD_MAGIC) continue;
    const recordBytes = recordBytesAt(rest.subarray(offset)) ?? 0;
    if (recordBytes === 0 || offset + recordBytes > rest.length) continue;
    const record = rest.subarray(offset, offset + recordBytes);
    if (!isChecked(record, salt)) continue;
    const durableTo = offset - inFlightBytesOf(record);
    if (offset === 0 || durableTo > 0) return offset;
  }
  return undefined;
}

/** Up to the last non-zero byte. */
function usedBytes(rest: Uint8Array): number {
  let end = rest.length;
  while (end > 0 && rest[end - 1] === 0) end--;
  return end;
}
