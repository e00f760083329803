import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrderMatched } from '../../domain/events.ts';
import type { MatchSide } from '../../domain/orders.ts';
import { REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import { ORDER_STATES } from '../../domain/terms.ts';
import type { OrderStanding } from '../request/outcome.ts';
import { anyCount, directory, wholeOrder } from './any-order.fixture.ts';
import { placeText } from './place-text.ts';
import { placeShape } from './shapes.ts';

const markets = directory.markets().length;
const assets = directory.assets().length;

const anyMatch = fc
  .record({
    market: fc.nat(markets - 1),
    match: fc.maxSafeNat(),
    priceTicks: anyCount,
    lots: anyCount,
    feeAsset: fc.nat(assets - 1),
    fee: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  })
  .map(({ feeAsset, fee, ...event }) => ({
    event: event as unknown as OrderMatched,
    side: { feeAsset, fee } as unknown as MatchSide,
  }));

const anyStanding: fc.Arbitrary<OrderStanding> = fc
  .record({
    order: wholeOrder,
    state: fc.constantFrom(...ORDER_STATES),
    reason: fc.option(fc.constantFrom(...(Object.keys(REJECTIONS) as Rejection[])), {
      nil: undefined,
    }),
    isModified: fc.boolean(),
    match: fc.option(anyMatch, { nil: undefined }),
  })
  // An order has a match only after something of it was filled: its average needs a quantity.
  .map((standing) =>
    standing.order.filledLots === 0 ? { ...standing, match: undefined } : standing,
  );

test('an answer built by hand is what printing its shape gives, byte for byte', () => {
  let matched = 0;
  fc.assert(
    fc.property(anyStanding, (standing) => {
      if (standing.match !== undefined) matched++;
      expect(placeText(directory, standing)).toBe(JSON.stringify(placeShape(directory, standing)));
    }),
    { numRuns: 3_000 },
  );
  expect(matched).toBeGreaterThan(300);
});
