import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { RialtoClient } from '../../src/client/index.ts';
import { type InProcess, startInProcess } from '../http/in-process.ts';
import { BTC, limit, SPOT } from '../http/trading.ts';
import { loginOf, StreamClient } from './stream-client.ts';

/** Orders over the stream: the same rules as over REST, one answer per element. */
let running: InProcess;
let client: StreamClient;
beforeAll(async () => {
  running = await startInProcess({});
}, 60_000);
afterAll(() => running?.stop());
beforeEach(async () => {
  client = await StreamClient.open(running.venue.port);
  expect(await client.login(running.keyOf(0))).toMatchObject({ success: true });
});
afterEach(async () => {
  client.close();
  await running.clientOf(0).cancelAllOrders();
  await running.clientOf(1).cancelAllOrders();
});

const place = (data: object, more: object = {}) => ({ op: 'placeorder', data, ...more });

test('a limit order is placed, modified and cancelled, and REST sees it', async () => {
  const placed = await client.ask(place(limit('BUY', '0.02', '59000')), '1');
  expect(placed).toEqual({
    event: 'placeorder',
    submitted: true,
    tag: '1',
    timestamp: expect.stringMatching(/^\d{13}$/),
    data: {
      ...{ marketCode: BTC, side: 'BUY', orderType: 'LIMIT', quantity: '0.0200' },
      ...{ timeInForce: 'GTC', price: '59000.0', limitPrice: '59000.0' },
      ...{ orderId: expect.stringMatching(/^\d{13}$/), source: 13 },
    },
  });
  const { orderId } = placed.data;
  const modify = { op: 'modifyorder', data: { marketCode: BTC, orderId, price: '58000' } };
  expect(await client.ask(modify, '2')).toMatchObject({
    ...{ event: 'modifyorder', submitted: true },
    data: { orderId, price: '58000.0', quantity: '0.0200', side: 'BUY' },
  });
  const [working] = await running.clientOf(0).workingOrders();
  expect(working).toMatchObject({ orderId, price: '58000.0', source: '13' });
  const cancel = { op: 'cancelorder', data: { marketCode: BTC, orderId: Number(orderId) } };
  expect(await client.ask(cancel, '3')).toMatchObject({
    ...{ event: 'cancelorder', submitted: true },
    data: { marketCode: BTC, orderId, clientOrderId: '0' },
  });
  expect(await client.ask(cancel, '4')).toMatchObject({
    ...{ event: 'cancelorder', submitted: false, code: '100005' },
    data: { marketCode: BTC, orderId },
  });
});

test('stops, market orders and refusals have the members of their kind', async () => {
  const stop = { ...limit('BUY', '0.01', ''), orderType: 'STOP_LIMIT', stopPrice: 61_000 };
  expect(await client.ask(place({ ...stop, limitPrice: 61_500 }), 's')).toMatchObject({
    data: { stopPrice: '61000.0', limitPrice: '61500.0', triggerType: 'MARK_PRICE' },
  });
  const market = { marketCode: BTC, side: 'SELL', orderType: 'MARKET', quantity: 0.01 };
  const { data } = await client.ask(place(market), 'm');
  expect(data).toMatchObject({ orderType: 'MARKET', limitPrice: expect.any(String) });
  expect(data).not.toHaveProperty('price');
  expect(data).not.toHaveProperty('timeInForce');
  const off = await client.ask(place(limit('BUY', '0.02', '59000.5', { clientOrderId: 5 })), 'o');
  expect(off).toMatchObject({
    ...{ submitted: false, code: '20021' },
    message: expect.stringContaining('nearest'),
    data: { clientOrderId: '5', marketCode: BTC, price: '59000.5', quantity: '0.02' },
  });
});

test('a batch is answered in the order of its elements, each with the tag of the batch', async () => {
  const orders = [
    limit('BUY', '0.01', '59000', { clientOrderId: 1 }),
    limit('BUY', '0.01', 'much'),
    { ...limit('BUY', '0.001', '59001'), marketCode: SPOT, clientOrderId: 3 },
  ];
  client.send({ op: 'placeorders', tag: 'b', dataArray: orders });
  const answers = [];
  for (let at = 0; at < 3; at++) answers.push(await client.answer('b'));
  expect(answers).toMatchObject([
    { event: 'placeorder', submitted: true, data: { clientOrderId: '1' } },
    { event: 'placeorder', submitted: false, code: '20021' },
    { event: 'placeorder', submitted: true, data: { clientOrderId: '3', marketCode: SPOT } },
  ]);
  // As ccxt spells them.
  const refs = answers
    .filter(({ submitted }) => submitted)
    .map(({ data }) => ({ instId: data.marketCode, ordId: data.orderId }));
  client.send({ op: 'cancelorders', tag: 'c', dataArray: refs });
  for (const { ordId } of refs) {
    const answer = await client.next(({ tag, data }) => tag === 'c' && data.orderId === ordId);
    expect(answer).toMatchObject({ event: 'cancelorder', submitted: true });
  }
  client.send({ op: 'placeorders', tag: 'd', dataArray: Array(21).fill(orders[0]) });
  expect(await client.answer('d')).toMatchObject({ submitted: false, code: '20001' });
});

test('lateness is per element: its own timestamp and recvWindow count', async () => {
  const late = { timestamp: Date.now() - 5_000, recvWindow: 1_000 };
  const orders = [
    limit('BUY', '0.01', '58000', { ...late, clientOrderId: 11 }),
    limit('BUY', '0.01', '58001', { timestamp: Date.now(), recvWindow: 20_000, clientOrderId: 12 }),
    limit('BUY', '0.01', '58002', { clientOrderId: 13 }),
  ];
  client.send({ op: 'placeorders', tag: 'l', dataArray: orders });
  const answers = [await client.answer('l'), await client.answer('l'), await client.answer('l')];
  const results = answers.map(({ data, code }) => [data.clientOrderId, code]);
  expect(results).toEqual([
    ['11', '100015'],
    ['12', undefined],
    ['13', undefined],
  ]);
});

test('times may have exponents, but no fractions', async () => {
  const send = (tag: string, times: string): void => {
    const order = `"marketCode":"${BTC}","side":"BUY","orderType":"LIMIT","quantity":1e-2,"price":58e3`;
    client.send(`{"op":"placeorder","tag":"${tag}","data":{${order},${times}}}`);
  };
  send('e', `"timestamp":${Date.now() / 1e12}e12,"recvWindow":2e4`);
  expect(await client.answer('e')).toMatchObject({ submitted: true });
  send('f', '"timestamp":1.5');
  expect(await client.answer('f')).toMatchObject({
    ...{ submitted: false, code: '20001' },
    message: 'Parameter is invalid: timestamp 1.5 is no whole number of milliseconds',
  });
});

test('commands of one connection take effect in the order they were sent', async () => {
  const { data } = await client.ask(place(limit('BUY', '0.01', '57000')), 'p');
  const { orderId } = data;
  // The first must look up its order; the following ones wait behind it.
  for (let at = 1; at <= 5; at++) {
    client.send({
      ...{ op: 'modifyorder', tag: `m${at}` },
      data: { marketCode: BTC, orderId, side: 'BUY', price: String(57_000 + at) },
    });
  }
  client.send({ op: 'cancelorder', tag: 'end', data: { marketCode: BTC, orderId } });
  for (let at = 1; at <= 5; at++) {
    const answer = await client.answer(`m${at}`);
    expect([answer.submitted, answer.data.price]).toEqual([true, `${57_000 + at}.0`]);
  }
  expect((await client.answer('end')).submitted).toBe(true);
  const wrong = { op: 'modifyorder', data: { marketCode: BTC, orderId, side: 'SELL', price: 1 } };
  expect((await client.ask(wrong, 'gone')).code).toBe('100005');
});

test('an order sent right after a subscription appears on the channel, although no answer was awaited', async () => {
  for (let at = 0; at < 30; at++) {
    const hasty = await StreamClient.open(running.venue.port);
    hasty.send(loginOf(running.keyOf(1)));
    hasty.send({ op: 'subscribe', args: ['order:all'] });
    hasty.send(place(limit('BUY', '0.01', '55000', { timeInForce: 'IOC' })));
    const update = await hasty.next(({ table }) => table === 'order');
    expect(update.data).toMatchObject([{ status: 'CANCELED_ALL_BY_IOC' }]);
    hasty.close();
  }
});

test('a command with a requestId takes effect once, on any connection of its key', async () => {
  const named = place(limit('BUY', '0.01', '56000'), { requestId: 'mine-1' });
  const first = await client.ask(named, 'x');
  expect(first).not.toHaveProperty('replayed');
  const other = await StreamClient.open(running.venue.port);
  await other.login(running.keyOf(0));
  const again = await other.ask(named, 'y');
  expect(again).toMatchObject({ submitted: true, replayed: true, data: first.data });
  // Another key has its own names.
  const third = await StreamClient.open(running.venue.port);
  await third.login(running.keyOf(1));
  const theirs = await third.ask(named, 'z');
  expect(theirs.data.orderId).not.toBe(first.data.orderId);
  expect(await running.clientOf(0).workingOrders()).toHaveLength(1);
  const misused = {
    op: 'placeorders',
    requestId: 'mine-1',
    dataArray: [limit('BUY', '0.01', '56000'), limit('BUY', '0.01', '56001')],
  };
  other.send({ ...misused, tag: 'w' });
  const answers = [await other.answer('w'), await other.answer('w')];
  expect(answers.map(({ code }) => code)).toEqual([undefined, '65001']);
  // A cancel with the name of an order command does not get that command's answer: it is another command.
  const { orderId } = first.data;
  const cancel = {
    op: 'cancelorder',
    requestId: 'mine-1',
    data: { marketCode: BTC, orderId: '1' },
  };
  expect(await other.ask(cancel, 'c')).toMatchObject({ submitted: false, code: '100005' });
  expect(await running.clientOf(0).workingOrders()).toMatchObject([{ orderId }]);
  // A refusal is an answer, too.
  const refused = place(limit('BUY', '0.01', '1'), { requestId: 'refused' });
  expect(await other.ask(refused, 'r')).not.toHaveProperty('replayed');
  expect(await other.ask(refused, 'r')).toMatchObject({ code: '710002', replayed: true });
  other.close();
  third.close();
});

test('with cancelOnDisconnect the orders of the account end with the connection', async () => {
  const careful = await StreamClient.open(running.venue.port);
  await careful.login(running.keyOf(1), { cancelOnDisconnect: true });
  await careful.ask(place(limit('BUY', '0.01', '55000')), 'p');
  expect(await running.clientOf(1).workingOrders()).toHaveLength(1);
  careful.close();
  await expect.poll(() => running.clientOf(1).workingOrders(), { timeout: 20_000 }).toEqual([]);
});

test('so they do when the venue ends the connection because the key was revoked', async () => {
  const { baseUrl } = running.handout;
  const own = running.keyOf(1, 'read', 'trade', 'withdraw');
  const owner = new RialtoClient({ baseUrl, ...own, retry: false, followClock: false });
  const { accessKey, secret } = await owner.createApiKey({ permissions: ['read', 'trade'] });
  const careful = await StreamClient.open(running.venue.port);
  await careful.login({ accessKey, secret }, { cancelOnDisconnect: true });
  await careful.ask(place(limit('BUY', '0.01', '55000')), 'p');
  expect(await owner.workingOrders()).toHaveLength(1);
  await owner.revokeApiKey({ accessKey });
  await expect.poll(() => owner.workingOrders(), { timeout: 20_000 }).toEqual([]);
  careful.close();
});

test('a value that is no truth is not taken for one: nobody believes to be guarded who is not', async () => {
  const careful = await StreamClient.open(running.venue.port);
  const key = running.keyOf(1);
  for (const cancelOnDisconnect of [1, 'yes', {}]) {
    expect(await careful.login(key, { cancelOnDisconnect })).toMatchObject({
      ...{ success: false, code: '20001' },
      message: expect.stringContaining('is none of true, false'),
    });
  }
  // A key that may not cancel guards nothing.
  const reader = running.keyOf(1, 'read');
  expect(await careful.login(reader, { cancelOnDisconnect: true })).toMatchObject({
    ...{ success: false, code: '05001' },
    message: expect.stringContaining('cancelOnDisconnect needs a key that may trade'),
  });
  expect(await careful.login(key, { cancelOnDisconnect: null })).toMatchObject({ success: true });
  careful.close();
});

test('an order that a rule has closed says which, on the channel as in the answer', async () => {
  await client.ask({ op: 'subscribe', args: ['order:all'] }, 's');
  const maker = running.clientOf(1);
  await maker.placeOrders({ orders: [limit('SELL', '0.01', '60000')] });
  const [answer] = await running.clientOf(0).placeOrders({
    responseType: 'FULL',
    orders: [limit('BUY', '0.01', '60000', { reduceOnly: true, timeInForce: 'IOC' })],
  });
  const { data } = await client.next(({ table }) => table === 'order');
  const { code, message } = answer ?? {};
  expect(data).toMatchObject([
    { notice: 'OrderClosed', status: 'CANCELED_BY_USER', code: '710007', message },
  ]);
  expect(code).toBe('710007');
});

test('an amount is written like in the answers of REST', async () => {
  await client.ask({ op: 'subscribe', args: ['order:all'] }, 's');
  const order = { marketCode: SPOT, side: 'BUY', orderType: 'LIMIT', price: '59000' } as const;
  const [answer] = await running.clientOf(0).placeOrders({ orders: [{ ...order, amount: '100' }] });
  const { data } = await client.next(({ table }) => table === 'order');
  expect([data[0].amount, answer?.amount]).toEqual(['100.0', '100.0']);
});
