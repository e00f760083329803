import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chainAfter,
  decodeRecord,
  encodeRecord,
  PayloadReader,
  recordBytesAt,
  recordBytesOf,
} from './record.ts';

const anyGroup = fc.record({
  entries: fc.array(fc.uint8Array({ maxLength: 100 }), { minLength: 1, maxLength: 20 }),
  firstSequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 100 }),
  previousChain: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  salt: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

test('any group is read back as written, with the chain hash that the format describes', () => {
  fc.assert(
    fc.property(anyGroup, (written) => {
      // A dirty buffer, as if it had been used before.
      const record = new Uint8Array(recordBytesOf(written.entries)).fill(0xaa);
      const chain = encodeRecord(record, written);
      expect(record.length % 16).toBe(0);
      expect(recordBytesAt(record)).toBe(record.length);
      const read = decodeRecord(record, written.salt);
      if (typeof read === 'string') throw new Error(read);
      expect(record.subarray(64 + read.payload.length).every((byte) => byte === 0)).toBe(true);
      const { firstSequence, lastSequence } = read;
      expect([firstSequence, lastSequence - firstSequence + 1]).toEqual([
        ...[written.firstSequence, written.entries.length],
      ]);
      const payload = new PayloadReader(read.payload);
      const entries = written.entries.map((_, at) => payload.next(firstSequence + at).bytes);
      expect(payload.isAtEnd).toBe(true);
      expect(entries.map((bytes) => [...bytes])).toEqual(written.entries.map((e) => [...e]));
      const hash = createHash('sha256').update(written.previousChain).update(read.payload).digest();
      expect(hash.equals(chain)).toBe(true);
      const before = record.slice();
      expect(hash.equals(chainAfter(written.previousChain, read.payload))).toBe(true);
      expect(Buffer.compare(record, before)).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('whatever bit of a record is flipped, and whatever other salt is used, it does not check', () => {
  fc.assert(
    fc.property(anyGroup, fc.nat(), fc.nat(7), (written, at, bit) => {
      const record = new Uint8Array(recordBytesOf(written.entries));
      encodeRecord(record, written);
      expect(decodeRecord(record, (written.salt ^ 1) >>> 0)).toBe('the checksum differs');
      const offset = at % record.length;
      record[offset] = (record[offset] as number) ^ (1 << bit);
      const length = recordBytesAt(record);
      if (length === record.length) expect(decodeRecord(record, written.salt)).toBeTypeOf('string');
    }),
    { numRuns: 500 },
  );
});

test('unwritten space and noise are distinguished, and neither is a record', () => {
  expect(recordBytesAt(new Uint8Array(64))).toBe(0);
  expect(recordBytesAt(new Uint8Array(10))).toBe(0);
  expect(recordBytesAt(new Uint8Array(64).fill(1))).toBeUndefined();
  expect(recordBytesAt(new Uint8Array(10).fill(1))).toBeUndefined();
});
