import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestText } from './digest.ts';
import { ByteReader, ByteWriter, type Plain, pack, unpack } from './pack.ts';

const leaf: fc.Arbitrary<Plain> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array(),
  fc.int32Array(),
  fc
    .array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
    .map((all) => BigInt64Array.from(all)),
  fc.array(fc.maxSafeInteger()).map((all) => Float64Array.from(all)),
);
const anyPlain: fc.Arbitrary<Plain> = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')).map((d) => ({ ...d })),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.maxSafeInteger()), tie('value')))
      .map((all) => new Map(all)),
  ),
})).value;

test('what is packed comes back as it was', () => {
  fc.assert(
    fc.property(anyPlain, (value) => {
      expect(unpack(pack(value))).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test('packing what was unpacked gives the same bytes', () => {
  fc.assert(
    fc.property(anyPlain, (value) => {
      const bytes = pack(value);
      expect(pack(unpack(bytes))).toEqual(bytes);
    }),
  );
});

test('records that begin alike and differ later come back as they were', () => {
  const name = fc.constantFrom('alpha', 'alpine', 'a', 'b', '7', 'größe', '__proto__');
  const record = fc.uniqueArray(name, { maxLength: 5 }).chain((names) =>
    fc.tuple(...names.map(() => leaf)).map((values) => {
      return Object.fromEntries(names.map((one, at) => [one, values[at] as Plain]));
    }),
  );
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const back = unpack(pack(records as Plain)) as object[];
      expect(back).toEqual(records);
      expect(back.map(Object.keys)).toEqual(records.map(Object.keys));
    }),
    { numRuns: 500 },
  );
});

test('a record is read whole although those inside it begin the table of shapes anew', () => {
  const inside = Array.from({ length: 1_500 }, (_, at) => ({ [`name${at}`]: at, kind: 'only' }));
  const record = { kind: 'outer', inside, last: { kind: 'outer', inside: [], last: 1 } };
  const bytes = pack([record, record, record]);
  for (let time = 0; time < 2; time++) expect(unpack(bytes)).toEqual([record, record, record]);
});

test('a fraction is refused: the venue has no floating point', () => {
  expect(() => pack(0.5)).toThrow('only whole numbers');
  expect(() => pack(Number.NaN)).toThrow('only whole numbers');
});

test('members that are absent are not written', () => {
  expect(unpack(pack({ a: 1, b: undefined }))).toEqual({ a: 1 });
});

test('numbers written one after another are read in the same order', () => {
  const writer = new ByteWriter(1);
  writer.u8(255);
  writer.u32(4_000_000_000);
  writer.f64(Number.MAX_SAFE_INTEGER);
  writer.i64(-(2n ** 62n));
  writer.varint(Number.MAX_SAFE_INTEGER);
  writer.text('größer €');
  const reader = new ByteReader(writer.bytes());
  expect([reader.u8(), reader.u32(), reader.f64()]).toEqual([255, 4_000_000_000, 2 ** 53 - 1]);
  expect([reader.i64(), reader.varint(), reader.text()]).toEqual([
    -(2n ** 62n),
    2 ** 53 - 1,
    'größer €',
  ]);
  expect(reader.isAtEnd).toBe(true);
});

test('bytes that end too early are refused', () => {
  const bytes = pack({ text: 'abcdef', list: [1, 2, 3n] });
  for (let length = 0; length < bytes.length; length++) {
    expect(() => unpack(bytes.slice(0, length))).toThrow('packed bytes end too early');
  }
});

test('the digest sees every byte, their order and their number', () => {
  const digestOf = (...runs: Uint8Array[]): string => {
    const digest = { lo: 0, hi: 0 };
    const writer = new ByteWriter();
    for (const run of runs) {
      writer.clear();
      writer.raw(run);
      writer.digestInto(digest);
    }
    return digestText(digest);
  };
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, change) => {
        const other = bytes.slice();
        other[at % bytes.length] = (other[at % bytes.length] as number) ^ change;
        expect(digestOf(other)).not.toBe(digestOf(bytes));
        expect(digestOf(bytes, new Uint8Array(0))).not.toBe(digestOf(bytes));
      },
    ),
    { numRuns: 2_000 },
  );
});
