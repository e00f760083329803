import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RialtoClient } from '../../src/client/index.ts';
import { placeOrders } from '../../src/wire/orders.ts';
import { BTC, limit, place, SPOT, spot, trade } from './trading.ts';
import {
  accountOf,
  clientFor,
  clientOf,
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
beforeEach(async () => {
  await one.cancelAllOrders();
  await two.cancelAllOrders();
});

const balance = async (rialto: RialtoClient, asset: string) =>
  (await rialto.balances({ asset }))[0]?.balances[0];

test('an order rests, is seen everywhere, and is gone once cancelled', async () => {
  const order = await place(one, limit('BUY', '0.01', '59000', { clientOrderId: '41' }));
  expect(order).toMatchObject({
    notice: 'OrderOpened',
    accountId: accountOf(venue, 'main').accountId,
    submitted: true,
    status: 'OPEN',
    clientOrderId: '41',
    price: '59000.0',
    remainQuantity: '0.01',
    source: '11',
  });
  const orderId = order.orderId ?? '';
  expect(await one.workingOrders()).toMatchObject([
    { orderId, status: 'OPEN', quantity: '0.01', matchedQuantity: '0.0' },
  ]);
  expect(await one.workingOrders({ marketCode: SPOT })).toEqual([]);
  expect(await one.orderStatus({ clientOrderId: '41' })).toMatchObject({ orderId, status: 'OPEN' });
  expect((await one.depth({ marketCode: BTC })).bids).toEqual([[59_000, 0.01]]);

  const [cancelled] = await one.cancelOrders({ orders: [{ marketCode: BTC, orderId }] });
  expect(cancelled).toMatchObject({ notice: 'OrderClosed', status: 'CANCELED_BY_USER' });
  expect(await one.workingOrders()).toEqual([]);
  expect(await one.orderStatus({ orderId })).toMatchObject({
    status: 'CANCELED',
    remainQuantity: '0.01',
    canceledAt: cancelled?.closedAt,
  });
  const [again] = await one.cancelOrders({ orders: [{ marketCode: BTC, orderId }] });
  expect(again).toMatchObject({ code: '40035', submitted: false });
});

test('a label goes with its order from the request to its trades, and finds it again', async () => {
  const order = await place(one, spot('SELL', '0.5', '60000', { label: 'quote "7"' }));
  const { orderId } = order;
  expect(order).toMatchObject({ submitted: true, label: 'quote "7"' });
  const ref = { marketCode: SPOT, label: 'quote "7"' };
  const [changed] = await one.modifyOrders({ orders: [{ ...ref, quantity: '0.4' }] });
  expect(changed).toMatchObject({ orderId, quantity: '0.4', label: 'quote "7"' });
  const taken = await place(two, spot('BUY', '0.1', '60000', { label: 'quote "7"' }));
  expect(taken).toMatchObject({ status: 'FILLED', label: 'quote "7"' });
  await place(two, spot('BUY', '0.1', '60000'));
  expect(await one.workingOrders({ label: 'quote "7"' })).toMatchObject([
    { orderId, matchedQuantity: '0.2', label: 'quote "7"' },
  ]);
  expect(await one.orderStatus({ label: 'quote "7"' })).toMatchObject({ status: 'PARTIAL_FILL' });
  const [cancelled] = await one.cancelOrders({ orders: [ref] });
  expect(cancelled).toMatchObject({ orderId, status: 'CANCELED_BY_USER', label: 'quote "7"' });
  const closed = { orderId, status: 'CANCELED', label: 'quote "7"' };
  expect(await one.orderStatus({ label: 'quote "7"' })).toMatchObject(closed);
  const labels = async (rialto: RialtoClient) =>
    (await rialto.trades({ marketCode: SPOT, limit: '2' })).map(({ label }) => label);
  expect(await labels(one)).toEqual(['quote "7"', 'quote "7"']);
  expect(await labels(two)).toEqual([undefined, 'quote "7"']);
  const [next] = await one.placeOrders({
    orders: [spot('SELL', '0.5', '60000', { label: ref.label })],
  });
  expect(await one.orderStatus({ label: ref.label })).toMatchObject({
    orderId: next?.orderId,
    status: 'OPEN',
  });
});

test('two families meet: both sides filled at the price of the maker', async () => {
  const { made, taken } = await trade(one, two, spot('SELL', '0.5', '60000'));
  expect(taken).toMatchObject({
    notice: 'OrderMatched',
    status: 'FILLED',
    matchPrice: '60000.00',
    matchQuantity: '0.5',
    feeInstrumentId: 'OX',
  });
  const maker = await one.orderStatus({ orderId: made.orderId ?? '' });
  expect(maker).toMatchObject({
    status: 'FILLED',
    remainQuantity: '0.0',
    cumulativeMatchedQuantity: '0.5',
    avgFillPrice: '60000.0',
    lastMatchedAt: taken.lastMatchedAt,
  });
  expect(maker.fees).toEqual([{ OX: expect.stringMatching(/^\d/) }]);
  expect('canceledAt' in maker).toBe(false);
});

test('a spot order reserves what it may cost, and gives it back', async () => {
  const before = await balance(one, 'USDT');
  const order = await place(one, spot('BUY', '0.1', '59000'));
  expect(await balance(one, 'USDT')).toMatchObject({
    reserved: '5900',
    total: before?.total,
    available: String(Number(before?.available) - 5_900),
  });
  await one.cancelOrders({ orders: [{ marketCode: SPOT, orderId: order.orderId ?? '' }] });
  expect(await balance(one, 'USDT')).toMatchObject({
    ...before,
    lastUpdatedAt: expect.any(String),
  });
});

test('eight orders go in one request, nine do not', async () => {
  const eight = Array.from({ length: 8 }, (_, at) => limit('BUY', '0.001', String(58_000 + at)));
  const results = await one.placeOrders({ responseType: 'ACK', orders: eight });
  expect(results.map(({ price }) => price)).toEqual(eight.map(({ price }) => `${price}.0`));
  const newestFirst = (await one.workingOrders()).map(({ orderId }) => orderId);
  expect(newestFirst).toEqual(results.map(({ orderId }) => orderId).reverse());
  for (const orders of [[...eight, ...eight.slice(0, 1)], []]) {
    const refusal = await refusalOf(one.placeOrders({ orders }));
    expect([refusal.status, refusal.code]).toEqual([400, '20001']);
    const cancel = orders.map(() => ({ marketCode: BTC, orderId: '1' }));
    expect(await refusalOf(one.cancelOrders({ orders: cancel }))).toMatchObject({ code: '20001' });
  }
});

test('good and bad elements side by side, each answered in its place', async () => {
  const results = await one.placeOrders({
    orders: [
      limit('BUY', '0.01', '60000.3'),
      limit('BUY', '0.01', '59000'),
      limit('BUY', '0.01', '10'),
      limit('BUY', '1000', '59000'),
      spot('BUY', '90', '59000'),
    ],
  });
  expect(results.map(({ code, submitted }) => [code, submitted])).toEqual([
    ['20021', false],
    [undefined, true],
    ['710002', false],
    ['710004', false],
    ['710006', false],
  ]);
  expect(results[0]?.message).toContain('price 60000.3 is not a multiple of tick 1; nearest 60000');
  expect(results[2]?.message).toContain('nearest 54000');
});

test('64-bit ids survive the way in and out, as number and as text', async () => {
  const key = keyOf(accountOf(venue, 'main'), 'read', 'trade');
  for (const [id, price] of [
    ['9223372036854775807', '58000'],
    ['9007199254740993', '58001'],
  ]) {
    for (const sent of [id, `"${id}"`]) {
      const order = `{"clientOrderId":${sent},"marketCode":"${BTC}","side":"BUY","orderType":"LIMIT","quantity":0.01,"price":${price}}`;
      const body = `{"responseType":"FULL","orders":[${order}]}`;
      const path = '/v3/orders/place';
      const answer = await rawCall(venue, { key, method: 'POST', path, body, nonce: `${sent}` });
      expect(answer.data[0]).toMatchObject({ clientOrderId: id, status: 'OPEN' });
    }
    const [working] = await one.workingOrders({ clientOrderId: id as string });
    expect(working?.clientOrderId).toBe(id);
    expect((await one.orderStatus({ clientOrderId: id as string })).clientOrderId).toBe(id);
    const orders = [{ marketCode: BTC, clientOrderId: id as string }];
    expect((await one.cancelOrders({ orders }))[0]?.clientOrderId).toBe(id);
  }
});

test('a shared clientOrderId means the newest order', async () => {
  const first = await place(one, limit('BUY', '0.01', '58000', { clientOrderId: '700' }));
  const second = await place(one, limit('BUY', '0.01', '58001', { clientOrderId: '700' }));
  const found = async () => (await one.orderStatus({ clientOrderId: '700' })).orderId;
  expect(await found()).toBe(second.orderId);
  const ref = { marketCode: BTC, clientOrderId: '700' };
  expect((await one.cancelOrders({ orders: [ref] }))[0]?.orderId).toBe(second.orderId);
  expect(await found()).toBe(second.orderId);
  expect((await one.cancelOrders({ orders: [ref] }))[0]?.orderId).toBe(first.orderId);
});

describe('who may do what', () => {
  test('a key that may not trade is refused, a foreign order is not found', async () => {
    const reader = clientOf(venue, keyOf(accountOf(venue, 'main'), 'read'));
    const order = await place(one, limit('BUY', '0.01', '59000'));
    const orderId = order.orderId ?? '';
    const ref = { marketCode: BTC, orderId };
    const calls = [
      () => reader.placeOrders({ orders: [limit('BUY', '0.01', '59000')] }),
      () => reader.modifyOrders({ orders: [{ ...ref, price: '58000' }] }),
      () => reader.cancelOrders({ orders: [ref] }),
      () => reader.cancelAllOrders(),
    ];
    for (const call of calls) {
      expect(await refusalOf(call())).toMatchObject({ status: 403, code: '05001' });
    }
    expect((await reader.orderStatus({ orderId })).status).toBe('OPEN');
    for (const other of [two, clientFor(venue, 'desk-a')]) {
      const none = await refusalOf(other.orderStatus({ orderId }));
      expect([none.status, none.code]).toEqual([400, '20001']);
      expect((await other.cancelOrders({ orders: [ref] }))[0]?.code).toBe('40035');
      expect(await other.cancelAllOrders()).toEqual({ notice: 'No working orders found' });
    }
    expect((await one.workingOrders())[0]?.orderId).toBe(orderId);
  });
});

describe('time', () => {
  test('an order that enters the engine after timestamp + recvWindow is refused', async () => {
    const old = String(Date.now() - 5_000);
    const orders = [limit('BUY', '0.01', '59000')];
    const [late] = await one.placeOrders({ timestamp: old, orders });
    expect(late).toMatchObject({ code: '100015', submitted: false });
    for (const times of [
      { timestamp: old, recvWindow: '60000' },
      { recvWindow: '1' },
      { timestamp: String(Date.now()) },
    ]) {
      expect((await one.placeOrders({ ...times, orders }))[0]?.submitted).toBe(true);
    }
  });
});

describe('the same signed bytes, sent again', () => {
  test('place once and get the first answer, though the book has moved on', async () => {
    await place(two, limit('SELL', '0.01', '60000'));
    const orders = [limit('BUY', '0.02', '60000'), limit('BUY', '0', '1')];
    const prepared = await one.prepare(placeOrders, { responseType: 'FULL', orders });
    const first = await one.send(prepared);
    expect(first.data[0]).toMatchObject({ status: 'PARTIAL_FILL', remainQuantity: '0.01' });
    await place(two, limit('SELL', '0.01', '60000'));
    const again = await one.send(prepared);
    expect(again).toMatchObject({ isRepeat: true });
    expect(again.data).toEqual(first.data);
    expect(await one.workingOrders()).toEqual([]);
  });
});

describe('modify', () => {
  const price = async () => (await one.workingOrders())[0]?.price;

  test('changes price and size under the same id, and keeps the order when it fails', async () => {
    const order = await place(one, limit('BUY', '0.05', '59000'));
    const ref = { marketCode: BTC, orderId: order.orderId ?? '' };
    const [moved] = await one.modifyOrders({ orders: [{ ...ref, price: '59500' }] });
    expect(moved).toMatchObject({ notice: 'OrderModified', status: 'OPEN', ...ref });
    expect(await price()).toBe('59500.0');
    const [smaller] = await one.modifyOrders({ orders: [{ ...ref, quantity: '0.02' }] });
    expect(smaller).toMatchObject({ quantity: '0.02', remainQuantity: '0.02' });
    const [refused] = await one.modifyOrders({ orders: [{ ...ref, price: '1' }] });
    expect(refused).toMatchObject({ code: '710002', submitted: false });
    // It was sent neither of them, and the order may have others than a new one by default.
    expect(refused).not.toHaveProperty('timeInForce');
    expect(refused).not.toHaveProperty('selfTradePreventionMode');
    const [flipped] = await one.modifyOrders({
      orders: [{ ...ref, price: '59000', side: 'SELL' }],
    });
    expect(flipped).toMatchObject({ code: '40032', submitted: false });
    expect(await price()).toBe('59500.0');
  });
});

test('stops wait, show their prices, and are spelled STOP when cancelled', async () => {
  const stop = limit('BUY', '0.01', '62000', { orderType: 'STOP_LIMIT', stopPrice: '61000' });
  const [placed] = await one.placeOrders({ orders: [stop] });
  expect(placed).toMatchObject({ status: 'OPEN', isTriggered: false, stopPrice: '61000.0' });
  expect((await one.workingOrders())[0]).toMatchObject({
    ...{ orderType: 'STOP_LIMIT', triggerType: 'MARK_PRICE', price: '62000.0' },
  });
  const ref = { marketCode: BTC, orderId: placed?.orderId ?? '' };
  expect((await one.cancelOrders({ orders: [ref] }))[0]?.orderType).toBe('STOP');
  const market = {
    ...spot('BUY', '0.01', '1'),
    orderType: 'STOP_MARKET' as const,
    stopPrice: '61000',
  };
  expect((await one.placeOrders({ orders: [market] }))[0]).toMatchObject({ code: '20017' });
});

test('cancel-all takes any body and says what it found, twice in a row', async () => {
  const key = keyOf(accountOf(venue, 'main'), 'read', 'trade');
  const all = async (call: { body?: string; query?: string }) =>
    (await rawCall(venue, { key, method: 'DELETE', path: '/v3/orders/cancel-all', ...call })).data;
  for (const call of [{ body: '{}' }, { body: 'null' }, {}, { query: `marketCode=${BTC}` }]) {
    await place(one, limit('BUY', '0.01', '59000'));
    expect(await all(call), JSON.stringify(call)).toEqual({
      notice: 'Orders queued for cancelation',
    });
    expect(await all(call)).toEqual({ notice: 'No working orders found' });
  }
});

test('a dead-man switch cancels what its account left open, and says when', async () => {
  const one = clientFor(venue);
  await place(one, limit('BUY', '0.01', '58000'));
  const armed = await one.cancelAllAfter({ timeout: '86400000' });
  expect(armed).toMatchObject({ timeout: '86400000', cancelAt: expect.stringMatching(/^\d{13}$/) });
  expect(await one.cancelAllAfter({ timeout: '0', marketCode: BTC })).toEqual({
    ...{ marketCode: BTC, timeout: '0' },
  });
  expect((await refusalOf(one.cancelAllAfter({ timeout: '10' }))).message).toContain(
    'nearest 1000',
  );
  expect((await refusalOf(one.cancelAllAfter({ timeout: 'x' }))).code).toBe('20001');
  expect((await refusalOf(one.cancelAllAfter({ timeout: '1e-1' }))).code).toBe('20001');
  expect((await refusalOf(one.cancelAllAfter({ timeout: '9e99' }))).code).toBe('20001');
  expect(await one.cancelAllAfter({ timeout: '1e3' })).toMatchObject({ timeout: '1000' });
  while ((await one.workingOrders()).length > 0) await one.time();
  const [closed] = await one.closedOrders({ limit: '1' });
  expect(closed).toMatchObject({ price: '58000.0', closeStatus: 'CANCELED_BY_USER' });
});
