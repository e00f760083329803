import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import { ORDER_TYPES, SIDES, STP_MODES, TIMES_IN_FORCE, TRIGGER_TYPES } from '../domain/terms.ts';
import { sequence, timeMs } from '../domain/units.ts';
import { Entry } from '../journal/journal.ts';
import { decodeEntry, encodeEntry } from './codec.ts';

const small = fc.integer({ min: 0, max: 1_000 });
const whole = fc.maxSafeNat();
const big = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const by = fc.oneof(
  fc.record({ key: small }),
  fc.record({ key: small, fingerprint: fc.base64String({ minLength: 4 }), expiresAtMs: whole }),
);
const late = fc.oneof(
  fc.constant({}),
  fc.record({ lateAfterMs: whole }),
  fc.record({ lateAfterMs: whole, recvWindowMs: whole }),
);
const texts = fc.record({
  label: fc.string({ minLength: 1, maxLength: 36, unit: 'grapheme-ascii' }),
});
/** The same record, with texts or without. */
const maybe = (record: fc.Arbitrary<object>, name: string): fc.Arbitrary<object> =>
  fc
    .tuple(record, fc.option(texts))
    .map(([one, found]) => (found === null ? one : { ...one, [name]: found }));
const request = fc.record({
  market: small,
  version: small,
  side: fc.constantFrom(...SIDES),
  orderType: fc.constantFrom(...ORDER_TYPES),
  timeInForce: fc.constantFrom(...TIMES_IN_FORCE),
  stpMode: fc.constantFrom(...STP_MODES),
  triggerType: fc.constantFrom(...TRIGGER_TYPES),
  reduceOnly: fc.boolean(),
  clientOrderId: big,
  priceTicks: whole,
  stopTicks: whole,
  sizeLots: whole,
  displayLots: whole,
  amountParts: big,
});
const ref = fc.record({ market: small, orderId: whole, clientOrderId: big });
const anyCommand = fc.oneof(
  fc
    .tuple(by, late, fc.array(maybe(request, 'texts'), { maxLength: 8 }))
    .map(([b, l, orders]) => ({ kind: 'place-orders', by: b, source: 11, ...l, orders })),
  fc
    .tuple(by, late, fc.array(maybe(ref, 'named'), { maxLength: 8 }))
    .map(([b, l, orders]) => ({ kind: 'cancel-orders', by: b, ...l, orders })),
  by.map((b) => ({ kind: 'cancel-all', by: b })),
) as fc.Arbitrary<unknown> as fc.Arbitrary<Command>;

test('a command comes back from the journal as it went in', () => {
  fc.assert(
    fc.property(anyCommand, whole, (command, at) => {
      const stamped = { sequence: sequence(7), timeMs: timeMs(at), command };
      const digest = { lo: 4_000_000_000, hi: 5 };
      const bytes = encodeEntry(stamped, digest, 3);
      expect(decodeEntry(new Entry(7, bytes), 3)).toEqual({ stamped, digest });
      const block = Buffer.concat([bytes, bytes, bytes]);
      const middle = new Entry(7, block, bytes.length, 2 * bytes.length);
      expect(decodeEntry(middle, 3)).toEqual({ stamped, digest });
      const short = new Entry(7, block, bytes.length, 2 * bytes.length - 1);
      expect(() => decodeEntry(short, 3)).toThrow();
    }),
    { numRuns: 300 },
  );
});

test('an entry of other rules is refused, not guessed', () => {
  const stamped = {
    sequence: sequence(7),
    timeMs: timeMs(1),
    command: { kind: 'continue' } as const,
  };
  const bytes = encodeEntry(stamped, { lo: 0, hi: 0 }, 3);
  expect(() => decodeEntry(new Entry(7, bytes), 4)).toThrow('entry 7 was written with rules 3');
});
