import { afterAll, beforeAll, expect, test } from 'vitest';
import { RialtoClient } from '../../src/client/index.ts';
import { BTC, limit, SPOT, trade } from './trading.ts';
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
let anybody: RialtoClient;
beforeAll(async () => {
  venue = await startVenue();
  anybody = new RialtoClient({ baseUrl: venue.baseUrl });
});
afterAll(() => venue?.stop());

const HOUR_MS = 3_600_000;
const PERPETUALS = ['BTC', 'ETH', 'SOL', 'OX'].map((base) => `${base}-USD-SWAP-LIN`);
const codes = (rows: readonly { marketCode: string }[]) => rows.map(({ marketCode }) => marketCode);

test('every perpetual has an estimate for the next full hour, and no spot market has', async () => {
  const before = Date.now();
  const rows = await anybody.fundingEstimates();
  expect(codes(rows)).toEqual(PERPETUALS);
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(['marketCode', 'fundingAt', 'estFundingRate']);
    expect(Number(row.fundingAt) % HOUR_MS).toBe(0);
    expect(Number(row.fundingAt)).toBeGreaterThan(before - 1_000);
    expect(Number(row.fundingAt)).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    // Books are empty and prices do not move: only the interest, once a second was measured.
    expect(['0.000000000', '0.000004166']).toContain(row.estFundingRate);
  }
  expect(codes(await anybody.fundingEstimates({ marketCode: BTC }))).toEqual([BTC]);
  expect(await anybody.fundingEstimates({ marketCode: SPOT })).toEqual([]);
});

test('every perpetual has tiers that follow upon each other, with exactly six members', async () => {
  const rows = await anybody.leverageTiers();
  expect(codes(rows)).toEqual(PERPETUALS);
  for (const { tiers } of rows) {
    let floor = '0';
    for (const [at, tier] of tiers.entries()) {
      expect(Object.keys(tier)).toEqual([
        ...['tier', 'leverage', 'positionFloor', 'positionCap'],
        ...['initialMargin', 'maintenanceMargin'],
      ]);
      expect(tier).toMatchObject({ tier: String(at + 1), positionFloor: floor });
      expect(Number(tier.initialMargin)).toBe(1 / Number(tier.leverage));
      expect(Number(tier.maintenanceMargin)).toBe(Number(tier.initialMargin) / 2);
      floor = tier.positionCap;
    }
  }
  const [btc] = await anybody.leverageTiers({ marketCode: BTC });
  expect(btc?.tiers[0]).toMatchObject({
    ...{ leverage: '20', positionCap: '100000000' },
    ...{ initialMargin: '0.05', maintenanceMargin: '0.025' },
  });
  expect(await anybody.leverageTiers({ marketCode: SPOT })).toEqual([]);
});

test('rates and payments are lists of the hours that are over; a new venue has had none', async () => {
  const [one, two] = [clientFor(venue), clientFor(venue, 'main', 1)];
  await trade(one, two, limit('SELL', '0.01', '60000'));
  // Unless the test ran through a full hour: then each perpetual has one rate, and each side one payment.
  const rates = await anybody.fundingRates();
  expect([0, 4]).toContain(rates.length);
  for (const rate of rates) {
    expect(Object.keys(rate)).toEqual(['marketCode', 'fundingRate', 'createdAt']);
    expect(rate.fundingRate).toMatch(/^-?\d+\.\d{9}$/);
  }
  expect((await one.funding()).length).toBeLessThanOrEqual(1);
  expect(await anybody.fundingRates({ marketCode: SPOT })).toEqual([]);
  expect(await one.funding({ marketCode: SPOT })).toEqual([]);
  const [wallet] = await one.wallet({ type: 'LIQUIDATION' });
  expect(wallet?.walletHistory).toEqual([]);
  expect(await one.liquidations()).toEqual([]);
});

test('payments and liquidations need a key that may read, and no more', async () => {
  const readOnly = clientOf(venue, keyOf(accountOf(venue, 'main'), 'read'));
  expect(Array.isArray(await readOnly.funding())).toBe(true);
  expect(await readOnly.liquidations()).toEqual([]);
  for (const path of ['/v3/funding', '/v3/liquidations']) {
    expect((await rawCall(venue, { path })).status).toBe(401);
  }
});

test('the refusal of an invalid request says what is wrong', async () => {
  const one = clientFor(venue);
  const week = { startTime: '1', endTime: String(7 * 86_400_000 + 2) };
  const refusals = [
    () => anybody.fundingEstimates({ marketCode: 'NOPE' }),
    () => anybody.leverageTiers({ marketCode: 'NOPE' }),
    () => anybody.fundingRates({ marketCode: 'NOPE' }),
    () => one.funding({ marketCode: 'NOPE' }),
    () => one.funding(week),
    () => anybody.fundingRates(week),
    () => one.liquidations(week),
    () => one.funding({ beforeId: '7' }),
    () => one.liquidations({ limit: '0' }),
  ];
  for (const call of refusals) {
    expect(await refusalOf(call())).toMatchObject({ status: 400, code: '20001' });
  }
});
