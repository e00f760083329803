import { assert } from '../domain/assert.ts';
import { type Plain, TAG, TYPED_ARRAYS, type TypedArray } from './plain.ts';

/**
 * Reads what a ByteWriter wrote. Damaged bytes fail an assertion: the checksums were verified before.
 *
 * Offsets count from the start of the underlying buffer, so that one view of it serves all records that are
 * read from it in turn: creating a view costs as much as reading a small record.
 */
export class ByteReader {
  #view: DataView;
  #at: number;
  #end: number;
  /** Memory that several typed arrays of a value may share. */
  #blocks: ArrayBuffer[] | undefined;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer);
    this.#at = bytes.byteOffset;
    this.#end = bytes.byteOffset + bytes.byteLength;
  }

  /** Continues with other bytes; the reader keeps nothing of the previous ones. */
  open(bytes: Uint8Array): void {
    const { buffer, byteOffset } = bytes;
    if (buffer !== this.#view.buffer) this.#view = new DataView(buffer);
    this.#at = byteOffset;
    this.#end = byteOffset + bytes.byteLength;
    this.#blocks = undefined;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  /** Relative to the underlying buffer. */
  get offset(): number {
    return this.#at;
  }

  /** Skips a record of fixed size and returns its offset; the caller reads it through `fields`. */
  take(count: number): number {
    return this.#step(count);
  }

  get fields(): DataView {
    return this.#view;
  }

  u8(): number {
    return this.#view.getUint8(this.#step(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#step(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#step(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#step(8), true);
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  text(): string {
    const length = this.u32();
    const start = this.#step(length);
    let text = '';
    for (let i = start; i < start + length; ) {
      const byte = this.#view.getUint8(i);
      const size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      let code = size === 1 ? byte : byte & (0xff >> (size + 1));
      for (let k = 1; k < size; k++) code = (code << 6) | (this.#view.getUint8(i + k) & 0x3f);
      text += String.fromCodePoint(code);
      i += size;
    }
    return text;
  }

  raw(length: number): Uint8Array {
    const start = this.#step(length);
    return new Uint8Array(this.#view.buffer, start, length);
  }

  value(): Plain {
    const tag = this.u8();
    switch (tag) {
      case TAG.undefined:
        return undefined;
      case TAG.null:
        return null;
      case TAG.true:
        return true;
      case TAG.false:
        return false;
      case TAG.positive:
        return this.varint();
      case TAG.negative:
        return -this.varint();
      case TAG.positiveBig:
        return this.#big();
      case TAG.negativeBig:
        return -this.#big();
      case TAG.text:
        return this.text();
      case TAG.list:
        return Array.from({ length: this.varint() }, () => this.value());
      case TAG.map:
        return this.#map();
      case TAG.record:
        return this.#record();
      case TAG.typed:
        return this.#typed();
      case TAG.view:
        return this.#viewOf();
      default:
        throw new Error(`packed bytes are damaged: no value begins with ${tag}`);
    }
  }

  #big(): bigint {
    const length = this.varint();
    let hex = '0x0';
    for (let i = 0; i < length; i++) hex += this.u8().toString(16).padStart(2, '0');
    return BigInt(hex);
  }

  #map(): Map<string | number | bigint, Plain> {
    const map = new Map<string | number | bigint, Plain>();
    const size = this.varint();
    for (let i = 0; i < size; i++) {
      const key = this.value() as string | number | bigint;
      map.set(key, this.value());
    }
    return map;
  }

  #record(): { [name: string]: Plain } {
    const record: { [name: string]: Plain } = {};
    const count = this.u32();
    for (let i = 0; i < count; i++) {
      const name = this.text();
      record[name] = this.value();
    }
    return record;
  }

  #typed(): TypedArray {
    const type = TYPED_ARRAYS[this.u8()];
    assert(type !== undefined, 'a packed typed array is of a kind the format knows');
    const length = this.varint();
    const copy = this.raw(length * type.BYTES_PER_ELEMENT).slice();
    if (length > 0) {
      this.#blocks ??= [];
      this.#blocks.push(copy.buffer);
    }
    return new type(copy.buffer, 0, length);
  }

  #viewOf(): TypedArray {
    const type = TYPED_ARRAYS[this.u8()];
    const block = this.#blocks?.[this.varint()];
    assert(type !== undefined && block !== undefined, 'a view is of memory that was packed before');
    return new type(block);
  }

  #step(count: number): number {
    const start = this.#at;
    if (start + count > this.#end) throw new Error('packed bytes end too early');
    this.#at = start + count;
    return start;
  }
}
