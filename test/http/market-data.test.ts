import { afterAll, beforeAll, expect, test } from 'vitest';
import { RialtoClient } from '../../src/client/index.ts';
import { BTC, limit, place, spot, trade } from './trading.ts';
import { clientFor, rawCall, refusalOf, startVenue, type Venue } from './venue.ts';

let venue: Venue;
let anybody: RialtoClient;
beforeAll(async () => {
  venue = await startVenue();
  anybody = new RialtoClient({ baseUrl: venue.baseUrl });
});
afterAll(() => venue?.stop());

test('markets, assets and tickers name the same things', async () => {
  const markets = await anybody.markets();
  const tickers = await anybody.tickers();
  const codes = markets.map(({ marketCode }) => marketCode);
  expect(codes).toHaveLength(9);
  expect(tickers.map(({ marketCode }) => marketCode)).toEqual(codes);
  const assets = (await anybody.assets()).map(({ asset }) => asset);
  expect(assets).toEqual(
    expect.arrayContaining(['OX', 'USDT', 'USDC', 'BTC', 'ETH', 'SOL', 'XRP']),
  );
  expect(await anybody.markets({ marketCode: BTC })).toMatchObject([
    { tickSize: '1', minSize: '0.0001', upperPriceBound: '66000', lowerPriceBound: '54000' },
  ]);
  for (const marketCode of codes) {
    expect(await anybody.operational({ marketCode })).toEqual({ marketCode, operational: true });
  }
});

test('before its first match a market has zeros and the mark price', async () => {
  const [ticker] = await anybody.tickers({ marketCode: 'SOL-USDT' });
  expect(ticker).toMatchObject({
    ...{ markPrice: '150', open24h: '150', high24h: '150', low24h: '150' },
    ...{ lastTradedPrice: '0', lastTradedQuantity: '0', volume24h: '0', openInterest: '0' },
  });
});

test('matches move the ticker and are seen by everybody, at once', async () => {
  const [one, two] = [clientFor(venue), clientFor(venue, 'main', 1)];
  await trade(one, two, limit('SELL', '0.01', '60000'));
  await trade(one, two, limit('SELL', '0.02', '60200'));
  await trade(one, two, limit('BUY', '0.01', '59900'));
  expect(await anybody.tickers({ marketCode: BTC })).toMatchObject([
    {
      open24h: '60000',
      high24h: '60200',
      low24h: '59900',
      volume24h: '240300',
      currencyVolume24h: '0.04',
      openInterest: '0.02',
      lastTradedPrice: '59900',
      lastTradedQuantity: '0.01',
    },
  ]);
  const rows = await anybody.exchangeTrades({ marketCode: BTC });
  expect(rows.map(({ side, matchPrice }) => [side, matchPrice])).toEqual([
    ['SELL', '59900'],
    ['BUY', '60200'],
    ['BUY', '60000'],
  ]);
  expect(rows[0]).toEqual({
    marketCode: BTC,
    matchPrice: '59900',
    matchQuantity: '0.01',
    side: 'SELL',
    matchType: 'TAKER',
    matchedAt: expect.stringMatching(/^\d{13}$/),
  });
  expect(await anybody.exchangeTrades({ limit: '1' })).toEqual(rows.slice(0, 1));
  const [newest] = await anybody.exchangeTrades({ ids: 'true', limit: '1' });
  const ids = {
    id: expect.stringMatching(/^97\d{16}$/),
    matchId: expect.stringMatching(/^10{10}\d{7}$/),
  };
  expect(newest).toEqual({ ...ids, ...rows[0] });
  const beforeId = newest?.id ?? '';
  const next = await anybody.exchangeTrades({ beforeId, limit: '1' });
  expect(next).toEqual([{ ...ids, ...rows[1] }]);
});

test('candles are what the matches of their minutes were, before and after a restart', async () => {
  const market = { marketCode: 'ETH-USDT' };
  const [one, two] = [clientFor(venue), clientFor(venue, 'main', 1)];
  const prices = ['3000', '3010.5', '2990', '3001'];
  for (const price of prices) {
    await trade(one, two, { ...market, side: 'BUY', orderType: 'LIMIT', quantity: '0.5', price });
  }
  const check = async (): Promise<unknown> => {
    const trades = await anybody.exchangeTrades(market);
    const candles = await anybody.candles({ ...market, timeframe: '60s' });
    const traded = candles.filter(({ volume }) => volume !== '0');
    const minutes = new Set(trades.map(({ matchedAt }) => Math.floor(Number(matchedAt) / 60_000)));
    expect(traded.map(({ openedAt }) => Number(openedAt) / 60_000)).toEqual([...minutes]);
    for (const candle of traded) {
      const own = trades
        .filter(({ matchedAt }) => Number(matchedAt) - Number(candle.openedAt) < 60_000)
        .filter(({ matchedAt }) => matchedAt >= candle.openedAt)
        .map(({ matchPrice }) => Number(matchPrice))
        .reverse();
      const { open, high, low, close, volume, currencyVolume } = candle;
      expect([open, high, low, close, volume, currencyVolume].map(Number)).toEqual([
        ...[own[0], Math.max(...own), Math.min(...own), own.at(-1)],
        own.reduce((sum, price) => sum + price * 0.5, 0),
        own.length * 0.5,
      ]);
    }
    return traded;
  };
  const before = await check();
  const [hour] = await anybody.candles(market);
  expect(hour).toMatchObject({ open: '3000.00000000', high: '3010.50000000' });
  await venue.stop();
  venue = await startVenue({ data: venue.data });
  anybody = new RialtoClient({ baseUrl: venue.baseUrl });
  expect(await check()).toEqual(before);
  // Intervals without a match show the mark, without a gap.
  const quiet = await anybody.candles({ marketCode: 'XRP-USDT', timeframe: '60s' });
  const times = quiet.map(({ openedAt }) => Number(openedAt));
  expect(times).toEqual(times.map((_, at) => Number(times[0]) - at * 60_000));
  expect(quiet[0]).toMatchObject({ open: '0.50000000', close: '0.50000000', volume: '0' });
});

test('the book is JSON numbers; its depth is said beside it', async () => {
  const one = clientFor(venue);
  await place(one, spot('BUY', '0.00001', '59999.99'));
  await place(one, spot('BUY', '1.5', '59999.98'));
  await place(one, spot('SELL', '2', '60000.01', { displayQuantity: '0.5' }));
  const response = await fetch(`${venue.baseUrl}/v3/depth?marketCode=BTC-USDT&level=1`);
  const text = await response.text();
  expect(text).toContain('"level":"1"');
  expect(text).toContain('"asks":[[60000.01,0.5]],"bids":[[59999.99,0.00001]]');
  const deep = await anybody.depth({ marketCode: 'BTC-USDT', level: '900' });
  expect(deep.bids).toEqual([
    [59_999.99, 0.00001],
    [59_999.98, 1.5],
  ]);
});

test('the refusal of an invalid request says what is wrong', async () => {
  for (const path of ['markets', 'tickers', 'candles', 'depth', 'markets/operational']) {
    const answer = await rawCall(venue, { path: `/v3/${path}`, query: 'marketCode=NOPE' });
    expect([answer.status, answer.code], path).toEqual([400, '20001']);
    expect(answer.message).toContain('marketCode is invalid');
  }
  for (const path of ['candles', 'depth', 'markets/operational']) {
    const answer = await rawCall(venue, { path: `/v3/${path}` });
    expect([answer.code, answer.message]).toEqual([
      '30001',
      "Required parameter 'marketCode' is missing",
    ]);
  }
  expect((await refusalOf(anybody.depth({ marketCode: BTC, level: 'x' }))).code).toBe('20001');
});
