import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from '../../src/client/crc32.ts';
import {
  type Endpoint,
  RialtoClient,
  RialtoError,
  type StreamMessage,
} from '../../src/client/index.ts';
import { timeText } from '../../web/shared/number-text.ts';
import { isLostAnswer, isRefused } from '../../web/shared/outcome.ts';
import { type Clock, sendSurely } from '../../web/shared/send-surely.ts';
import { caughtUpWords } from '../../web/trade/caught-up.ts';
import { mergeCandles } from '../../web/trade/chart/merge.ts';
import {
  between,
  depthSpan,
  edgeOf,
  marksOf,
  nearest,
  spread,
  stepsOf,
} from '../../web/trade/chart/places.ts';
import { markText } from '../../web/trade/chart/times.ts';
import { windowsOf } from '../../web/trade/chart/windows.ts';
import { differencesOf } from '../../web/trade/compare.ts';
import { keepsPlace } from '../../web/trade/live-orders.ts';
import { EMPTY_STATE } from '../../web/trade/live-state.ts';
import { addressOf, marketNamed, nameIn } from '../../web/trade/market-path.ts';
import { keepBook } from '../../web/trade/order-book/keep-book.ts';
import { drawEveryMs } from '../../web/trade/order-book/levels.ts';
import { ownPrices } from '../../web/trade/order-book/own-prices.ts';
import { orderLine } from '../../web/trade/order-words.ts';
import { isSlowAfter } from '../../web/trade/slow-frames.ts';
import { EMPTY_FORM, reasonToConfirm, usualSize } from '../../web/trade/ticket/form.ts';
import { apply } from './apply.ts';

/** What the trade view computes without a browser. */

test('labels of lines cover no other, keep the order of their lines and stay within the chart', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 400, noNaN: true }), { maxLength: 12 }), (ys) => {
      const wanted = ys.map((y, at) => ({ key: String(at), y }));
      const placed = spread(wanted, 24, { from: 54, to: 400 });
      const sorted = [...placed.values()];
      for (const [at, y] of sorted.entries()) {
        expect(y).toBeLessThanOrEqual(388);
        // Twelve of them fit: none covers the pill at the edge.
        expect(y).toBeGreaterThanOrEqual(66);
        if (at > 0) expect(y - (sorted[at - 1] as number)).toBeGreaterThanOrEqual(23.999);
      }
      expect(placed.size).toBe(ys.length);
    }),
  );
  expect(spread([{ key: 'alone', y: 100 }], 24, { from: 54, to: 400 }).get('alone')).toBe(100);
});

test('the edge shows the most important and the nearest labels, and how many more there are', () => {
  const items = [
    { key: 'far', rank: 2, distance: 9 },
    { key: 'near', rank: 2, distance: 1 },
    { key: 'liquidation', rank: 0, distance: 50 },
  ];
  const { shown, more } = edgeOf(items, 2);
  expect(shown.map(({ key }) => key)).toEqual(['liquidation', 'near']);
  expect(more).toBe(1);
});

test('orders far from the price give way when there are too many, but not the one in hand', () => {
  const items = [90, 99, 101, 150].map((price) => ({ key: String(price), price }));
  const all = { from: 0, to: 4 };
  const near = (held: string | undefined, max: number, span = all) =>
    nearest(items, span, { price: 100, held, max }).near.map(({ key }) => key);
  expect(near(undefined, 4)).toEqual(['90', '99', '101', '150']);
  expect(near(undefined, 2)).toEqual(['99', '101']);
  expect(near('150', 2)).toEqual(['99', '150']);
  expect(near('150', 2, { from: 0, to: 3 })).toEqual(['99', '101']);
  expect(near(undefined, 1, { from: 3, to: 4 })).toEqual(['150']);
  expect(nearest(items, all, { price: 100, max: 1 }).more).toBe(3);
  expect(between(items, 99, 101)).toEqual({ from: 1, to: 3 });
  expect(between(items, 102, 103)).toEqual({ from: 3, to: 3 });
  expect(between(items, 0, -1)).toEqual({ from: 0, to: 0 });
});

test('of ten thousand orders only those that are drawn are looked at', () => {
  let looks = 0;
  const items = Array.from({ length: 10_000 }, (_, at) => ({
    key: String(at),
    get price() {
      looks++;
      return at;
    },
  }));
  const sight = between(items, 2_000, 8_000);
  const { near, more } = nearest(items, sight, { price: 5_000.4, max: 8 });
  expect(near.map(({ key }) => Number(key))).toEqual([
    4_997, 4_998, 4_999, 5_000, 5_001, 5_002, 5_003, 5_004,
  ]);
  expect(more).toBe(6_001 - 8);
  expect(looks).toBeLessThan(100);
});

test('own prices of the book are read again only when orders have changed', () => {
  let reads = 0;
  const order = (side: string, price: string, more = {}) => ({
    ...{ orderId: price, marketCode: 'M', side, orderType: 'LIMIT', isTriggered: false, ...more },
    get price() {
      reads++;
      return price;
    },
  });
  const all = [
    order('BUY', '100'),
    order('BUY', '100'),
    order('SELL', '101'),
    order('SELL', '90', { orderType: 'STOP_LIMIT' }),
    order('BUY', '7', { marketCode: 'N' }),
  ];
  const orders = new Map(all.entries()) as unknown as Parameters<typeof ownPrices>[0];
  const { asks, bids } = ownPrices(orders, 'M');
  expect([asks, bids, reads]).toEqual([[101], [100], 3]);
  expect(ownPrices(orders, 'M').bids).toEqual([100]);
  expect(reads).toBe(3);
  expect(ownPrices(orders, 'N').bids).toEqual([7]);
  expect(ownPrices(new Map(), 'N').bids).toEqual([]);
});

test('fills become one arrow for each candle and side, within the range in sight', () => {
  const fill = (atMs: number, isBuy: boolean) => ({ id: `${atMs}${isBuy}`, isBuy, atMs });
  const fills = [fill(61_000, true), fill(70_000, true), fill(70_000, false), fill(600_000, true)];
  expect(marksOf(fills, 60_000, { fromMs: 0, toMs: 120_000 })).toEqual([
    { openedAtMs: 60_000, isBuy: true },
    { openedAtMs: 60_000, isBuy: false },
  ]);
});

test('steps of the depth add up, and end where the range does', () => {
  const levels = [
    [100, 1],
    [101, 2],
    [110, 3],
  ] as const;
  expect(stepsOf(levels, (price) => price <= 105)).toEqual([
    { price: 100, total: 1 },
    { price: 101, total: 3 },
  ]);
});

test('the depth chart reaches as far as the farther side, and has a book of one side from its middle on', () => {
  const [asks, bids] = [
    [
      [101, 1],
      [104, 1],
    ],
    [
      [99, 1],
      [98, 1],
    ],
  ] as const;
  expect(depthSpan(asks, bids, 0.5)).toEqual({ middle: 100, reach: 4 });
  expect(depthSpan([], bids, 0.5)).toEqual({ middle: 99, reach: 1 });
  expect(depthSpan([[101, 1]], [], 0.5)).toEqual({ middle: 101, reach: 0.5 });
  expect(depthSpan([], [], 0.5)).toBeUndefined();
});

test('the page and the venue agree, or every difference is named', () => {
  const order = {
    ...{ orderId: '1', marketCode: 'X', side: 'BUY', orderType: 'LIMIT', price: '1' },
    ...{ quantity: '2.0', remainQuantity: '2', timeInForce: 'GTC', createdAt: '1' },
  };
  let state = apply(EMPTY_STATE, { table: 'order', channel: 'order:all', seq: 1, data: [order] });
  const balance = { instrumentId: 'OX', total: '5', available: '5', reserved: '0' };
  state = apply(state, { table: 'balance', channel: 'b', seq: 1, snapshot: true, data: [balance] });
  const balances = [{ asset: 'OX', total: '5.00', reserved: '0' }];
  expect(differencesOf(state, { orders: [{ orderId: '1', quantity: '2' }], balances })).toEqual([]);
  expect(differencesOf(state, { orders: [{ orderId: '2', quantity: '2' }], balances })).toEqual([
    'order 2 is open and not shown',
    'order 1 is shown and not open',
  ]);
  const other = [{ asset: 'OX', total: '6', reserved: '0' }];
  expect(
    differencesOf(state, { orders: [{ orderId: '1', quantity: '3' }], balances: other }),
  ).toHaveLength(2);
});

test('an order keeps its place when only its size shrinks', () => {
  const order = { price: '100', quantity: '2' } as Parameters<typeof keepsPlace>[0];
  expect(keepsPlace(order, { quantity: '1.5' })).toBe(true);
  expect(keepsPlace(order, { price: '100.0', quantity: '2' })).toBe(true);
  expect(keepsPlace(order, { quantity: '2.1' })).toBe(false);
  expect(keepsPlace(order, { price: '101' })).toBe(false);
});

test('slow frames are found, and forgotten only when they are clearly fast again', () => {
  const frames = (ms: number, slow: number) => [...Array(95).fill(ms), ...Array(5).fill(slow)];
  expect(isSlowAfter(frames(16, 30), false)).toBe(true);
  expect(isSlowAfter(frames(16, 22), false)).toBe(false);
  expect(isSlowAfter(frames(16, 22), true)).toBe(true);
  expect(isSlowAfter([], true)).toBe(true);
});

test('a size far above the usual one needs a confirmation, once there is a usual one', () => {
  expect(usualSize(['1', '2'])).toBeUndefined();
  expect(usualSize(['1', '2', '3'])).toBe(2);
  const form = { ...EMPTY_FORM, price: '100', size: '21' };
  const options = { best: '100', confirmsMarket: true };
  expect(reasonToConfirm(form, {}, { ...options, usual: 2 })).toBe(
    '10 times the usual size. Send?',
  );
  expect(reasonToConfirm(form, {}, options)).toBeUndefined();
});

test('a liquidation is noted when it begins and when it ends, whatever is drawn in between', () => {
  const account = (accountId: string, liquidating: boolean) => ({
    ...{ table: 'account', channel: 'account', seq: 1 },
    data: [{ accountId, name: `desk ${accountId}`, liquidating, balances: [] }],
  });
  const notesAfter = (messages: readonly StreamMessage[]) =>
    messages.reduce(apply, EMPTY_STATE).liquidations;
  const calm = account('1', false);
  const begun = account('1', true);
  expect(notesAfter([calm, calm])).toEqual([]);
  expect(notesAfter([calm, begun, begun, calm, calm])).toEqual([
    { hasBegun: false, name: 'desk 1' },
    { hasBegun: true, name: 'desk 1' },
  ]);
  // Known from the first message on, and another account's calm is not the end of it.
  expect(notesAfter([begun, account('2', false)])).toEqual([{ hasBegun: true, name: 'desk 1' }]);
  expect(notesAfter(Array.from({ length: 50 }, () => [begun, calm]).flat()).length).toBe(20);
});

test('the first trade after an announced liquidation is marked, and only in its market', () => {
  const trade = (marketCode: string, tradeId: string) => ({
    ...{ table: 'trade', channel: `trade:${marketCode}`, seq: 1 },
    data: [{ marketCode, tradeId, side: 'BUY', price: '1', quantity: '1', timestamp: '1' }],
  });
  const liquidation = {
    table: 'liquidationRFQ',
    channel: 'l',
    seq: 1,
    data: [{ marketCode: 'X' }],
  };
  const messages = [liquidation, trade('Y', '1'), trade('X', '2'), trade('X', '3')];
  const { tape } = messages.reduce(apply, EMPTY_STATE);
  expect(tape.filter(({ isAfterLiquidation }) => isAfterLiquidation).map(({ id }) => id)).toEqual([
    '2',
  ]);
});

/** A client whose responses are controlled by the test; records the bytes that were sent. */
function clientOf(answers: readonly (Response | Error)[]) {
  const sent: string[] = [];
  let at = 0;
  const client = new RialtoClient({
    ...{ baseUrl: 'http://venue', accessKey: 'k', secret: 's' },
    fetch: async (_url, init) => {
      sent.push(JSON.stringify([init?.headers, init?.body]));
      const answer = answers[Math.min(at++, answers.length - 1)];
      if (answer instanceof Response) return answer;
      throw answer;
    },
  });
  return { client, sent };
}

const PLACE = { method: 'POST', path: '/v3/x', access: 'trade' } as unknown as Endpoint;
const answered = (status: number, body: object) => new Response(JSON.stringify(body), { status });

test('a request without an answer is repeated byte for byte until its outcome is known', async () => {
  const lost = new TypeError('failed to fetch');
  const { client, sent } = clientOf([lost, lost, answered(200, { success: true, data: [1] })]);
  let waits = 0;
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    wait: async (ms) => {
      nowMs += ms;
    },
  };
  const call = { endpoint: PLACE, request: { a: 1 } as never, onWaiting: () => waits++ };
  expect(await sendSurely(client, call, clock)).toEqual([1]);
  expect(new Set(sent).size).toBe(1);
  expect([sent.length, waits]).toEqual([3, 2]);
  const silent = clientOf([lost]);
  await expect(sendSurely(silent.client, call, clock)).rejects.toThrow('not known');
  expect(silent.sent.length).toBeLessThanOrEqual(26);
  const refused = clientOf([answered(400, { success: false, code: '20001', message: 'no' })]);
  await expect(sendSurely(refused.client, call, clock)).rejects.toBeInstanceOf(RialtoError);
  expect(refused.sent).toHaveLength(1);
});

test('a page of a proxy is no refusal: the same bytes are sent again, and only the venue can refuse', async () => {
  const clock: Clock = { nowMs: () => 0, wait: async () => undefined };
  const call = { endpoint: PLACE, request: { a: 1 } as never };
  for (const status of [502, 504]) {
    const page = new Response('<html>', { status });
    const { client, sent } = clientOf([page, answered(200, { success: true, data: [1] })]);
    expect(await sendSurely(client, call, clock)).toEqual([1]);
    expect([sent.length, new Set(sent).size]).toEqual([2, 1]);
  }
  const error = (status: number) => new RialtoError(new Response(null, { status }), '1', 'no');
  expect([400, 503, 502, 504].map((status) => isRefused(error(status)))).toEqual([
    ...[true, true, false, false],
  ]);
  expect(isRefused(new Error('no answer came'))).toBe(false);
});

test('only a lost answer is one: a fault of the page is not blamed on the venue', () => {
  const lost = [
    'Failed to fetch',
    'NetworkError when attempting to fetch resource.',
    'Load failed',
    'network error',
    'fetch failed',
  ];
  expect(lost.filter((words) => !isLostAnswer(new TypeError(words)))).toEqual([]);
  const fault = "Cannot read properties of undefined (reading 'network')";
  expect(isLostAnswer(new TypeError(fault))).toBe(false);
  expect(isLostAnswer(new Error('Failed to fetch'))).toBe(false);
});

test('an address names a market in any case, the exact one first, and can be read back', () => {
  const all = ['BTC-USDT', 'kPEPE_a.b', 'ox', 'OX'].map((marketCode) => ({ marketCode }));
  const found = (path: string) => marketNamed(all, nameIn(path) ?? '')?.marketCode;
  for (const { marketCode } of all) expect(found(addressOf(marketCode))).toBe(marketCode);
  expect(found('/trade/btc-usdt/')).toBe('BTC-USDT');
  expect(found('/trade/KPEPE%5Fa.B')).toBe('kPEPE_a.b');
  expect(found('/trade/DOGE')).toBeUndefined();
  expect(nameIn(addressOf('a/b c'))).toBe('a/b c');
  // What cannot be decoded is no market, and no fault of the page.
  expect(nameIn('/trade/%E0%A4')).toBe('%E0%A4');
  expect([nameIn('/'), nameIn('/trade'), nameIn('/trade/')]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('a book whose snapshot was lost is requested again, once, and comes', () => {
  const listeners: ((message: StreamMessage) => void)[] = [];
  const books: object[] = [];
  let nowMs = 0;
  keepBook({
    stream: {
      subscribe: (_, listener) => {
        listeners.push(listener);
        return () => undefined;
      },
    },
    marketCode: 'X',
    nowMs: () => nowMs,
    onMessage: () => undefined,
    onBook: (book) => books.push(book),
  });
  const deliver = (table: string, seqNum: number, isOpening: boolean): void => {
    const asks = table === 'depthUpdate' ? [[101, 1]] : [];
    const checksum = crc32(asks.length === 0 ? '[][]' : '[[101.0,1.0]][]');
    const data = { seqNum, asks, bids: [], checksum };
    const opening = isOpening ? { snapshot: true } : {};
    listeners.at(-1)?.({ table, channel: 'depthUpdate:X', seq: seqNum, data, ...opening });
  };
  // All levels were lost; the empty change after them arrived.
  deliver('depthUpdate-diff', 5, true);
  expect(listeners).toHaveLength(2);
  // Changes of the previous subscription that are still in flight request nothing.
  deliver('depthUpdate-diff', 6, false);
  deliver('depthUpdate-diff', 7, false);
  expect([listeners.length, books.length]).toEqual([2, 0]);
  // The whole new snapshot was lost, too.
  nowMs = 1_000;
  deliver('depthUpdate-diff', 8, false);
  expect(listeners).toHaveLength(3);
  deliver('depthUpdate', 9, true);
  deliver('depthUpdate-diff', 9, true);
  deliver('depthUpdate-diff', 10, false);
  expect(listeners).toHaveLength(3);
  expect(books).toEqual([{ asks: [[101, 1]], bids: [] }]);
});

test('the book is drawn 20 times a second, 10 on phones, 4 under the pointer, half of that in a slow browser', () => {
  const usual = { isResting: false, isPhone: false, isSlow: false };
  expect(drawEveryMs(usual)).toBe(50);
  expect(drawEveryMs({ ...usual, isPhone: true })).toBe(100);
  expect(drawEveryMs({ ...usual, isPhone: true, isResting: true })).toBe(250);
  expect(drawEveryMs({ ...usual, isSlow: true })).toBe(100);
  expect(drawEveryMs({ ...usual, isResting: true, isSlow: true })).toBe(500);
});

test('an order is told by its market’s decimals, and a stop by where it waits', () => {
  const terms = { base: 'BTC', tickSize: '1', minSize: '0.0001' };
  const order = {
    ...{ orderId: '1', marketCode: 'BTC-USD-SWAP-LIN', side: 'SELL' as const },
    ...{ orderType: 'LIMIT', timeInForce: 'GTC', quantity: '1.25', remainQuantity: '0.75' },
    ...{ price: '58835.0', createdAt: '0', isTriggered: false },
  };
  expect(orderLine(order, terms)).toBe('Sell limit 0.7500 BTC at 58,835');
  // The limit that it gets when it triggers is the venue's own.
  const stop = { ...order, orderType: 'STOP_MARKET', price: '52531.0', stopPrice: '57492' };
  expect(orderLine(stop, terms)).toBe('Sell stop 0.7500 BTC at 57,492');
});

test('the time axis follows the reader’s clock where that was chosen, days of the venue stay its own', () => {
  const ms = Date.UTC(2026, 10, 17, 9, 30);
  const [time, day] = [3, 2];
  expect(markText(ms, { kind: time, zone: 'utc', isDaily: false })).toBeNull();
  expect(markText(ms, { kind: day, zone: 'local', isDaily: true })).toBeNull();
  const local = timeText(ms, 'local');
  const clock = local.slice(11, 16);
  expect(markText(ms, { kind: time, zone: 'local', isDaily: false })).toBe(clock);
  const marked = markText(ms, { kind: day, zone: 'local', isDaily: false });
  expect(marked).toBe(clock === '00:00' ? local.slice(8, 10) : `${local.slice(8, 10)} ${clock}`);
});

test('candles are requested a week at a time, without a gap, and no more than twelve weeks at once', () => {
  const week = 7 * 86_400_000;
  fc.assert(
    fc.property(
      fc.constantFrom(60, 300, 900, 1_800, 3_600, 7_200, 14_400, 86_400),
      fc.integer({ min: 1, max: 2_000_000_000_000 }),
      (seconds, endMs) => {
        const windows = windowsOf(endMs, seconds * 1_000, 500);
        expect(windows[0]?.endMs).toBe(endMs);
        for (const [at, { startMs, endMs: end }] of windows.entries()) {
          expect(end - startMs).toBeLessThanOrEqual(week);
          // No window has more candles than one response.
          expect((end - startMs) / (seconds * 1_000)).toBeLessThanOrEqual(500);
          expect(startMs).toBeGreaterThanOrEqual(0);
          if (at > 0) expect(end).toBe((windows[at - 1]?.startMs ?? 0) - 1);
        }
        expect(windows.length).toBeLessThanOrEqual(12);
      },
    ),
  );
  expect(windowsOf(Date.UTC(2026, 10, 17), 300_000, 500)).toHaveLength(1);
  expect(windowsOf(Date.UTC(2026, 10, 17), 14_400_000, 500)).toHaveLength(12);
});

test('after a resume it is said how much was missed, where a snapshot replaced it', () => {
  const titleOf = (...anew: Parameters<typeof caughtUpWords>[0]) => caughtUpWords(anew)?.title;
  // Each message of these channels shows everything: none of them can be missed.
  expect(titleOf({ channel: 'ticker:all', missed: 90 })).toBeUndefined();
  expect(titleOf({ channel: 'candles60s:X', missed: undefined })).toBeUndefined();
  expect(titleOf({ channel: 'wallet:all', missed: 0 })).toBeUndefined();
  const [book, orders] = ['depthUpdate:X', 'order:all'];
  expect(titleOf({ channel: book, missed: 200 }, { channel: orders, missed: 14 })).toBe(
    'Caught up, 214 updates',
  );
  expect(titleOf({ channel: orders, missed: 1 })).toBe('Caught up, 1 update');
  // A restarted venue does not know what it sent before.
  expect(titleOf({ channel: book, missed: undefined })).toBe('Caught up');
  expect(titleOf({ channel: book, missed: undefined }, { channel: orders, missed: 14 })).toBe(
    'Caught up, more than 14 updates',
  );
});

test('bars that the stream skipped are put where they belong; the running one is left to it', () => {
  const bar = (openedAtMs: number, close: number) => ({
    ...{ openedAtMs, open: 1, high: 9, low: 1, close, volume: 1 },
  });
  const all = [bar(0, 2), bar(60, 3), bar(300, 7)];
  expect(mergeCandles(all, [bar(0, 2), bar(60, 3), bar(300, 6)])).toBe(all);
  const read = [bar(60, 4), bar(120, 5), bar(240, 6), bar(300, 6), bar(360, 8)];
  expect(mergeCandles(all, read)).toEqual([
    ...[bar(0, 2), bar(60, 4), bar(120, 5)],
    ...[bar(240, 6), bar(300, 7)],
  ]);
});
