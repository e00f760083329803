import { assert } from '../domain/assert.ts';

/**
 * Compresses records that resemble the previous one.
 *
 * A record is compared with the previous one, and only the differences are stored: for every word of eight
 * bytes a mask of the bytes that differ, then their differences (by exclusive or). The meaning of the bytes
 * does not matter, so events are packed in the encoding of the event log. Trades of one account shrink to a
 * third, closed orders to two fifths.
 *
 * Format of one record: its number of words in one byte, then a mask and the bytes it names, word by word.
 */
export class Packer {
  /** The memory that holds the records, and where in it the last one began and ended. */
  #memory: Int32Array = new Int32Array(0);
  #before = 0;
  #beforeEnd = 0;

  /** The next record is compared with nothing: unpacking can start there. */
  restart(memory: Int32Array): void {
    this.#memory = memory;
    this.#before = 0;
    this.#beforeEnd = 0;
  }

  /**
   * Packs the record between two offsets of the memory, in bytes, both on whole words. Returns where it ends
   * in `into`, which must have packedBytesMax free.
   */
  pack(start: number, end: number, into: Uint8Array, at: number): number {
    assert((start | end) % WORD_BYTES === 0, 'a record lies on whole words');
    assert(end - start <= RECORD_BYTES_MAX, 'a packed record is of bounded size');
    const memory = this.#memory;
    let to = at;
    into[to++] = (end - start) / WORD_BYTES;
    let before = this.#before / 4;
    const beforeEnd = this.#beforeEnd / 4;
    for (let half = start / 4; half < end / 4; half += 2) {
      let low = memory[half] as number;
      let high = memory[half + 1] as number;
      if (before < beforeEnd) {
        low ^= memory[before] as number;
        high ^= memory[before + 1] as number;
        before += 2;
      }
      const maskAt = to++;
      let mask = 0;
      for (let bit = 1; low !== 0; low >>>= 8, bit <<= 1) {
        if ((low & 0xff) === 0) continue;
        mask |= bit;
        into[to++] = low;
      }
      for (let bit = 16; high !== 0; high >>>= 8, bit <<= 1) {
        if ((high & 0xff) === 0) continue;
        mask |= bit;
        into[to++] = high;
      }
      into[maskAt] = mask;
    }
    this.#before = start;
    this.#beforeEnd = end;
    return to;
  }
}

/** One byte for the number of words, and a mask for each, if all bytes differ. */
export const packedBytesMax = (length: number): number => 1 + length + length / WORD_BYTES;

/** All records that were packed since the packer was restarted. */
export function unpack(packed: Uint8Array): Uint8Array[] {
  const records: Uint8Array[] = [];
  let before: Uint8Array = new Uint8Array(0);
  for (let at = 0; at < packed.length; ) {
    const length = byteAt(packed, at++) * WORD_BYTES;
    const record = new Uint8Array(length);
    record.set(before.subarray(0, length));
    for (let word = 0; word < length; word += WORD_BYTES) {
      let mask = byteAt(packed, at++);
      for (let place = word; mask !== 0; place++, mask >>= 1) {
        if ((mask & 1) === 1) record[place] = (record[place] as number) ^ byteAt(packed, at++);
      }
    }
    records.push(record);
    before = record;
  }
  return records;
}

function byteAt(packed: Uint8Array, at: number): number {
  const byte = packed[at];
  if (byte === undefined) throw new Error('packed records end too early');
  return byte;
}

const WORD_BYTES = 8;
export const RECORD_BYTES_MAX = 1_024;
