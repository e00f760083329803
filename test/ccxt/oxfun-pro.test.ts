import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
// Only this exchange, not the package: importing all of them takes seconds.
import OxfunPro from '../../node_modules/ccxt/js/src/pro/oxfun.js';
import { accountOf, clientFor, keyOf, startVenue, type Venue } from '../http/venue.ts';

/** The unmodified ccxt 4.4.100 over the stream: only its addresses are changed, as its users may do. */
const PERPETUAL = 'BTC/USD:OX';
const BTC = 'BTC-USD-SWAP-LIN';

let venue: Venue;
let one: OxfunPro;
beforeAll(async () => {
  venue = await startVenue({ args: ['--limits', 'off'] });
  const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
  one = new OxfunPro({
    apiKey: key.accessKey,
    secret: key.secret,
    enableRateLimit: false,
    agent: new Agent({ keepAlive: true }),
  });
  const api = one.urls['api'] as Record<string, string>;
  api['public'] = venue.baseUrl;
  api['private'] = venue.baseUrl;
  api['ws'] = `${venue.baseUrl.replace('http', 'ws')}/v2/websocket`;
  await one.loadMarkets();
}, 60_000);
afterAll(async () => {
  await one?.close();
  await venue?.stop();
});

const order = (side: 'BUY' | 'SELL', price: string) => ({
  marketCode: BTC,
  side,
  orderType: 'LIMIT' as const,
  quantity: '0.01',
  price,
});

/** Repeats an action while the client waits for its effect. */
async function meanwhile<Received>(
  received: Promise<Received>,
  act: () => Promise<unknown>,
): Promise<Received> {
  // It has subscribed by then, or receives a later one.
  let isDone = false;
  void received.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await act();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return received;
}

const meet = async (): Promise<void> => {
  await clientFor(venue).placeOrders({ orders: [order('SELL', '60001')] });
  await clientFor(venue, 'main', 1).placeOrders({ orders: [order('BUY', '60001')] });
};

test('watchOrderBook and watchOrderBookForSymbols', async () => {
  await clientFor(venue).placeOrders({ orders: [order('BUY', '59000')] });
  const book = await one.watchOrderBook(PERPETUAL);
  // It swaps the sides: a bug of this version.
  expect([...book.asks, ...book.bids].map(([price]) => price)).toContain(59_000);
  const several = await one.watchOrderBookForSymbols([PERPETUAL, 'ETH/USDT']);
  expect(several.nonce).toEqual(expect.any(Number));
});

test('watchTicker, watchTickers and watchBidsAsks', async () => {
  expect(await one.watchTicker(PERPETUAL)).toMatchObject({ symbol: PERPETUAL });
  expect(Object.keys(await one.watchTickers([PERPETUAL]))).toEqual([PERPETUAL]);
  const best = await one.watchBidsAsks([PERPETUAL]);
  expect(best[PERPETUAL]).toMatchObject({ bid: 59_000, bidVolume: 0.01 });
});

test('watchTrades and watchTradesForSymbols', async () => {
  const trades = await meanwhile(one.watchTrades(PERPETUAL), meet);
  expect(trades.at(-1)).toMatchObject({ price: 60_001, amount: 0.01, side: 'buy' });
  const several = await meanwhile(one.watchTradesForSymbols([PERPETUAL]), meet);
  expect(several.length).toBeGreaterThan(0);
});

test('watchOHLCV in every time frame that it can name, and watchOHLCVForSymbols', async () => {
  for (const timeframe of ['1m', '5m', '15m', '30m', '1h', '2h', '4h', '1d']) {
    const [candle] = await one.watchOHLCV(PERPETUAL, timeframe);
    expect(candle).toHaveLength(6);
  }
  const several = await one.watchOHLCVForSymbols([[PERPETUAL, '1m']]);
  expect(several[PERPETUAL]?.['1m']?.length).toBeGreaterThan(0);
});

test('watchBalance, without waiting for the login', async () => {
  const balance = await one.watchBalance();
  expect(balance['USDT']).toMatchObject({ total: expect.any(Number), used: expect.any(Number) });
});

test('its book has the sides swapped, as the guide says', async () => {
  await clientFor(venue).cancelAllOrders();
  await clientFor(venue, 'main', 1).cancelAllOrders();
  const best = [order('SELL', '61000'), order('SELL', '61001'), order('BUY', '59000')];
  await clientFor(venue).placeOrders({ orders: best });
  const isWhole = (book: { bids: unknown[]; asks: unknown[] }) =>
    book.bids.length === 2 && book.asks.length === 1;
  let book = await one.watchOrderBook(PERPETUAL);
  while (!isWhole(book)) book = await one.watchOrderBook(PERPETUAL);
  expect([book.bids.map(([price]) => price), book.asks[0]?.[0]]).toEqual([
    [61_001, 61_000],
    59_000,
  ]);
  expect((await one.fetchOrderBook(PERPETUAL)).asks[0]?.[0]).toBe(61_000);
  await clientFor(venue).cancelAllOrders();
});

test('watchPositions and watchOrders', async () => {
  const position = await meanwhile(one.watchPositions([PERPETUAL]), meet);
  expect(position).toMatchObject({ symbol: PERPETUAL });
  const orders = await meanwhile(one.watchOrders(PERPETUAL), () =>
    clientFor(venue).placeOrders({ orders: [order('BUY', '58000')] }),
  );
  expect(orders.at(-1)).toMatchObject({ symbol: PERPETUAL, side: 'buy', amount: 0.01 });
});

test('createOrderWs, editOrderWs, cancelOrderWs and cancelOrdersWs', async () => {
  // Its tags are seconds: one command per second.
  const second = () => new Promise((resolve) => setTimeout(resolve, 1_050));
  const params = { recvWindow: 20_000 };
  const created = await one.createOrderWs(PERPETUAL, 'limit', 'buy', 0.02, 57_000, params);
  expect(created).toMatchObject({ symbol: PERPETUAL, side: 'buy', price: 57_000, amount: 0.02 });
  await second();
  const { id = '' } = created;
  const edited = await one.editOrderWs(id, PERPETUAL, 'limit', 'buy', 0.02, 57_001, params);
  expect(edited).toMatchObject({ id, price: 57_001 });
  await second();
  expect(await one.cancelOrderWs(id, PERPETUAL)).toMatchObject({ id });
  await second();
  const again = await one.createOrderWs(PERPETUAL, 'limit', 'buy', 0.02, 57_002, params);
  await second();
  expect(await one.cancelOrdersWs([again.id ?? ''], PERPETUAL)).toMatchObject({ id: again.id });
}, 30_000);

test('a refused order is an error of its kind', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  const refused = one.createOrderWs(PERPETUAL, 'limit', 'buy', 0.02, 1, { recvWindow: 20_000 });
  const watched = expect(one.watchBalance()).rejects.toThrow('710002');
  await expect(refused).rejects.toThrow('710002');
  // It is what the guide warns of: everything that was waited for ends with it.
  await watched;
});
