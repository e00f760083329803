import { assert } from '../domain/assert.ts';
import { type Plain, TAG, TYPED_ARRAYS, type TypedArray } from './plain.ts';
import { likelyShape, type PlainRecord, sameWord, shaped } from './record-shapes.ts';

/**
 * Reads what a ByteWriter wrote. Damaged bytes fail an assertion: the checksums were verified before.
 *
 * Offsets count from the start of the underlying buffer, so that one view of it serves all records that are
 * read from it in turn: creating a view costs as much as reading a small record.
 */
export class ByteReader {
  /** What was opened last, and where it begins in its buffer. */
  #bytes: Uint8Array;
  #first: number;
  #view: DataView;
  #at: number;
  #end: number;
  /** Memory that several typed arrays of a value may share. */
  #blocks: ArrayBuffer[] | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#first = bytes.byteOffset;
    this.#view = new DataView(bytes.buffer);
    this.#at = this.#first;
    this.#end = this.#first + bytes.length;
  }

  /** Continues with other bytes, or another part of the same; the reader keeps nothing of the previous ones. */
  open(bytes: Uint8Array, start = 0, end = bytes.length): void {
    // Reading the buffer of an array is a call of the runtime: not for every record of a block.
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#first = bytes.byteOffset;
      if (bytes.buffer !== this.#view.buffer) this.#view = new DataView(bytes.buffer);
    }
    this.#at = this.#first + start;
    this.#end = this.#first + end;
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
    const end = start + length;
    let text = '';
    let i = start;
    // Mostly ASCII: eight characters at a time cost little more than one.
    for (; i + 8 <= end; i += 8) {
      const four = this.#view.getUint32(i, true);
      const next = this.#view.getUint32(i + 4, true);
      if (((four | next) & NOT_ASCII) !== 0) break;
      text += asciiOf(four, next);
    }
    while (i < end) {
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
        return sameWord(this.text());
      case TAG.list:
        return this.#list();
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

  #list(): Plain[] {
    const list: Plain[] = [];
    for (let left = this.varint(); left > 0; left--) list.push(this.value());
    return list;
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

  #record(): PlainRecord {
    const count = this.u32();
    if (count === 0) return {};
    const beginning = this.#beginning(count);
    const shape = likelyShape(beginning);
    if (shape?.names.length !== count) return this.#newRecord(count, beginning, [], []);
    const record = { ...shape.template };
    const { names, encoded } = shape;
    for (let at = 0; at < count; at++) {
      if (!this.#steppedOver(encoded[at] as Uint8Array)) {
        const read = names.slice(0, at).map((name): Member => [name, record[name]]);
        return this.#newRecord(count, beginning, read, encoded.slice(0, at));
      }
      record[names[at] as string] = this.value();
    }
    return record;
  }

  /** The rest of a record of which some members have been read, with their names as they are encoded. */
  #newRecord(
    count: number,
    beginning: number,
    read: readonly Member[],
    readNames: readonly Uint8Array[],
  ): PlainRecord {
    const members = [...read];
    const encoded = [...readNames];
    while (encoded.length < count) {
      const start = this.#at;
      const name = this.text();
      encoded.push(new Uint8Array(this.#view.buffer.slice(start, this.#at)));
      members.push([name, this.value()]);
    }
    // Not one by one: assigned to a name like __proto__, a value would be no member.
    return shaped(beginning, Object.fromEntries(members), encoded);
  }

  /** What tells most records apart: their number of members, and the length and first letter of the first name. */
  #beginning(count: number): number {
    const at = this.#step(MEMBER_BYTES_MIN);
    this.#at = at;
    const length = this.#view.getUint32(at, true);
    const letter = length === 0 ? 0 : this.#view.getUint8(at + 4);
    return (count * 256 + (length & 0xff)) * 256 + letter;
  }

  /** Steps over these bytes if they are next. */
  #steppedOver(expected: Uint8Array): boolean {
    const end = this.#at + expected.length;
    if (end > this.#end) return false;
    for (let at = 0; at < expected.length; at++) {
      if (this.#view.getUint8(this.#at + at) !== expected[at]) return false;
    }
    this.#at = end;
    return true;
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

type Member = [name: string, value: Plain];

/** An empty name and a value that is only a tag. */
const MEMBER_BYTES_MIN = 5;

/** The text of eight bytes of ASCII, as two numbers. */
const asciiOf = (four: number, next: number): string =>
  String.fromCharCode(
    four & 0xff,
    (four >>> 8) & 0xff,
    (four >>> 16) & 0xff,
    four >>> 24,
    next & 0xff,
    (next >>> 8) & 0xff,
    (next >>> 16) & 0xff,
    next >>> 24,
  );

/** The highest bits of four bytes. */
const NOT_ASCII = 0x80808080;
