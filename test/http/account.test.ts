import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accountOf,
  clientFor,
  clientOf,
  keyOf,
  refusalOf,
  startVenue,
  type Venue,
} from './venue.ts';

let venue: Venue;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue?.stop());

const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name);

test('a fresh demo account is there, with its money and without positions', async () => {
  const [main, ...others] = await clientFor(venue).account();
  expect(others).toEqual([]);
  expect(main).toMatchObject({
    accountId: accountOf(venue, 'main').accountId,
    name: 'main',
    accountType: 'PORTFOLIO',
    notionalPositionSize: '0',
    portfolioVarMargin: '0',
    maintenanceMargin: '0',
    marginRatio: '0',
    liquidating: false,
    feeTier: '1',
  });
  expect(main).not.toHaveProperty('positions');
  expect(Number(main?.createdAt)).toBeGreaterThan(1_700_000_000_000);
  expect(Number(main?.collateral)).toBeGreaterThan(0);
});

test('every field of an account is text, but the flag and the lists', async () => {
  const [main] = await clientFor(venue).account();
  for (const [name, value] of Object.entries(main ?? {})) {
    if (name === 'liquidating') expect(typeof value).toBe('boolean');
    else if (name === 'balances') expect(Array.isArray(value)).toBe(true);
    else expect(typeof value, name).toBe('string');
  }
});

test('balances are what the demo was given: total = available + reserved', async () => {
  const [main] = await clientFor(venue, 'main', 1).balances();
  const totals = Object.fromEntries(
    (main?.balances ?? []).map(({ asset, total }) => [asset, total]),
  );
  expect(totals).toEqual({
    USDT: '1000000',
    BTC: '100',
    ETH: '1000',
    SOL: '10000',
    OX: '100000000',
  });
  for (const balance of main?.balances ?? []) {
    // One withdrawal of the second family waits for operators.
    const held = balance.asset === 'SOL' ? { available: '9000', reserved: '1000' } : undefined;
    expect(balance).toMatchObject(held ?? { available: balance.total, reserved: '0' });
    expect(balance.lastUpdatedAt).toMatch(/^\d{13}$/);
  }
});

test('one asset can be asked for; one that was never held has no balance', async () => {
  const rialto = clientFor(venue);
  expect((await rialto.balances({ asset: 'BTC' }))[0]?.balances).toHaveLength(1);
  expect((await rialto.balances({ asset: 'XRP' }))[0]?.balances).toEqual([]);
});

test('sub-accounts come after main, in the order asked for, each once, unknown ones not at all', async () => {
  const rialto = clientFor(venue);
  const subAcc = 'desk-b,nobody,desk-a,desk-b,main';
  expect(names(await rialto.balances({ subAcc }))).toEqual(['main', 'desk-b', 'desk-a']);
  expect(names(await rialto.account({ subAcc }))).toEqual(['main', 'desk-b', 'desk-a']);
});

test('a sub-account key sees itself alone', async () => {
  const desk = clientFor(venue, 'desk-a');
  expect(names(await desk.balances({ subAcc: 'main,desk-b' }))).toEqual(['desk-a']);
  expect(names(await desk.account({ subAcc: 'main' }))).toEqual(['desk-a']);
});

test('ten names are taken and eleven refused, five and six for the wallet', async () => {
  const rialto = clientFor(venue);
  const many = (count: number): string =>
    Array.from({ length: count }, (_, index) => `n${index}`).join();
  expect(names(await rialto.balances({ subAcc: many(10) }))).toEqual(['main']);
  const calls = [
    () => rialto.account({ subAcc: many(11) }),
    () => rialto.balances({ subAcc: many(11) }),
    () => rialto.positions({ subAcc: many(11) }),
    () => rialto.wallet({ subAcc: many(6) }),
  ];
  for (const call of calls) {
    expect(await refusalOf(call())).toMatchObject({ status: 400, code: '20001' });
  }
});

test('names are those of the sub-accounts, for any parent key and for no other', async () => {
  const readOnly = clientOf(venue, keyOf(accountOf(venue, 'main'), 'read'));
  const rows = ['desk-a', 'desk-b'].map((name) => accountOf(venue, name));
  expect(await readOnly.accountNames()).toEqual(
    rows.map(({ accountId, name }) => ({ accountId, name })),
  );
  const refusal = await refusalOf(clientFor(venue, 'desk-a').accountNames());
  expect(refusal).toMatchObject({ status: 403, code: '05001' });
});

test('there are no positions: an empty list', async () => {
  const rialto = clientFor(venue);
  expect(await rialto.positions({ subAcc: 'desk-a' })).toEqual([]);
  expect(await rialto.positions({ marketCode: 'BTC-USD-SWAP-LIN' })).toEqual([]);
});

test('the clock of the engine is reported', async () => {
  const { timestamp, iso } = await clientFor(venue).time();
  expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(5_000);
  expect(Date.parse(iso)).toBe(Number(timestamp));
});
