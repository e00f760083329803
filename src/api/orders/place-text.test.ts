import fc from 'fast-check';
import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { directoryOf } from '../../core/views/views.ts';
import type { OrderMatched } from '../../domain/events.ts';
import type { MatchSide, OrderRecord } from '../../domain/orders.ts';
import { REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import { ORDER_STATES, ORDER_TYPES, SIDES, TIMES_IN_FORCE } from '../../domain/terms.ts';
import type { OrderStanding } from '../request/outcome.ts';
import { placeText } from './place-text.ts';
import { placeShape } from './shapes.ts';

const directory = directoryOf(venueWith({}).state);
const markets = directory.markets().length;
const assets = directory.assets().length;

const anyCount = fc.oneof(fc.nat(1_000_000), fc.maxSafeNat());
const anyParts = fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 63n - 1n));
const anyText = fc.record({ label: fc.string() }, { requiredKeys: [] });

const anyOrder = fc.record(
  {
    orderId: fc.maxSafeNat(),
    clientOrderId: anyParts,
    account: fc.nat(1_000),
    market: fc.nat(markets - 1),
    side: fc.constantFrom(...SIDES),
    orderType: fc.constantFrom(...ORDER_TYPES),
    timeInForce: fc.constantFrom(...TIMES_IN_FORCE),
    triggerType: fc.constantFrom('MARK_PRICE', 'LAST_PRICE'),
    source: fc.nat(30),
    isStop: fc.boolean(),
    isTriggered: fc.boolean(),
    priceTicks: anyCount,
    stopTicks: anyCount,
    totalLots: anyCount,
    openLots: anyCount,
    filledLots: fc.oneof(fc.constant(0), fc.nat(1_000), fc.maxSafeNat()),
    displayLots: anyCount,
    amountParts: anyParts,
    filledCost: anyParts,
    createdAtMs: fc.nat(2 ** 31),
    lastModifiedAtMs: fc.nat(2 ** 31),
    lastMatchedAtMs: fc.oneof(fc.constant(0), fc.nat(2 ** 31)),
    texts: anyText,
  },
  { requiredKeys: [] },
);

/** Everything that printing reads is there, whatever is left out of it. */
const wholeOrder = anyOrder.map(
  (some) =>
    ({
      ...{ orderId: 1, clientOrderId: 0n, account: 0, market: 0, side: 'BUY', orderType: 'LIMIT' },
      ...{ timeInForce: 'GTC', triggerType: 'MARK_PRICE', source: 11, isStop: false },
      ...{ isTriggered: false, priceTicks: 1, stopTicks: 0, totalLots: 1, openLots: 1 },
      ...{ filledLots: 0, displayLots: 1, amountParts: 0n, filledCost: 0n, createdAtMs: 1 },
      ...{ lastModifiedAtMs: 1, lastMatchedAtMs: 0, ...some },
    }) as unknown as OrderRecord,
);

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
