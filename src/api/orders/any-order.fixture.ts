import fc from 'fast-check';
import { venueWith } from '../../../test/support/core-venue.ts';
import { directoryOf } from '../../core/views/views.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import { ORDER_TYPES, SIDES, TIMES_IN_FORCE } from '../../domain/terms.ts';

/** Orders of every kind, with figures up to the largest, of the markets of `directory`. */
export const directory = directoryOf(venueWith({}).state);
const markets = directory.markets().length;

export const anyCount = fc.oneof(fc.nat(1_000_000), fc.maxSafeNat());
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
export const wholeOrder = anyOrder.map(
  (some) =>
    ({
      ...{ orderId: 1, clientOrderId: 0n, account: 0, market: 0, side: 'BUY', orderType: 'LIMIT' },
      ...{ timeInForce: 'GTC', triggerType: 'MARK_PRICE', source: 11, isStop: false },
      ...{ isTriggered: false, priceTicks: 1, stopTicks: 0, totalLots: 1, openLots: 1 },
      ...{ filledLots: 0, displayLots: 1, amountParts: 0n, filledCost: 0n, createdAtMs: 1 },
      ...{ lastModifiedAtMs: 1, lastMatchedAtMs: 0, ...some },
    }) as unknown as OrderRecord,
);
