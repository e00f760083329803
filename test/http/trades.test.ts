import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RialtoClient } from '../../src/client/index.ts';
import { BTC, limit, place, SPOT, spot, trade } from './trading.ts';
import {
  accountOf,
  clientFor,
  keyOf,
  rawCall,
  refusalOf,
  startVenue,
  type Venue,
} from './venue.ts';

let venue: Venue;
let one: RialtoClient;
let two: RialtoClient;
beforeAll(async () => {
  venue = await startVenue();
  one = clientFor(venue);
  two = clientFor(venue, 'main', 1);
});
afterAll(() => venue?.stop());

test('a match is a trade for either side, with one id', async () => {
  const { made, taken } = await trade(one, two, limit('SELL', '0.01', '60000'));
  const [mine] = await one.trades();
  const [theirs] = await two.trades({ marketCode: BTC });
  expect(mine).toEqual({
    id: expect.stringMatching(/^97\d{16}$/),
    orderId: made.orderId,
    clientOrderId: '0',
    matchId: taken.matchId,
    marketCode: BTC,
    side: 'SELL',
    matchedQuantity: '0.0100',
    matchPrice: '60000.0',
    total: '60000.00',
    orderMatchType: 'MAKER',
    feeAsset: 'OX',
    fee: '12.0',
    source: '11',
    matchedAt: taken.lastMatchedAt,
  });
  expect(theirs).toMatchObject({
    matchId: taken.matchId,
    orderId: taken.orderId,
    side: 'BUY',
    orderMatchType: 'TAKER',
    fee: '42.0',
  });
});

test('spot trades count in the counter asset; other markets are left out when one is named', async () => {
  await trade(one, two, spot('SELL', '0.00123', '60000.5'));
  const rows = await two.trades({ marketCode: SPOT });
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ total: '73.800615', matchedQuantity: '0.00123' });
  expect((await refusalOf(two.trades({ marketCode: 'NOPE' }))).code).toBe('20001');
});

test('limit and beforeId walk through all trades, even those of one command', async () => {
  const asks = Array.from({ length: 8 }, (_, at) => limit('SELL', '0.001', String(60_001 + at)));
  await one.placeOrders({ orders: asks });
  await place(two, limit('BUY', '0.008', '60010'));
  // A self-trade: two rows of one match.
  await trade(two, two, limit('SELL', '0.001', '60500'));
  const all = (await two.trades()).map(({ id }) => id);
  expect(all.length).toBeGreaterThanOrEqual(12);
  for (const limitText of ['1', '3']) {
    const walked: string[] = [];
    for (let ask = {}; ; ask = { beforeId: walked.at(-1) }) {
      const page = await two.trades({ ...ask, limit: limitText });
      if (page.length === 0) break;
      // A page is short only at the end of the list.
      if (walked.length + page.length < all.length) expect(page).toHaveLength(Number(limitText));
      walked.push(...page.map(({ id }) => id));
    }
    expect(walked).toEqual(all);
  }
  expect((await refusalOf(two.trades({ beforeId: '7' }))).code).toBe('20001');
});

test('the window of trades has both ends inside', async () => {
  const [newest] = await two.trades({ limit: '1' });
  const at = Number(newest?.matchedAt);
  const ids = async (startMs: number, endMs: number) =>
    (await two.trades({ startTime: String(startMs), endTime: String(endMs) })).map(
      ({ matchId }) => matchId,
    );
  expect(await ids(at, at)).toContain(newest?.matchId);
  expect(await ids(at + 1, at + 100)).toEqual([]);
  expect(await ids(at - 100_000, at - 1)).not.toContain(newest?.matchId);
  const week = 7 * 86_400_000;
  const refusal = await refusalOf(
    two.trades({ startTime: String(at - week - 1), endTime: String(at) }),
  );
  expect(refusal.code).toBe('20001');
});

test('a position follows from the trades', async () => {
  const lotsOf = (rows: Awaited<ReturnType<RialtoClient['trades']>>) =>
    rows
      .filter(({ marketCode }) => marketCode === BTC)
      .map(({ side, matchedQuantity }) => Number(matchedQuantity) * (side === 'BUY' ? 1 : -1))
      .reduce((sum, lots) => sum + lots, 0);
  for (const rialto of [one, two]) {
    const [own] = await rialto.positions({ marketCode: BTC });
    const trades = lotsOf(await rialto.trades());
    expect(Number(own?.positions[0]?.position)).toBeCloseTo(trades, 8);
  }
});

test('a key sees the trades of its own account', async () => {
  expect(await clientFor(venue, 'desk-a').trades()).toEqual([]);
  const key = keyOf(accountOf(venue, 'main'), 'read');
  const answer = await rawCall(venue, { key, path: '/v3/trades', query: 'limit=1' });
  expect(answer.data).toHaveLength(1);
});
