import fc from 'fast-check';
import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import type { Market } from '../state.ts';
import { markValueDown, markValueUp, setMarkPrice, valueDown, valueUp } from './tiers.ts';

test('values at the mark, by what was prepared, are what the mark itself gives', () => {
  const { markets } = venueWith({}).state;
  const lots = fc.oneof(
    fc.integer({ min: -1_000, max: 1_000 }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.constant(2 ** 31),
  );
  fc.assert(
    fc.property(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 20n }), lots, (at, mark, count) => {
      const market = markets[at % markets.length] as Market;
      setMarkPrice(market, mark);
      const bound = market.price.lotsCounted;
      for (const size of [count, -count, bound, -bound, bound + 1, -bound - 1]) {
        expect(markValueUp(market, size)).toBe(valueUp(market, size, mark));
        expect(markValueDown(market, size)).toBe(valueDown(market, size, mark));
      }
    }),
    { numRuns: 2_000 },
  );
});
