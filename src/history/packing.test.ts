import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Packer, packedBytesMax, unpack } from './packing.ts';

const anyByte = fc.oneof(fc.constantFrom(0, 0, 0, 7, 255), fc.nat(255));
const anyRecord = fc
  .tuple(fc.array(anyByte, { minLength: 160, maxLength: 160 }), fc.nat(20))
  .map(([bytes, words]) => Uint8Array.from(bytes.slice(0, 8 * words)));

test('records come back as they were packed, in as much room as was promised', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 12 }), fc.nat(5), (records, offset) => {
      const packer = new Packer();
      const into = new Uint8Array(10_000);
      const memory = memoryOf(records);
      for (let round = 0; round < 2; round++) {
        packer.restart(memory);
        let [start, end] = [8, offset];
        for (const { length } of records) {
          const at = end;
          end = packer.pack(start, start + length, into, at);
          expect(end - at).toBeLessThanOrEqual(packedBytesMax(length));
          start += length;
        }
        expect(unpack(into.subarray(offset, end))).toEqual(records);
      }
    }),
    { numRuns: 200 },
  );
});

test('what repeats costs a byte, and one for every word', () => {
  const packer = new Packer();
  const record = Uint8Array.from({ length: 24 }, (_, at) => at + 1);
  const into = new Uint8Array(100);
  packer.restart(memoryOf([record, record]));
  const first = packer.pack(8, 32, into, 0);
  expect(first).toBe(packedBytesMax(24));
  expect(packer.pack(32, 56, into, first) - first).toBe(4);
});

test('packed records that end too early are refused, wherever they are cut', () => {
  const packer = new Packer();
  const into = new Uint8Array(100);
  packer.restart(memoryOf([Uint8Array.of(1, 2, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0)]));
  const end = packer.pack(8, 24, into, 0);
  for (let cut = 1; cut < end; cut++) expect(() => unpack(into.subarray(0, cut))).toThrow(/early/);
});

/** Records stored one after another, after one other word. */
function memoryOf(records: readonly Uint8Array[]): Int32Array {
  const bytes = Uint8Array.from([...Array(8).fill(9), ...records.flatMap((each) => [...each])]);
  return new Int32Array(bytes.buffer);
}
