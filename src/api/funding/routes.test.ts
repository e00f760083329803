import { beforeEach, expect, test } from 'vitest';
import { type AccountIndex, type AssetIndex, amount, usdPrice } from '../../domain/units.ts';
import type { LiquidationEvent } from '../../history/history.ts';
import { CORE_NOW_MS, edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const get = (path: string, query = '') => edge.ask('alice', 'GET', path, { query });
const PERPETUALS = ['BTC', 'ETH', 'SOL', 'OX'].map((base) => `${base}-USD-SWAP-LIN`);
const codes = ({ data }: { data: { marketCode: string }[] }) =>
  data.map(({ marketCode }) => marketCode);

test('a payment shows the sum it was, in the digits of the interface', async () => {
  edge.history.paymentRows = [
    {
      ...{ id: 101n, market: edge.core.market('ETH-USD-SWAP-LIN'), payment: amount(-21_633_500n) },
      ...{ rate: 14_000n, lots: 50, index: usdPrice(309_050_000_000n), timeMs: 1_717_002_052_890 },
    },
  ];
  expect((await get('/v3/funding')).data).toEqual([
    {
      id: '970000000000000101',
      marketCode: 'ETH-USD-SWAP-LIN',
      payment: '-0.216335',
      fundingRate: '0.000014',
      position: '0.050',
      indexPrice: '3090.5',
      createdAt: '1717002052890',
    },
  ]);
});

test('the end of the window of payments is exclusive, and of rates it is not', async () => {
  const window = 'marketCode=BTC-USD-SWAP-LIN&limit=9000&startTime=5&endTime=9';
  await get('/v3/funding', `${window}&beforeId=970000000000000101`);
  await get('/v3/funding/rates', window);
  await get('/v3/funding');
  const account = edge.core.account('alice', 'main');
  expect(edge.history.queries).toEqual([
    { account, market: 0, fromMs: 5, toMs: 8, limit: 500, beforeId: 101n },
    { market: 0, fromMs: 5, toMs: 9, limit: 500 },
    { account, fromMs: CORE_NOW_MS - 86_400_000, toMs: CORE_NOW_MS - 1, limit: 200 },
  ]);
});

test('a rate has nine decimals and three members, no more', async () => {
  const market = edge.core.market('BTC-USD-SWAP-LIN');
  edge.history.rateRows = [31_000n, -10_000n, 0n].map((rate) => ({ market, rate, timeMs: 7 }));
  const { data } = await get('/v3/funding/rates');
  const row = { marketCode: 'BTC-USD-SWAP-LIN', createdAt: '7' };
  expect(data).toEqual([
    { ...row, fundingRate: '0.000031000' },
    { ...row, fundingRate: '-0.000010000' },
    { ...row, fundingRate: '0.000000000' },
  ]);
});

test('estimates are of perpetuals, for the next full hour', async () => {
  for (const second of [0, 1, 2]) {
    edge.core.nowMs = CORE_NOW_MS + second * 1_000;
    edge.core.apply({ kind: 'tick' });
  }
  const answer = await get('/v3/funding/estimates');
  expect(codes(answer)).toEqual(PERPETUALS);
  // At the index, only the interest: 0.0001 a day.
  expect(answer.data[0]).toEqual({
    marketCode: 'BTC-USD-SWAP-LIN',
    fundingAt: String(Math.ceil(CORE_NOW_MS / 3_600_000) * 3_600_000),
    estFundingRate: '0.000004166',
  });
  expect(codes(await get('/v3/funding/estimates', 'marketCode=OX-USD-SWAP-LIN'))).toEqual([
    'OX-USD-SWAP-LIN',
  ]);
  expect((await get('/v3/funding/estimates', 'marketCode=BTC-USDT')).data).toEqual([]);
  edge.core.nowMs = Math.ceil(CORE_NOW_MS / 3_600_000) * 3_600_000;
  const [next] = (await get('/v3/funding/estimates')).data;
  expect(Number(next.fundingAt)).toBe(edge.core.nowMs + 3_600_000);
});

test('tiers are of perpetuals, with exactly the members clients allow', async () => {
  const answer = await get('/v3/leverage/tiers');
  expect(codes(answer)).toEqual(PERPETUALS);
  expect(answer.data[3]).toEqual({
    marketCode: 'OX-USD-SWAP-LIN',
    tiers: [
      {
        ...{ tier: '1', leverage: '5', positionFloor: '0', positionCap: '50000000' },
        ...{ initialMargin: '0.2', maintenanceMargin: '0.1' },
      },
      {
        ...{ tier: '2', leverage: '2', positionFloor: '50000000', positionCap: '200000000' },
        ...{ initialMargin: '0.5', maintenanceMargin: '0.25' },
      },
    ],
  });
  expect(answer.data[0].tiers[0]).toMatchObject({ initialMargin: '0.05', leverage: '20' });
  expect((await get('/v3/leverage/tiers', 'marketCode=BTC-USDT')).data).toEqual([]);
});

test('a market that does not exist is invalid everywhere', async () => {
  for (const path of ['funding', 'funding/rates', 'funding/estimates', 'leverage/tiers']) {
    const answer = await get(`/v3/${path}`, 'marketCode=NOPE');
    expect([answer.status, answer.code], path).toEqual([400, '20001']);
  }
});

test('a market whose prices are old is not operational', async () => {
  const ask = async () => (await get('/v3/markets/operational', 'marketCode=BTC-USDT')).data;
  expect(await ask()).toMatchObject({ operational: true });
  edge.core.nowMs += 31_000;
  edge.core.apply({ kind: 'tick' });
  expect(await ask()).toMatchObject({ operational: false });
});

test('a liquidation is shown step by step, with its arithmetic', async () => {
  const account = edge.core.account('alice', 'main') as AccountIndex;
  const margin = { collateral: amount(-150_000_000n), maintenanceMargin: amount(25n) };
  const events: LiquidationEvent[] = [
    { kind: 'liquidation-ended', account, ...margin },
    {
      ...{ kind: 'collateral-sold', account, phase: 'taken-over', asset: 0 as AssetIndex },
      ...{ given: amount(7n), repaid: amount(500_000_000n), debt: amount(0n) },
    },
    {
      ...{ kind: 'collateral-sold', account, phase: 'paid-out' },
      ...{ given: amount(0n), repaid: amount(1n), debt: amount(0n) },
    },
    {
      ...{ kind: 'liquidation-step', account, market: edge.core.market('BTC-USD-SWAP-LIN') },
      ...{ phase: 'insured', ...margin, lots: -700, sliceLots: 140, bankruptcyTicks: 61_000 },
      ...{ mark: usdPrice(6_050_050_000_000n), filledLots: 100 },
      ...{ help: amount(900_000_000n), fee: amount(0n) },
    },
    { kind: 'liquidation-started', account, ...margin },
  ];
  edge.history.liquidationRows = events.map((event, at) => ({
    ...{ id: BigInt(40 - 8 * at), event, timeMs: 9 },
  }));
  const { data } = await get('/v3/liquidations', 'limit=3');
  const figures = { collateral: '-1.5', maintenanceMargin: '0.00000025' };
  expect(data).toEqual([
    { id: '970000000000000040', event: 'ENDED', ...figures, createdAt: '9' },
    {
      ...{ id: '970000000000000032', event: 'COLLATERAL', phase: 'TAKEN_OVER' },
      ...{ asset: 'OX', given: '0.00000007', repaid: '5.0', debt: '0', createdAt: '9' },
    },
    {
      ...{ id: '970000000000000024', event: 'COLLATERAL', phase: 'PAID_OUT' },
      ...{ repaid: '0.00000001', debt: '0', createdAt: '9' },
    },
    {
      ...{ id: '970000000000000016', event: 'STEP', phase: 'INSURED', ...figures },
      ...{ marketCode: 'BTC-USD-SWAP-LIN', position: '-0.0700', sliceQuantity: '0.0140' },
      ...{ filledQuantity: '0.0100', bankruptcyPrice: '61000.0', markPrice: '60500.5' },
      ...{ help: '9.0', fee: '0', createdAt: '9' },
    },
    { id: '970000000000000008', event: 'STARTED', ...figures, createdAt: '9' },
  ]);
  expect(edge.history.queries).toEqual([
    { account, fromMs: CORE_NOW_MS - 86_400_000, toMs: CORE_NOW_MS, limit: 3 },
  ]);
});
