import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isNarrow,
  lotsInParts,
  narrowTickLots,
  putLots,
  putTickLots,
  tickLotsInParts,
} from './market.ts';
import { AMOUNT_LIMIT } from './units.ts';

/** Counts around the bounds of 32 bits and of exact numbers, of both signs. */
const count = fc
  .oneof(
    fc.integer({ min: 0, max: 2 ** 21 }),
    fc.integer({ min: 2 ** 31 - 2, max: 2 ** 31 + 2 }),
    fc.maxSafeNat(),
  )
  .chain((size) => fc.constantFrom(size, -size));
const each = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 20n }),
  fc.bigInt({ min: 2n ** 22n - 2n, max: 2n ** 22n + 2n }),
  fc.bigInt({ min: 2n ** 31n - 2n, max: 2n ** 31n + 2n }),
  fc.bigInt({ min: 1n, max: 2n ** 60n }),
);

test('products of ticks and lots are exact however they are computed, and an amount stays below 2^62', () => {
  const amounts = new BigInt64Array(1);
  const isAmount = (parts: bigint) => parts < AMOUNT_LIMIT && parts > -AMOUNT_LIMIT;
  const expectPut = (put: () => void, exact: bigint) => {
    if (!isAmount(exact)) expect(put).toThrow('2^62');
    else {
      put();
      expect(amounts[0]).toBe(exact);
    }
  };
  let narrow = 0;
  fc.assert(
    fc.property(each, count, count, (perTickLot, ticks, lots) => {
      const exact = perTickLot * BigInt(ticks) * BigInt(lots);
      expect(tickLotsInParts(perTickLot, ticks, lots)).toBe(exact);
      if (isNarrow(perTickLot, ticks, lots)) {
        narrow++;
        expect(narrowTickLots(perTickLot, ticks, lots)).toBe(exact);
        expect(isAmount(exact)).toBe(true);
      }
      expectPut(() => putTickLots(amounts, 0, perTickLot, ticks, lots), exact);
      expect(lotsInParts(perTickLot, lots)).toBe(perTickLot * BigInt(lots));
      expectPut(() => putLots(amounts, 0, perTickLot, lots), perTickLot * BigInt(lots));
    }),
    { numRuns: 3_000 },
  );
  expect(narrow).toBeGreaterThan(50);
});
