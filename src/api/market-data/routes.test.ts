import { beforeEach, expect, test } from 'vitest';
import { entryIdText } from '../../domain/ids.ts';
import { matchIdText } from '../../domain/orders.ts';
import { amount, type MarketIndex } from '../../domain/units.ts';
import type { TradeRow } from '../../history/history.ts';
import { CORE_NOW_MS, edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const get = (path: string, query = '') => edge.ask('alice', 'GET', path, { query });
const NOW = String(CORE_NOW_MS);
const BTC = 'BTC-USD-SWAP-LIN';
const btc = (side: string, quantity: string, price: string) => ({
  ...{ marketCode: BTC, orderType: 'LIMIT' },
  ...{ side, quantity, price },
});

test('a market shows its terms and its prices', async () => {
  const { data } = await get('/v3/markets');
  expect(data).toHaveLength(9);
  expect(data[0]).toEqual({
    marketCode: BTC,
    name: 'BTC/USD Perp',
    referencePair: 'BTC/USDT',
    base: 'BTC',
    counter: 'USD',
    type: 'FUTURE',
    tickSize: '1',
    minSize: '0.0001',
    listedAt: NOW,
    upperPriceBound: '66000',
    lowerPriceBound: '54000',
    markPrice: '60000',
    indexPrice: '60000',
    lastUpdatedAt: NOW,
    state: 'OPEN',
    estFundingRate: '0.000000000',
    fundingAt: String(Math.ceil((CORE_NOW_MS + 1) / 3_600_000) * 3_600_000),
  });
  const [ox] = (await get('/v3/markets', 'marketCode=OX-USDT')).data;
  expect(ox).toMatchObject({
    ...{ type: 'SPOT', counter: 'USDT', tickSize: '0.00001', minSize: '1' },
    ...{ upperPriceBound: '0.01300', lowerPriceBound: '0.00700', markPrice: '0.01' },
  });
  const wrong = await get('/v3/markets', 'marketCode=NOPE');
  expect([wrong.status, wrong.code]).toEqual([400, '20001']);
  expect(wrong.message).toContain('marketCode is invalid');
});

test('an asset lists its networks', async () => {
  const { data } = await get('/v3/assets', 'asset=XRP');
  expect(data).toEqual([
    {
      asset: 'XRP',
      isCollateral: true,
      loanToValue: '0.850000000',
      loanToValueFactor: '0.000000000',
      networkList: [
        {
          network: 'XRPL',
          transactionPrecision: '8',
          isWithdrawalFeeChargedToUser: true,
          canDeposit: true,
          canWithdraw: true,
          minDeposit: '0.0001',
          minWithdrawal: '0.0001',
        },
      ],
    },
  ]);
  const all = (await get('/v3/assets')).data;
  expect(all.map(({ asset }: { asset: string }) => asset)).toContain('OX');
  expect((await get('/v3/assets', 'asset=NOPE')).data).toEqual([]);
});

test('a market that never traded has zeros, and the mark for its day', async () => {
  expect((await get('/v3/tickers', `marketCode=${BTC}`)).data).toEqual([
    {
      marketCode: BTC,
      markPrice: '60000',
      open24h: '60000',
      high24h: '60000',
      low24h: '60000',
      volume24h: '0',
      currencyVolume24h: '0',
      openInterest: '0',
      lastTradedPrice: '0',
      lastTradedQuantity: '0',
      lastUpdatedAt: NOW,
      state: 'OPEN',
      estFundingRate: '0.000000000',
      fundingAt: String(Math.ceil((CORE_NOW_MS + 1) / 3_600_000) * 3_600_000),
    },
  ]);
  edge.history.dayOfMarks = {
    open: 59_000_00000000n,
    high: 61_000_50000000n,
    low: 58_000_00000000n,
  };
  const [quiet] = (await get('/v3/tickers', `marketCode=${BTC}`)).data;
  expect(quiet).toMatchObject({ open24h: '59000', high24h: '61000.5', low24h: '58000' });
});

test('a market that is not open says why', async () => {
  await edge.engine.submit({
    ...{ kind: 'set-market-state', actor: 'operator', market: BTC },
    ...{ state: 'CANCEL_ONLY', reason: 'a new tick size' },
  });
  const [market] = (await get('/v3/markets', `marketCode=${BTC}`)).data;
  expect([market.state, market.stateReason]).toEqual(['CANCEL_ONLY', 'a new tick size']);
  await edge.engine.submit({ kind: 'restart' });
  const [ticker] = (await get('/v3/tickers', 'marketCode=BTC-USDT')).data;
  expect([ticker.state, ticker.stateReason]).toEqual(['CANCEL_ONLY', 'index prices are not fresh']);
  expect(ticker).not.toHaveProperty('fundingAt');
});

test('candles: prices to the eighth decimal', async () => {
  const openedAtMs = 1_717_000_200_000;
  edge.history.candleRows = [
    {
      ...{ openedAtMs, open: 6000_000_000_000n, high: 6060_000_000_000n },
      ...{ low: 5990_000_000_000n, close: 6050_000_000_000n },
      ...{ lots: 200, value: amount(121_000_00000000n) },
    },
    {
      ...{ openedAtMs: openedAtMs - 60_000, lots: 0, value: amount(0n) },
      ...{ open: 1n, high: 3n, low: 1n, close: 2n },
    },
  ];
  const answer = await get('/v3/candles', `marketCode=${BTC}&timeframe=60s&limit=2`);
  expect(answer).toMatchObject({ success: true, timeframe: '60s' });
  expect(answer.data).toEqual([
    {
      open: '60000.00000000',
      high: '60600.00000000',
      low: '59900.00000000',
      close: '60500.00000000',
      volume: '121000',
      currencyVolume: '0.02',
      openedAt: String(openedAtMs),
    },
    {
      open: '0.00000001',
      high: '0.00000003',
      low: '0.00000001',
      close: '0.00000002',
      volume: '0',
      currencyVolume: '0',
      openedAt: String(openedAtMs - 60_000),
    },
  ]);
  expect(edge.history.queries.at(-1)).toMatchObject({ lengthMs: 60_000, limit: 2 });
  const plain = await get('/v3/candles', `marketCode=${BTC}&endTime=${CORE_NOW_MS + 9_999_999}`);
  expect(plain).toMatchObject({ timeframe: '3600s' });
  expect(edge.history.queries.at(-1)).toMatchObject({
    ...{ lengthMs: 3_600_000, limit: 200, toMs: CORE_NOW_MS },
  });
  const wrong = await get('/v3/candles', `marketCode=${BTC}&timeframe=61s`);
  expect([wrong.status, wrong.code]).toEqual([400, '20001']);
  expect((await get('/v3/candles')).code).toBe('30001');
});

test('a ticker joins the last match with the day', async () => {
  await edge.place([btc('SELL', '0.02', '60100')], {}, 'bob');
  await edge.place([btc('BUY', '0.02', '60100')]);
  edge.history.day = {
    ...{ open: 5900_000_000_000n, high: 6100_000_000_000n, low: 5800_000_000_000n, lots: 500 },
    value: amount(300_000_00000000n),
  };
  const [ticker] = (await get('/v3/tickers', `marketCode=${BTC}`)).data;
  expect(ticker).toMatchObject({
    open24h: '59000',
    high24h: '61000',
    low24h: '58000',
    volume24h: '300000',
    currencyVolume24h: '0.05',
    openInterest: '0.02',
    lastTradedPrice: '60100',
    lastTradedQuantity: '0.02',
  });
});

test('the day of a ticker holds its last match, also while history does not have it yet', async () => {
  await edge.place([btc('SELL', '0.02', '60100')], {}, 'bob');
  await edge.place([btc('BUY', '0.02', '60100')]);
  const before = { open: 5900_000_000_000n, lots: 500, value: amount(300_000_00000000n) };
  const seen = async (high: bigint, low: bigint): Promise<string[]> => {
    edge.history.day = { ...before, high, low };
    const [{ open24h, high24h, low24h }] = (await get('/v3/tickers', `marketCode=${BTC}`)).data;
    return [open24h, high24h, low24h];
  };
  expect(await seen(6000_000_000_000n, 5800_000_000_000n)).toEqual(['59000', '60100', '58000']);
  expect(await seen(6200_000_000_000n, 6100_000_000_000n)).toEqual(['59000', '62000', '60100']);
});

test('depth: numbers, best first, as deep as requested', async () => {
  await edge.place([
    btc('BUY', '0.5', '59000'),
    btc('BUY', '0.25', '59001'),
    btc('BUY', '0.25', '59001'),
    btc('SELL', '1', '61001'),
    { ...btc('SELL', '2', '61000'), displayQuantity: '0.1' },
  ]);
  const answer = await get('/v3/depth', `marketCode=${BTC}`);
  expect([answer.level, answer.success]).toEqual(['5', true]);
  expect(answer.data).toEqual({
    marketCode: BTC,
    lastUpdatedAt: NOW,
    asks: [
      [61_000, 0.1],
      [61_001, 1],
    ],
    bids: [
      [59_001, 0.5],
      [59_000, 0.5],
    ],
  });
  const one = await get('/v3/depth', `marketCode=${BTC}&level=1`);
  expect([one.level, one.data.bids]).toEqual(['1', [[59_001, 0.5]]]);
  expect((await get('/v3/depth', `marketCode=${BTC}&level=5000`)).level).toBe('100');
  expect((await get('/v3/depth', 'marketCode=OX-USDT')).data).toMatchObject({ asks: [], bids: [] });
  expect((await get('/v3/depth')).code).toBe('30001');
  for (const query of ['marketCode=NOPE', `marketCode=${BTC}&level=0`]) {
    expect((await get('/v3/depth', query)).code, query).toBe('20001');
  }
});

test('a market is operational while it is open', async () => {
  const ask = async () => (await get('/v3/markets/operational', `marketCode=${BTC}`)).data;
  expect(await ask()).toEqual({ marketCode: BTC, operational: true });
  const halt = { market: BTC, state: 'HALTED', reason: 'test' } as const;
  edge.core.apply({ kind: 'set-market-state', actor: 'test', ...halt });
  expect(await ask()).toEqual({ marketCode: BTC, operational: false });
  expect((await get('/v3/markets/operational')).code).toBe('30001');
  expect((await get('/v3/markets/operational', 'marketCode=NOPE')).code).toBe('20001');
});

test('a match is one row for everybody, from the side of the taker', async () => {
  const row = {
    ...{
      id: 800n,
      market: 0,
      match: 1,
      priceTicks: 60_510,
      grid: { priceScale: 0, tickParts: 1n },
    },
    ...{ lots: 100, takerSide: 'SELL', timeMs: 7 },
  };
  edge.history.exchangeTradeRows = [row as never];
  const query = `marketCode=${BTC}&limit=9000&startTime=1&endTime=2`;
  const published = {
    marketCode: BTC,
    matchPrice: '60510',
    matchQuantity: '0.01',
    side: 'SELL',
    matchType: 'TAKER',
    matchedAt: '7',
  };
  expect((await get('/v3/exchange-trades', query)).data).toEqual([published]);
  const asked = { market: 0, fromMs: 1, toMs: 2, limit: 500 };
  expect(edge.history.queries).toEqual([asked]);
  // One command may match more often, at one moment, than a page holds.
  const ids = { id: '970000000000000800', matchId: '100000000000000001' };
  for (const more of ['ids=true', `beforeId=${ids.id}`]) {
    const { data } = await get('/v3/exchange-trades', `${query}&${more}`);
    expect(data).toEqual([{ ...ids, ...published }]);
  }
  expect(edge.history.queries.at(-1)).toEqual({ ...asked, beforeId: 800n });
  expect((await get('/v3/exchange-trades', `${query}&beforeId=8`)).code).toBe('20001');
});

const trade = (id: number, changes: Partial<TradeRow> = {}): TradeRow => ({
  id: BigInt(id),
  market: 1 as MarketIndex,
  match: id,
  orderId: 1_000_200_000_777,
  clientOrderId: 9_223_372_036_854_775_807n,
  side: 'BUY',
  matchType: 'MAKER',
  priceTicks: 30_500,
  grid: { priceScale: 1, tickParts: 1n },
  lots: 10,
  value: amount(3_050_00000000n),
  feeAsset: edge.core.asset('OX'),
  fee: amount(61_000_000n),
  source: 11,
  timeMs: CORE_NOW_MS - 1_000 + Math.floor(id / 3),
  ...changes,
});

test('a trade is one side of a match', async () => {
  edge.history.tradeRows = [trade(555)];
  expect((await get('/v3/trades')).data).toEqual([
    {
      id: '970000000000000555',
      orderId: '1000200000777',
      clientOrderId: '9223372036854775807',
      matchId: '200000000000000555',
      marketCode: 'ETH-USD-SWAP-LIN',
      side: 'BUY',
      matchedQuantity: '0.010',
      matchPrice: '3050.0',
      total: '3050.00',
      orderMatchType: 'MAKER',
      feeAsset: 'OX',
      fee: '0.61',
      source: '11',
      matchedAt: String(CORE_NOW_MS - 815),
    },
  ]);
  edge.history.tradeRows = [103, 108, 150, 104, 13].map((source, at) => trade(9 - at, { source }));
  const sources = (await get('/v3/trades')).data.map(({ source }: { source: string }) => source);
  expect(sources).toEqual(['103', '103', '103', '104', '13']);
  expect((await get('/v3/trades', 'marketCode=NOPE')).code).toBe('20001');
  expect((await get('/v3/trades', 'beforeId=5')).code).toBe('20001');
});

/** Two markets by turns; now and then the account meets itself and has two rows of one match. */
const walkRows = () =>
  Array.from({ length: 40 }, (_, at) => {
    const match = 100 + Math.floor(at / 2) * 2 + (at % 10 === 9 ? 0 : at % 2);
    return trade(at + 1, { market: (at % 4 < 2 ? 1 : 4) as MarketIndex, match });
  }).reverse();

type Walked = { readonly id: string; readonly matchId: string };

async function walk(limit: number, by: keyof Walked): Promise<Walked[][]> {
  const pages: Walked[][] = [];
  for (
    let query = `limit=${limit}`;
    ;
    query = `limit=${limit}&beforeId=${pages.at(-1)?.at(-1)?.[by]}`
  ) {
    const page = (await get('/v3/trades', query)).data;
    if (page.length === 0) return pages;
    pages.push(page);
  }
}

test('a page of trades has exactly as many rows as requested, and the next goes on inside a match', async () => {
  const rows = walkRows();
  edge.history.tradeRows = rows;
  const all = rows.map(({ id }) => entryIdText(id));
  for (const limit of [1, 2, 3, 7, 500]) {
    const pages = await walk(limit, 'id');
    const sizes = pages.slice(0, -1).map(({ length }) => length);
    expect(new Set(sizes), `limit ${limit}`).toEqual(new Set(pages.length > 1 ? [limit] : []));
    expect(pages.flat().map(({ id }) => id)).toEqual(all);
  }
});

test('a matchId stands for the whole match: pages turned by it repeat nothing and end', async () => {
  const rows = walkRows();
  edge.history.tradeRows = rows;
  const all = rows.map(({ market, match }) => matchIdText(market, match));
  for (const limit of [1, 3, 500]) {
    const walked = (await walk(limit, 'matchId')).flat();
    expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length);
    expect(new Set(walked.map(({ matchId }) => matchId))).toEqual(new Set(all));
  }
});

test('a beforeId that no match and no row can have is refused, not a fault', async () => {
  edge.history.tradeRows = walkRows();
  for (const beforeId of ['199999999999999999', '9223372036854775808', '9'.repeat(40), '0', '00']) {
    const { status, code } = await get('/v3/trades', `beforeId=${beforeId}`);
    expect([status, code], beforeId).not.toContain(500);
    if (beforeId !== '9223372036854775808')
      expect([status, code], beforeId).toEqual([400, '20001']);
  }
});
