import { assert } from './assert.ts';

/**
 * Plain data to bytes and back, exactly: what the journal, the event log and the snapshots hold.
 *
 * Integers, bigints, text, lists, maps, records and typed arrays; no floating point, no classes,
 * no references. One value has one encoding (records keep the order of their keys), so that equal
 * states built by the same commands are equal bytes. Absent (undefined) members are not written.
 * Cost: one pass, amortised growth; typed arrays are copied whole, which is what makes snapshots of
 * a million orders quick.
 */
export type Plain =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array
  | readonly Plain[]
  | ReadonlyMap<string | number | bigint, Plain>
  | { readonly [name: string]: Plain };

const TAG = {
  undefined: 0,
  null: 1,
  true: 2,
  false: 3,
  positive: 4,
  negative: 5,
  positiveBig: 6,
  negativeBig: 7,
  text: 8,
  list: 9,
  map: 10,
  record: 11,
  typed: 12,
} as const;

/** Position in this list is part of the format: only ever append. */
const TYPED_ARRAYS = [
  Uint8Array,
  Int32Array,
  Uint32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  Uint16Array,
  Int16Array,
  Int8Array,
] as const;
type TypedArray = InstanceType<(typeof TYPED_ARRAYS)[number]>;

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

/** Writes numbers and plain data behind one another; grows by doubling and can be used again. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
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
  }

  u8(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.#room(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Fills in a u32 that was written as a place-holder. */
  u32At(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
  }

  /** A safe integer in 8 bytes. */
  f64(value: number): void {
    this.#room(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  i64(value: bigint): void {
    this.#room(8);
    this.#view.setBigInt64(this.#length, value, true);
    this.#length += 8;
  }

  /** Seven bits a byte, small numbers short. Takes any non-negative safe integer. */
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
    // Three bytes a code unit is the most UTF-8 can need.
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
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Reads what a ByteWriter wrote. Damage is an assertion: checksums have been checked before. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  get offset(): number {
    return this.#at;
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
      const byte = this.#bytes[i] as number;
      const size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      let code = size === 1 ? byte : byte & (0xff >> (size + 1));
      for (let k = 1; k < size; k++) code = (code << 6) | ((this.#bytes[i + k] as number) & 0x3f);
      text += String.fromCodePoint(code);
      i += size;
    }
    return text;
  }

  raw(length: number): Uint8Array {
    const start = this.#step(length);
    return this.#bytes.subarray(start, start + length);
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
    return new type(copy.buffer, 0, length);
  }

  #step(count: number): number {
    const start = this.#at;
    if (start + count > this.#bytes.length) throw new Error('packed bytes end too early');
    this.#at = start + count;
    return start;
  }
}
