import { assert } from '../domain/assert.ts';
import { ByteReader } from './byte-reader.ts';
import { DIGEST_BLOCK_BYTES, type Digest, mixWords } from './digest.ts';
import { type Plain, TAG, TYPED_ARRAYS, type TypedArray } from './plain.ts';

export { ByteReader, type Plain };

/**
 * Plain data to bytes and back, exactly: what the journal, the event log and the snapshots hold.
 *
 * Integers, bigints, text, lists, maps, records and typed arrays; no floating point, no classes, no
 * references. One value has one encoding (records keep the order of their keys), so that equal states built
 * by the same commands are equal bytes. Absent (undefined) members are not written. Cost: one pass, amortised
 * growth; typed arrays are copied as a block, which keeps snapshots of a million orders fast.
 */
export function pack(value: Plain): Uint8Array {
  const writer = new ByteWriter();
  writer.value(value);
  return writer.bytes();
}

export function unpack(bytes: Uint8Array): Plain {
  const reader = new ByteReader(bytes);
  const value = reader.value();
  assert(reader.isAtEnd, 'packed bytes hold one value and nothing else');
  return value;
}

/** Appends numbers and plain data to a buffer that grows by doubling and can be reused. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  /** The same bytes as words, for the digest. The capacity is a multiple of DIGEST_BLOCK_BYTES. */
  #words: Int32Array;
  #longs: BigInt64Array;
  #length = 0;
  /** Buffers that were packed whole, with the number of the typed array under which they were packed. */
  readonly #blocks = new Map<ArrayBufferLike, number>();
  #typedArrays = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(wholeBlocks(capacity));
    this.#view = new DataView(this.#bytes.buffer);
    this.#words = new Int32Array(this.#bytes.buffer);
    this.#longs = new BigInt64Array(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** A copy of what was written. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** What was written, without a copy: valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#typedArrays === 0) return;
    this.#typedArrays = 0;
    this.#blocks.clear();
  }

  /** Mixes what was written into a digest, as words and in place. */
  digestInto(digest: Digest): void {
    const end = wholeBlocks(this.#length);
    for (let i = this.#length; i < end; i++) this.#bytes[i] = 0;
    mixWords(digest, this.#words, this.#length);
  }

  /**
   * Reserves a record of fixed size; the caller fills all of it through `fields`, from the returned offset.
   * So a record of thirty fields checks the capacity once.
   */
  take(count: number): number {
    const start = this.#length;
    if (start + count > this.#bytes.length) this.#grow(count);
    this.#length = start + count;
    return start;
  }

  /** Valid until the next write. */
  get fields(): DataView {
    return this.#view;
  }

  /** The same buffer as bytes. Valid until the next write. */
  get octets(): Uint8Array {
    return this.#bytes;
  }

  /** The same buffer as words of four bytes, for records that are aligned to them. Valid until the next write. */
  get words(): Int32Array {
    return this.#words;
  }

  /** The same buffer as words of eight bytes. */
  get longs(): BigInt64Array {
    return this.#longs;
  }

  /** Writes zeros up to the next word of eight bytes, so that the next record is aligned. */
  fillWord(): void {
    const end = (this.#length + 7) & ~7;
    if (end > this.#bytes.length) this.#grow(8);
    while (this.#length < end) this.#bytes[this.#length++] = 0;
  }

  u8(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    const at = this.take(4);
    this.#view.setUint32(at, value, true);
  }

  /** Fills in a u32 that was written as a placeholder. */
  u32At(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
  }

  /** A safe integer in 8 bytes. */
  f64(value: number): void {
    const at = this.take(8);
    this.#view.setFloat64(at, value, true);
  }

  i64(value: bigint): void {
    const at = this.take(8);
    this.#view.setBigInt64(at, value, true);
  }

  /** Seven bits per byte, so small numbers are short. Takes any non-negative safe integer. */
  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(value: string): void {
    // UTF-8 needs at most three bytes per code unit.
    this.#room(value.length * 3 + 8);
    const lengthAt = this.#length;
    this.#length += 4;
    for (let i = 0; i < value.length; i++) {
      const code = value.codePointAt(i) as number;
      if (code > 0xffff) i++;
      this.#utf8(code);
    }
    this.#view.setUint32(lengthAt, this.#length - lengthAt - 4, true);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  value(value: Plain): void {
    if (value === undefined) this.u8(TAG.undefined);
    else if (value === null) this.u8(TAG.null);
    else if (typeof value === 'boolean') this.u8(value ? TAG.true : TAG.false);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'bigint') this.#big(value);
    else if (typeof value === 'string') {
      this.u8(TAG.text);
      this.text(value);
    } else if (Array.isArray(value)) {
      this.u8(TAG.list);
      this.varint(value.length);
      for (const item of value) this.value(item);
    } else if (value instanceof Map) {
      this.u8(TAG.map);
      this.varint(value.size);
      for (const [key, item] of value) {
        this.value(key);
        this.value(item);
      }
    } else if (ArrayBuffer.isView(value)) this.#typed(value as TypedArray);
    else this.#record(value as { readonly [name: string]: Plain });
  }

  #record(record: { readonly [name: string]: Plain }): void {
    this.u8(TAG.record);
    const countAt = this.#length;
    this.u32(0);
    let count = 0;
    for (const name in record) {
      const item = record[name];
      if (item === undefined) continue;
      this.text(name);
      this.value(item);
      count++;
    }
    this.u32At(countAt, count);
  }

  #number(value: number): void {
    assert(Number.isSafeInteger(value), `only whole numbers are packed, not ${value}`);
    this.u8(value < 0 ? TAG.negative : TAG.positive);
    this.varint(value < 0 ? -value : value);
  }

  #big(value: bigint): void {
    this.u8(value < 0n ? TAG.negativeBig : TAG.positiveBig);
    const hex = (value < 0n ? -value : value).toString(16);
    const even = hex.length % 2 === 0 ? hex : `0${hex}`;
    this.varint(even.length / 2);
    for (let i = 0; i < even.length; i += 2) this.u8(Number.parseInt(even.slice(i, i + 2), 16));
  }

  #typed(array: TypedArray): void {
    const kind = TYPED_ARRAYS.findIndex((type) => array instanceof type);
    assert(kind >= 0, 'a typed array is of a kind the format knows');
    // Columns of rows are often several views of one buffer, which is written only once.
    if (array.byteLength === array.buffer.byteLength && array.length > 0) {
      const known = this.#blocks.get(array.buffer);
      if (known !== undefined) {
        this.u8(TAG.view);
        this.u8(kind);
        this.varint(known);
        return;
      }
      this.#blocks.set(array.buffer, this.#typedArrays);
    }
    if (array.length > 0) this.#typedArrays++;
    this.u8(TAG.typed);
    this.u8(kind);
    this.varint(array.length);
    this.raw(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }

  #utf8(code: number): void {
    const bytes = this.#bytes;
    if (code < 0x80) bytes[this.#length++] = code;
    else if (code < 0x800) {
      bytes[this.#length++] = 0xc0 | (code >> 6);
      bytes[this.#length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      bytes[this.#length++] = 0xe0 | (code >> 12);
      bytes[this.#length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.#length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[this.#length++] = 0xf0 | (code >> 18);
      bytes[this.#length++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[this.#length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.#length++] = 0x80 | (code & 0x3f);
    }
  }

  #room(count: number): void {
    if (this.#length + count > this.#bytes.length) this.#grow(count);
  }

  #grow(count: number): void {
    const needed = wholeBlocks(this.#length + count);
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, needed));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
    this.#words = new Int32Array(grown.buffer);
    this.#longs = new BigInt64Array(grown.buffer);
  }
}

/**
 * Rounded up to whole digest blocks, whose length is a power of two. Called twice per command, so 32-bit
 * arithmetic is used except for snapshots of gigabytes.
 */
const wholeBlocks = (bytes: number): number =>
  bytes <= BLOCKS_COUNTED_MAX
    ? (bytes + (DIGEST_BLOCK_BYTES - 1)) & -DIGEST_BLOCK_BYTES
    : Math.ceil(bytes / DIGEST_BLOCK_BYTES) * DIGEST_BLOCK_BYTES;
const BLOCKS_COUNTED_MAX = 2 ** 31 - 1 - DIGEST_BLOCK_BYTES;
