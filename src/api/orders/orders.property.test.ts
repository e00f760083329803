import fc from 'fast-check';
import { expect, test } from 'vitest';
import { audit } from '../../core/audit/audit.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';

const maybe = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, values);

/** Numbers that make sense in some market, and some that make sense in none. */
const anyNumber = fc.constantFrom(
  ...['0.01', '0.5', '1', '10', '400', '3000', '59000', '60000', '66000', '0.011', '0.00001'],
  ...['0', '-1', 'x', '1e15', '4611686018', '9007199254740991', '90071992547.40991', undefined],
);
const anyOrder = fc.record({
  marketCode: fc.constantFrom('BTC-USD-SWAP-LIN', 'BTC-USDT', 'OX-USDT', 'ETH-USDT'),
  side: fc.constantFrom('BUY', 'SELL'),
  orderType: fc.constantFrom('LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'),
  timeInForce: maybe(fc.constantFrom('GTC', 'IOC', 'FOK', 'MAKER_ONLY', 'MAKER_ONLY_REPRICE')),
  quantity: anyNumber,
  price: anyNumber,
  stopPrice: anyNumber,
  limitPrice: anyNumber,
  amount: maybe(anyNumber),
  displayQuantity: maybe(anyNumber),
  selfTradePreventionMode: maybe(fc.constantFrom('EXPIRE_MAKER', 'EXPIRE_TAKER', 'EXPIRE_BOTH')),
  triggerType: maybe(fc.constant('LAST_PRICE')),
  reduceOnly: maybe(fc.constant(true)),
  clientOrderId: fc.constantFrom(undefined, '1', '2'),
});
const family = fc.constantFrom('alice', 'bob');
const anyRequest = fc.record({
  family,
  path: fc.constantFrom('/v3/orders/place', '/v3/orders/place', '/v3/orders/modify'),
  orders: fc.array(anyOrder, { minLength: 1, maxLength: 8 }),
});
/** Prices that meet, and changes of the same order one after another. */
const likely = {
  marketCode: fc.constant('BTC-USDT'),
  price: fc.constantFrom('59000', '59500', '60000'),
  quantity: fc.constantFrom('0.5', '1', '2'),
  clientOrderId: fc.constantFrom('1', '2'),
};
const terms = { side: fc.constantFrom('BUY', 'SELL'), orderType: fc.constant('LIMIT') };
const many = { minLength: 1, maxLength: 8 };
const likelyRequest = fc.oneof(
  fc.record({
    family,
    path: fc.constant('/v3/orders/place'),
    orders: fc.array(fc.record({ ...likely, ...terms }), many),
  }),
  fc.record({
    family,
    path: fc.constant('/v3/orders/modify'),
    orders: fc.array(fc.record(likely, { requiredKeys: ['marketCode', 'clientOrderId'] }), many),
  }),
);

type Row = { orderId?: string; status?: string; remainQuantity?: string; submitted?: boolean };

test('whatever is sent, each element is answered, as its order stands, and the books agree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(anyRequest, likelyRequest), { maxLength: 10 }),
      async (requests) => {
        const edge = edgeOverCore();
        for (const { family, path, orders } of requests) {
          const answer = await edge.ask(family, 'POST', path, { body: { orders } });
          expect([answer.status, answer.data?.length]).toEqual([200, orders.length]);
          const working: Row[] = (await edge.ask(family, 'GET', '/v3/orders/working')).data;
          // An order that two elements of one request amend is answered twice: the last one stands.
          const lastById = new Map(answer.data.map((row: Row) => [row.orderId, row]));
          for (const row of lastById.values() as Iterable<Row>) {
            if (row.submitted === false) continue;
            const open = working.find(({ orderId }) => orderId === row.orderId);
            const isOpen = row.status === 'OPEN' || row.status === 'PARTIAL_FILL';
            expect(open?.remainQuantity).toBe(isOpen ? row.remainQuantity : undefined);
          }
        }
        expect(audit(edge.core.state).faults).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
