import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
// Only this exchange, not the package: importing all of them takes seconds.
import Oxfun from '../../node_modules/ccxt/js/src/oxfun.js';
import {
  accountOf,
  clientFor,
  type HandoutKey,
  keyOf,
  startVenue,
  type Venue,
} from '../http/venue.ts';

/** The unmodified ccxt 4.4.100: only its address is changed, as its users may do. */
function exchangeOf(venue: Venue, key: HandoutKey): Oxfun {
  const exchange = new Oxfun({
    apiKey: key.accessKey,
    secret: key.secret,
    enableRateLimit: false,
    agent: new Agent({ keepAlive: true }),
  });
  const api = exchange.urls['api'] as Record<string, string>;
  api['public'] = venue.baseUrl;
  api['private'] = venue.baseUrl;
  return exchange;
}

const PERPETUAL = 'BTC/USD:OX';
const SPOT = 'ETH/USDT';
/** Those of the interface; ccxt lists more, which the service never had. */
const TIMEFRAMES = ['1m', '5m', '15m', '30m', '1h', '2h', '4h', '1d'];

let venue: Venue;
let one: Oxfun;
let two: Oxfun;
beforeAll(async () => {
  venue = await startVenue();
  const exchange = (family: number) =>
    exchangeOf(venue, keyOf(accountOf(venue, 'main', family), 'read', 'trade', 'withdraw'));
  one = exchange(0);
  two = exchange(1);
  await one.loadMarkets();
  await two.loadMarkets();
});
afterAll(() => venue?.stop());
beforeEach(async () => {
  await clientFor(venue).cancelAllOrders();
  await clientFor(venue, 'main', 1).cancelAllOrders();
});

/** A market order that fills a whole resting one, so that there is a last trade. */
async function meet(price: number, amount = 0.01): Promise<void> {
  await one.createOrder(PERPETUAL, 'limit', 'sell', amount, price);
  await two.createOrder(PERPETUAL, 'limit', 'buy', amount, price);
}

describe('market data', () => {
  test('loadMarkets finds every market with its precision', () => {
    expect(Object.keys(one.markets)).toHaveLength(9);
    expect(one.market(PERPETUAL)).toMatchObject({
      ...{ id: 'BTC-USD-SWAP-LIN', swap: true, settle: 'OX' },
      precision: { price: 1 },
      limits: { amount: { min: 0.0001 } },
    });
    expect(one.market(SPOT)).toMatchObject({ id: 'ETH-USDT', spot: true });
    expect(Object.keys(one.currencies)).toEqual(expect.arrayContaining(['OX', 'USDT', 'BTC']));
  });

  test('fetchTicker and fetchTickers', async () => {
    await meet(60_001);
    const ticker = await one.fetchTicker(PERPETUAL);
    expect(ticker).toMatchObject({ symbol: PERPETUAL, last: 60_001, markPrice: 60_000 });
    expect(ticker.high).toBeGreaterThanOrEqual(60_001);
    expect(Object.keys(await one.fetchTickers())).toHaveLength(9);
  });

  test('fetchOHLCV in every time frame, and from a moment on', async () => {
    await meet(60_003, 0.02);
    for (const [frame, seconds] of Object.entries(one.timeframes)) {
      if (!TIMEFRAMES.includes(frame)) continue;
      const candles = await one.fetchOHLCV(PERPETUAL, frame, undefined, 3);
      const last = candles.at(-1) as number[];
      expect(Number(last[0]) % (Number.parseInt(String(seconds), 10) * 1_000), frame).toBe(0);
      expect(last[4]).toBe(60_003);
      expect(last[5]).toBeGreaterThanOrEqual(0.02);
    }
    const since = await one.fetchOHLCV(PERPETUAL, '1m', Date.now() - 120_000);
    expect(since.length).toBeGreaterThanOrEqual(1);
    expect(since.length).toBeLessThanOrEqual(3);
    const old = await one.fetchOHLCV(PERPETUAL, '1h', Date.now() - 30 * 86_400_000);
    expect(old).toEqual([]);
  });

  test('publicGetV3MarketsOperational', async () => {
    const answer = await one.request('v3/markets/operational', 'public', 'GET', {
      marketCode: 'BTC-USD-SWAP-LIN',
    });
    expect(answer).toMatchObject({ data: { operational: true } });
  });

  test('fetchOrderBook, as deep as asked', async () => {
    await one.createOrder(PERPETUAL, 'limit', 'buy', 0.5, 59_000);
    await one.createOrder(PERPETUAL, 'limit', 'buy', 0.25, 59_001);
    const book = await one.fetchOrderBook(PERPETUAL, 1);
    expect([book.bids, book.asks]).toEqual([[[59_001, 0.25]], []]);
  });

  test('fetchTrades', async () => {
    await meet(60_002);
    const trades = await one.fetchTrades(PERPETUAL);
    expect(trades.at(-1)).toMatchObject({ price: 60_002, amount: 0.01, side: 'buy' });
    expect(await one.fetchTrades(PERPETUAL, Date.now() - 60_000, 1)).toHaveLength(1);
  });
});

describe('funding and leverage', () => {
  test('fetchFundingRate and fetchFundingRates', async () => {
    const rate = await one.fetchFundingRate(PERPETUAL);
    expect(rate).toMatchObject({ symbol: PERPETUAL, fundingRate: expect.any(Number) });
    const next = Number(rate.timestamp);
    expect(next % 3_600_000).toBe(0);
    expect(next).toBeGreaterThan(Date.now() - 5_000);
    expect(next).toBeLessThanOrEqual(Date.now() + 3_605_000);
    expect(Object.keys(await one.fetchFundingRates())).toHaveLength(4);
    expect(Object.keys(await one.fetchFundingRates([PERPETUAL]))).toEqual([PERPETUAL]);
  });

  test('fetchFundingRateHistory and fetchFundingHistory: what there is of the last hours', async () => {
    // Empty, or the hour that ended during this test.
    const rates = await one.fetchFundingRateHistory(PERPETUAL, Date.now() - 60_000);
    expect(rates.length).toBeLessThanOrEqual(1);
    for (const { symbol } of rates) expect(symbol).toBe(PERPETUAL);
    const old = Date.now() - 30 * 86_400_000;
    expect(await one.fetchFundingRateHistory(PERPETUAL, old, 5)).toEqual([]);
    expect((await one.fetchFundingHistory(PERPETUAL)).length).toBeLessThanOrEqual(1);
    expect(await one.fetchFundingHistory(PERPETUAL, old)).toEqual([]);
  });

  test('fetchLeverageTiers', async () => {
    const tiers = await one.fetchLeverageTiers();
    expect(Object.keys(tiers)).toHaveLength(4);
    expect(tiers[PERPETUAL]?.[1]).toMatchObject({
      ...{ tier: 2, minNotional: 100_000_000, maxNotional: 300_000_000 },
      ...{ maintenanceMarginRate: 0.05, maxLeverage: 10 },
    });
    expect(await one.fetchMarketLeverageTiers(PERPETUAL)).toHaveLength(4);
  });
});

describe('createOrder', () => {
  test('limit, with ids and iceberg', async () => {
    const params = { clientOrderId: 1_717_000_003_000, displayQuantity: '0.1', recvWindow: 5_000 };
    const order = await one.createOrder(PERPETUAL, 'limit', 'buy', 1, 59_000, params);
    expect(order).toMatchObject({
      ...{ status: 'open', type: 'limit', side: 'buy', price: 59_000, amount: 1, filled: 0 },
      ...{ remaining: 1, clientOrderId: '1717000003000', symbol: PERPETUAL },
    });
    expect((await one.fetchOrderBook(PERPETUAL)).bids).toEqual([[59_000, 0.1]]);
  });

  test('market: the price is that of the match', async () => {
    await one.createOrder(SPOT, 'limit', 'sell', 2, 3_000.5);
    const order = await two.createOrder(SPOT, 'market', 'buy', 1.5);
    expect(order).toMatchObject({ status: 'closed', price: 3_000.5, filled: 1.5, remaining: 0 });
    expect(order.fee).toMatchObject({ currency: 'OX' });
  });

  test('market buy with cost', async () => {
    await one.createOrder(SPOT, 'limit', 'sell', 1, 3_000);
    const order = await two.createMarketBuyOrderWithCost(SPOT, 300);
    expect(order).toMatchObject({ status: 'closed', filled: 0.1 });
    expect((await two.fetchOrder(order.id, SPOT)).filled).toBe(0.1);
  });

  test('post-only rests or is rejected', async () => {
    const rests = await one.createPostOnlyOrder(PERPETUAL, 'limit', 'sell', 0.01, 60_100);
    expect(rests).toMatchObject({ status: 'open', timeInForce: 'PO', postOnly: true });
    const taker = await two.createPostOnlyOrder(PERPETUAL, 'limit', 'buy', 0.01, 60_100);
    expect(taker).toMatchObject({ status: 'rejected', filled: 0 });
  });

  test('IOC fills what it can', async () => {
    await one.createOrder(PERPETUAL, 'limit', 'sell', 0.01, 60_100);
    const params = { timeInForce: 'IOC' };
    const order = await two.createOrder(PERPETUAL, 'limit', 'buy', 0.03, 60_100, params);
    expect(order).toMatchObject({ status: 'canceled', filled: 0.01, remaining: 0.02 });
  });

  test('trigger orders wait', async () => {
    const params = { triggerPrice: 61_000 };
    const limit = await one.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 61_500, params);
    expect(limit).toMatchObject({ status: 'open', triggerPrice: 61_000, price: 61_500 });
    const market = await one.createOrder(PERPETUAL, 'market', 'buy', 0.01, undefined, params);
    expect(market).toMatchObject({ status: 'open', triggerPrice: 61_000 });
    expect(await one.fetchOpenOrders(PERPETUAL)).toHaveLength(2);
  });

  test('a refusal is an order that was rejected, with the reason in its info', async () => {
    const order = await one.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 60_000.3);
    expect(order.status).toBe('rejected');
    expect(order.info.message).toContain('nearest 60000');
  });

  test('createOrders with 8, and refused with 9', async () => {
    const orders = Array.from({ length: 8 }, (_, at) => ({
      ...{ symbol: PERPETUAL, type: 'limit' as const, side: 'buy' as const },
      ...{ amount: 0.001, price: 58_000 + at },
    }));
    const placed = await one.createOrders(orders);
    expect(placed.map(({ status }) => status)).toEqual(Array(8).fill('open'));
    await expect(one.createOrders([...orders, ...orders.slice(0, 1)])).rejects.toThrow('20001');
  });
});

describe('orders afterwards', () => {
  test('fetchOrder, open and closed', async () => {
    const { id } = await one.createOrder(PERPETUAL, 'limit', 'sell', 0.02, 60_100);
    await two.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 60_100);
    expect(await one.fetchOrder(id)).toMatchObject({
      ...{ id, status: 'open', filled: 0.01, remaining: 0.01, amount: 0.02 },
    });
    await two.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 60_100);
    expect(await one.fetchOrder(id)).toMatchObject({ id, status: 'closed', filled: 0.02 });
    await expect(one.fetchOrder('1')).rejects.toThrow('result not found');
  });

  test('fetchOpenOrders, cancelOrder, cancelOrders', async () => {
    const ids: string[] = [];
    for (const price of [58_000, 58_001, 58_002]) {
      ids.push((await one.createOrder(PERPETUAL, 'limit', 'buy', 0.01, price)).id);
    }
    const open = await one.fetchOpenOrders();
    expect(open.map(({ id }) => id).sort()).toEqual(ids);
    const cancelled = await one.cancelOrder(ids[0] as string, PERPETUAL);
    expect(cancelled).toMatchObject({ id: ids[0], status: 'canceled' });
    const rest = await one.cancelOrders(ids.slice(1), PERPETUAL);
    expect(rest.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    expect(await one.fetchOpenOrders()).toEqual([]);
    expect((await one.fetchOrder(ids[0] as string)).status).toBe('canceled');
  });

  test('cancelAllOrders twice in a row, with and without a symbol', async () => {
    for (const symbol of [undefined, PERPETUAL]) {
      await one.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 58_000);
      const notices: unknown[] = [];
      for (let times = 0; times < 2; times++) {
        const [answer] = await one.cancelAllOrders(symbol);
        notices.push(answer?.info.data.notice);
      }
      expect(notices).toEqual(['Orders queued for cancelation', 'No working orders found']);
    }
  });
});

test('two accounts trade with each other, and both see the same match', async () => {
  const maker = await one.createOrder(PERPETUAL, 'limit', 'sell', 0.5, 60_000);
  const taker = await two.createOrder(PERPETUAL, 'market', 'buy', 0.5);
  expect(taker).toMatchObject({ status: 'closed', filled: 0.5 });
  const mine = (await one.fetchMyTrades(PERPETUAL)).at(-1);
  const theirs = (await two.fetchMyTrades(PERPETUAL, Date.now() - 60_000, 1)).at(-1);
  expect(mine?.id).toBe(theirs?.id);
  expect(mine).toMatchObject({
    ...{ order: maker.id, side: 'sell', takerOrMaker: 'maker', price: 60_000, amount: 0.5 },
    fee: { currency: 'OX', cost: 600 },
  });
  expect(theirs).toMatchObject({
    ...{ order: taker.id, side: 'buy', takerOrMaker: 'taker', price: 60_000, amount: 0.5 },
  });

  const [short] = await one.fetchPositions([PERPETUAL]);
  const [long] = await two.fetchPositions([PERPETUAL]);
  // ccxt leaves the sign to the caller.
  expect(Number(short?.info.position)).toBeLessThan(0);
  expect(Number(long?.info.position)).toBe(-Number(short?.info.position));
  expect(long).toMatchObject({ symbol: PERPETUAL, markPrice: 60_000 });
});

test('fetchBalance and transfer', async () => {
  const before = (await one.fetchBalance())['USDT'];
  const [from, to] = ['main', 'desk-a'].map((name) => accountOf(venue, name).accountId);
  const moved = await one.transfer('USDT', 25, from as string, to as string);
  expect(moved).toMatchObject({ currency: 'USDT', amount: 25, fromAccount: from, toAccount: to });
  const after = (await one.fetchBalance())['USDT'];
  expect(after?.free).toBeCloseTo((before?.free ?? 0) - 25, 8);
});

describe('money in and out', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

  test('withdraw and fetchWithdrawals', async () => {
    const params = { network: 'Arbitrum' };
    const made = await one.withdraw('OX', 25, address, undefined, params);
    expect(made).toMatchObject({
      ...{ currency: 'OX', amount: 25, status: 'pending', type: 'withdrawal' },
      ...{ addressTo: address, network: 'ARB', fee: { currency: 'OX' } },
    });
    const found = (await one.fetchWithdrawals('OX')).find(({ id }) => id === made.id);
    expect(found).toMatchObject({ id: made.id, currency: 'OX', amount: 25, addressTo: address });
    const since = (made.timestamp ?? 0) - 86_400_000;
    expect((await one.fetchWithdrawals('OX', since, 1)).map(({ id }) => id)).toEqual([made.id]);
    const wrong = `${address.slice(0, -1)}D`;
    await expect(one.withdraw('OX', 25, wrong, undefined, params)).rejects.toThrow('35026');
    await expect(one.withdraw('OX', 25, address)).rejects.toThrow('30001');
    await expect(two.withdraw('OX', 25, address, undefined, params)).rejects.toThrow('30001');
  });

  test('fetchDepositAddress: the same for ever, and for each account its own', async () => {
    const params = { network: 'Arbitrum' };
    const mine = await one.fetchDepositAddress('OX', params);
    expect(mine).toMatchObject({ currency: 'OX', address: expect.stringMatching(/^0x/) });
    expect((await one.fetchDepositAddress('OX', params)).address).toBe(mine.address);
    expect((await two.fetchDepositAddress('OX', params)).address).not.toBe(mine.address);
    const tagged = await one.fetchDepositAddress('XRP', { network: 'XRPL' });
    expect(tagged.info.memo).toMatch(/^[0-9]+$/);
    await expect(one.fetchDepositAddress('BTC', params)).rejects.toThrow('20001');
  });

  test('fetchDeposits, fetchTransfers and fetchAccounts', async () => {
    for (const { type } of await one.fetchDeposits()) expect(type).toBe('deposit');
    const [from, to] = ['main', 'desk-b'].map((name) => accountOf(venue, name).accountId);
    await one.transfer('USDT', 3, from as string, to as string);
    const moved = (await one.fetchTransfers('USDT')).at(-1);
    expect(moved).toMatchObject({ currency: 'USDT', amount: 3, fromAccount: from, toAccount: to });
    const accounts = await one.fetchAccounts();
    expect(accounts.map(({ id }) => id)).toContain(to);
    expect(accounts).toHaveLength(2);
  });

  test('the raw methods of saved addresses and fees', async () => {
    const { data } = await one.privateGetV3WithdrawalAddresses();
    expect(data[0]).toMatchObject({ label: 'treasury', whitelisted: true });
    const params = { asset: 'OX', network: 'Arbitrum', address, quantity: '25' };
    const { data: estimate } = await one.privateGetV3WithdrawalFees(params);
    expect(estimate).toMatchObject({ ...params, externalFee: false });
  });
});
