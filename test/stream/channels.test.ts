import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type InProcess, startInProcess } from '../http/in-process.ts';
import { BTC, limit, place, trade } from '../http/trading.ts';
import { type Message, StreamClient } from './stream-client.ts';

/** Channels: the first message, and those after it. */
let running: InProcess;
let clients: StreamClient[] = [];
beforeAll(async () => {
  running = await startInProcess({});
}, 60_000);
afterAll(() => running?.stop());
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await running.clientOf(0).cancelAllOrders();
  await running.clientOf(1).cancelAllOrders();
});

async function open(family?: number): Promise<StreamClient> {
  const client = await StreamClient.open(running.venue.port);
  clients.push(client);
  if (family !== undefined) await client.login(running.keyOf(family));
  return client;
}

async function subscribed(client: StreamClient, ...args: string[]): Promise<void> {
  client.send({ op: 'subscribe', tag: 's', args });
  for (const channel of args) {
    const answer = await client.next((message) => message.channel === channel);
    expect(answer).toMatchObject({ event: 'subscribe', success: true, tag: 's' });
  }
}

const table =
  (name: string) =>
  (message: Message): boolean =>
    message.table === name;

test('a channel that does not exist, or is private, is refused by name', async () => {
  const client = await open();
  client.send({
    op: 'subscribe',
    tag: 5,
    args: ['depth:NO-SUCH', 'nothing', 'balance:all', 'depth'],
  });
  const codes = [];
  for (let at = 0; at < 4; at++) codes.push(await client.answer('5'));
  expect(codes.map(({ channel, success, code }) => [channel, success, code])).toEqual([
    ['depth:NO-SUCH', false, '20015'],
    ['nothing', false, '20001'],
    ['balance:all', false, '05001'],
    ['depth', false, '20015'],
  ]);
  expect(codes[3]?.message).toContain('names no market');
});

test('books: whole and cut, with checksums, as they are and as they change', async () => {
  await place(running.clientOf(0), limit('BUY', '0.5', '59000'));
  await place(running.clientOf(0), limit('SELL', '1.25', '61000'));
  const client = await open();
  await subscribed(client, `depth:${BTC}`, `depthL5:${BTC}`, `bestBidAsk:${BTC}`);
  const whole = await client.next(table('depth'));
  expect(whole).toMatchObject({
    action: 'partial',
    data: {
      ...{ asks: [[61_000, 1.25]], bids: [[59_000, 0.5]], marketCode: BTC },
      ...{ seqNum: expect.any(Number), timestamp: expect.any(Number) },
      checksum: crc32('[[61000.0,1.25]][[59000.0,0.5]]'),
    },
  });
  const cut = await client.next(table('depthL5'));
  expect(cut.data.timestamp).toEqual(expect.any(String));
  expect(cut.data).not.toHaveProperty('checksum');
  expect(await client.next(table('bestBidAsk'))).toMatchObject({
    data: { ask: [61_000, 1.25], bid: [59_000, 0.5], marketCode: BTC },
  });
  await place(running.clientOf(0), limit('BUY', '0.25', '59001'));
  const after = await client.next(
    (message) => message.table === 'depth' && message.data.bids.length === 2,
  );
  expect(after.data.bids).toEqual([
    [59_001, 0.25],
    [59_000, 0.5],
  ]);
  expect(after.data.seqNum).toBeGreaterThan(whole.data.seqNum);
  const best = await client.next(
    (message) => message.table === 'bestBidAsk' && message.data.bid[0] === 59_001,
  );
  expect(best.data.bid).toEqual([59_001, 0.25]);
  client.send({ op: 'unsubscribe', tag: 'u', args: [`depth:${BTC}`, 'trade:x'] });
  expect((await client.answer('u')).success).toBe(true);
  expect(await client.answer('u')).toMatchObject({ success: false, code: '20001' });
});

test('depthUpdate: a snapshot, a diff with its number, then what changes', async () => {
  const { orderId } = await place(running.clientOf(0), limit('BUY', '0.5', '59000'));
  const client = await open();
  await subscribed(client, `depthUpdate:${BTC}`);
  const snapshot = await client.next(table('depthUpdate'));
  const first = await client.next(table('depthUpdate-diff'));
  expect(first.data.seqNum).toBe(snapshot.data.seqNum);
  await place(running.clientOf(0), limit('SELL', '0.1', '60500'));
  await running.clientOf(0).cancelOrders({ orders: [{ marketCode: BTC, orderId: orderId ?? '' }] });
  const bids: number[][] = [];
  const asks: number[][] = [];
  while (bids.length === 0 || asks.length === 0) {
    const diff = await client.next(table('depthUpdate-diff'));
    expect(diff.action).toBe('increment');
    bids.push(...diff.data.bids);
    asks.push(...diff.data.asks);
  }
  expect([bids, asks]).toEqual([[[59_000, 0]], [[60_500, 0.1]]]);
});

test('trades as they happen, tickers, candles and markets as they stand', async () => {
  await trade(running.clientOf(0), running.clientOf(1), limit('SELL', '0.01', '60002'));
  const client = await open();
  await subscribed(client, `trade:${BTC}`, 'ticker:all', `ticker:${BTC}`, 'candles60s:BTC-USDT');
  await subscribed(client, `candles60s:${BTC}`, `market:${BTC}`, 'market:all', 'liquidationRFQ');
  const { taken } = await trade(
    running.clientOf(0),
    running.clientOf(1),
    limit('SELL', '0.02', '60003'),
  );
  expect((await client.next(table('trade'))).data).toEqual([
    {
      ...{ side: 'BUY', quantity: '0.0200', matchType: 'TAKER', price: '60003.0' },
      ...{ marketCode: BTC, tradeId: taken.matchId, timestamp: expect.any(String) },
    },
  ]);
  const all = await client.next(
    (message) => message.table === 'ticker' && message.data.length === 9,
  );
  expect(all.data[0]).toMatchObject({ marketCode: BTC, last: expect.any(String) });
  await client.next(
    (message) =>
      message.table === 'ticker' && message.data.length === 1 && message.data[0].last === '60003',
  );
  const candle = await client.next(
    ({ table: name, data }) => name === 'candles60s' && data[0].marketCode === BTC,
  );
  expect(candle.data[0].candle).toHaveLength(7);
  expect(Number(candle.data[0].candle[0]) % 60_000).toBe(0);
  const market = await client.next(
    (message) => message.table === 'market' && message.data.length === 1,
  );
  expect(market.data[0]).toMatchObject({
    ...{ marketCode: BTC, type: 'FUTURE', marginCurrency: 'OX', exclusive: 'false' },
    ...{ tickSize: '1', qtyIncrement: '0.0001', operational: true },
  });
});

test('orders of the account: opened, matched, modified, closed', async () => {
  const client = await open(0);
  await subscribed(client, 'order:all');
  const next = async () => {
    const { data } = await client.next(table('order'));
    expect(data).toHaveLength(1);
    return data[0];
  };
  const { orderId = '' } = await place(running.clientOf(0), limit('BUY', '0.05', '59000'));
  expect(await next()).toMatchObject({
    ...{ orderId, notice: 'OrderOpened', status: 'OPEN', side: 'BUY', price: '59000.0' },
    ...{ quantity: '0.05', remainQuantity: '0.05', amount: '0.0', isTriggered: 'false' },
    ...{ orderType: 'LIMIT', timeInForce: 'GTC', limitPrice: '59000.0', displayQuantity: '0.05' },
  });
  await place(running.clientOf(1), limit('SELL', '0.02', '59000'));
  expect(await next()).toMatchObject({
    ...{ orderId, notice: 'OrderMatched', status: 'PARTIAL_FILL', remainQuantity: '0.03' },
    ...{ matchPrice: '59000.0', matchQuantity: '0.02', orderMatchType: 'MAKER' },
    ...{ matchId: expect.any(String), fees: expect.any(String), feeInstrumentId: 'OX' },
  });
  await running.clientOf(0).modifyOrders({
    orders: [{ marketCode: BTC, orderId, quantity: '0.04', price: '59001' }],
  });
  expect(await next()).toMatchObject({ notice: 'OrderModified', status: 'OPEN', price: '59001.0' });
  await place(running.clientOf(1), limit('SELL', '0.02', '59001'));
  expect(await next()).toMatchObject({ notice: 'OrderMatched', status: 'FILLED' });
  // A taker that is partially filled and ended, in three messages.
  await place(running.clientOf(1), limit('SELL', '0.01', '59100'));
  await place(running.clientOf(0), limit('BUY', '0.03', '59100', { timeInForce: 'IOC' }));
  expect(await next()).toMatchObject({ status: 'PARTIAL_FILL', orderMatchType: 'TAKER' });
  expect(await next()).toMatchObject({
    ...{ notice: 'OrderClosed', status: 'CANCELED_PARTIAL_BY_IOC', remainQuantity: '0.02' },
  });
  // There is no separate message for the rest of an order after a match.
  await place(running.clientOf(1), limit('SELL', '0.01', '59100'));
  await place(running.clientOf(0), limit('BUY', '0.02', '59100'));
  expect(await next()).toMatchObject({ notice: 'OrderMatched', remainQuantity: '0.01' });
  await running.clientOf(0).cancelAllOrders();
  expect(await client.next(({ event }) => event === 'CANCEL')).toMatchObject({ submitted: true });
  expect(await next()).toMatchObject({ notice: 'OrderClosed', status: 'CANCELED_BY_USER' });
});

test('balances, positions and figures of the account, first as they are', async () => {
  const client = await open(1);
  await subscribed(client, 'balance:all', 'balance:USDT', `position:ETH-USD-SWAP-LIN`);
  await subscribed(client, 'position:all', 'account:all', 'wallet:all');
  const all = await client.next(
    (message) => message.table === 'balance' && message.data.length > 1,
  );
  expect(Object.keys(all)).toEqual(['table', 'accountId', 'timestamp', 'tradeType', 'data']);
  const [rest] = await running.clientOf(1).balances();
  expect(all.data.map(({ instrumentId, total }: Message) => [instrumentId, total])).toEqual(
    rest?.balances.map(({ asset, total }) => [asset, total]),
  );
  const one = await client.next((message) => message.table === 'balance');
  expect(one.data).toMatchObject([{ instrumentId: 'USDT', locked: '0' }]);
  const none = await client.next(
    (message) => message.table === 'position' && message.data.length === 1,
  );
  expect(none.data[0]).toMatchObject({ instrumentId: 'ETH-USD-SWAP-LIN', quantity: '0' });
  const figures = await client.next(table('account'));
  expect(figures.data[0]).toMatchObject({ marginRatio: expect.any(String), liquidating: false });
  const [account] = await running.clientOf(1).account();
  expect(figures.data[0].balances).toEqual(
    account?.balances.map(({ asset, value, collateralValue }) => ({
      ...{ asset, value, collateralValue },
    })),
  );
  await trade(
    running.clientOf(0),
    running.clientOf(1),
    limit('SELL', '0.1', '3000', { marketCode: 'ETH-USD-SWAP-LIN' }),
  );
  const isEth = ({ table: name, data }: Message): boolean =>
    name === 'position' && data[0]?.instrumentId === 'ETH-USD-SWAP-LIN';
  const bought = await client.next((message) => isEth(message) && message.data[0].quantity !== '0');
  expect(bought.data[0]).toMatchObject({ quantity: '0.100', entryPrice: '3000.0', margin: '0' });
  const paid = await client.next(
    (message) => message.table === 'balance' && message.data[0].instrumentId === 'OX',
  );
  expect(paid.tradeType).toBe('PORTFOLIO');
  const [now] = await running.clientOf(1).balances({ asset: 'OX' });
  expect(paid.data[0].total).toBe(now?.balances[0]?.total);
});

test('a position that is closed is newer than when it was open', async () => {
  const client = await open(1);
  const SOL = 'SOL-USD-SWAP-LIN';
  const ofSol = ({ table: name, data }: Message): Message =>
    name === 'position' && data.find(({ instrumentId }: Message) => instrumentId === SOL);
  const next = async (quantity: string): Promise<Message> =>
    ofSol(await client.next((message) => ofSol(message)?.quantity === quantity));
  await subscribed(client, `position:${SOL}`, 'position:all');
  expect(await next('0')).toMatchObject({ lastUpdated: '0' });
  const ask = limit('SELL', '1', '150', { marketCode: SOL });
  await trade(running.clientOf(0), running.clientOf(1), ask);
  const opened = [await next('1.00'), await next('1.00')];
  await trade(running.clientOf(0), running.clientOf(1), { ...ask, side: 'BUY' });
  for (const { lastUpdated } of opened) {
    expect(Number((await next('0')).lastUpdated)).toBeGreaterThanOrEqual(Number(lastUpdated));
  }
  client.close();
});

test('a client that counts messages gets a first number, and the missed messages when it reconnects', async () => {
  const client = await open(0);
  client.send({ op: 'subscribe', tag: 's', seq: true, args: ['order:all', `depthUpdate:${BTC}`] });
  const beginning = await client.next(table('order'));
  expect(beginning).toMatchObject({ action: 'partial', snapshot: true, data: [] });
  await place(running.clientOf(0), limit('BUY', '0.01', '59000'));
  const first = await client.next(table('order'));
  expect(first.seq).toBe(beginning.seq + 1);
  client.close();
  await place(running.clientOf(0), limit('BUY', '0.01', '59001'));
  await place(running.clientOf(0), limit('BUY', '0.01', '59002'));
  const back = await open(0);
  back.send({ op: 'subscribe', tag: 's', fromSeq: first.seq, args: ['order:all'] });
  expect(await back.next(({ event }) => event === 'resume')).toMatchObject({
    ...{ channel: 'order:all', resumed: true, seq: first.seq + 2 },
  });
  const missed = [await back.next(table('order')), await back.next(table('order'))];
  expect(missed.map(({ seq, data }) => [seq - first.seq, data[0].price])).toEqual([
    [1, '59001.0'],
    [2, '59002.0'],
  ]);
  const third = await open(0);
  third.send({ op: 'subscribe', tag: 's', fromSeq: 5, args: ['order:all'] });
  expect(await third.next(({ event }) => event === 'resume')).toMatchObject({ resumed: false });
  expect((await third.next(table('order'))).data).toHaveLength(3);
});

test('all listeners are notified before the venue stops', async () => {
  const other = await startInProcess({});
  const client = await StreamClient.open(other.venue.port);
  client.send({ op: 'subscribe', args: [`depth:${BTC}`] });
  await client.next(table('depth'));
  await other.stop();
  await client.next(({ event }) => event === 'shutdown');
  expect((await client.closing()).code).toBe(1001);
}, 60_000);
