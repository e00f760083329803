import { expect, test } from 'vitest';
import { parts, venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import { defaultCatalogue } from '../../defaults/catalogue.ts';
import { view } from './views.ts';

test('whatever is looked at, nothing changes: not a bit of the state', () => {
  const venue = venueWith({
    alice: { main: { OX: '100000', USDT: '1000', BTC: '1' } },
    bob: { main: { OX: '100000', USDT: '1000' } },
  });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('bob sell 100 @ 60000');
  scene.do('alice buy 50 @ 60000');
  scene.do('alice buy 5 @ 59000');
  new Golden(venue, 'BTC-USDT').do('alice sell 1000 @ 6100000');
  const before = venue.bytes();
  const account = venue.account('alice', 'main');
  const market = venue.market('BTC-USD-SWAP-LIN');
  const { state } = venue;
  view(state, 'accounts', { accounts: [account] });
  view(state, 'balances', { accounts: [account] });
  view(state, 'positions', { accounts: [account] });
  view(state, 'orders', { account });
  view(state, 'depth', { market, levels: 5 });
  view(state, 'markets', {});
  const order = limitOrder(market, 'BUY', 60_000, 70);
  const preview = view(state, 'preview', { account, order });
  expect(preview).toMatchObject({ refused: undefined, fills: [{ priceTicks: 60_000, lots: 50 }] });
  const fill = { market, side: 'SELL', lots: 10, priceTicks: 60_100 } as const;
  view(state, 'estimate', { account, prices: [], fills: [fill], orders: [fill] });
  expect(Buffer.compare(venue.bytes(), before)).toBe(0);
});

test('an estimate of fills beyond what the ledger can hold has no figures', () => {
  const venue = venueWith({ alice: { main: { OX: '40000000000', USDT: '40000000000' } } });
  const account = venue.account('alice', 'main');
  const estimated = (code: string, lots: number, priceTicks: number) => {
    const fill = { market: venue.market(code), side: 'SELL', lots, priceTicks } as const;
    return view(venue.state, 'estimate', { account, prices: [], fills: [fill], orders: [] });
  };
  const usdt = venue.asset('USDT');
  const sold = estimated('BTC-USDT', 10_000, 6_000_000);
  expect(sold?.balances.find(({ asset }) => asset === usdt)?.available).toBeGreaterThan(
    parts('40000000000'),
  );
  expect(estimated('BTC-USDT', 20_000_000_000, 6_000_000)).toBeUndefined();
  expect(estimated('BTC-USD-SWAP-LIN', 100, 60_000)?.positions).toHaveLength(1);
  expect(estimated('BTC-USD-SWAP-LIN', 10_000_000_000, 60_000)).toBeUndefined();
});

test('an estimate of more of a cheap asset than the ledger can hold has no figures, filled or open', () => {
  const venue = venueWith({ alice: { main: { USDT: '1000' } } });
  const account = venue.account('alice', 'main');
  const market = venue.market('OX-USDT');
  // A lot is 10^8 parts, and 2^62 of them are worth less than 500,000 USDT.
  const sale = (lots: number) => ({ market, side: 'SELL', lots, priceTicks: 1 }) as const;
  const asked = { account, prices: [], fills: [], orders: [] };
  const some = sale(20_000_000_000);
  expect(view(venue.state, 'estimate', { ...asked, fills: [some, some] })).toBeDefined();
  expect(view(venue.state, 'estimate', { ...asked, orders: [some, some] })).toBeDefined();
  const many = [some, some, some];
  expect(
    view(venue.state, 'estimate', { ...asked, fills: [sale(50_000_000_000)] }),
  ).toBeUndefined();
  expect(view(venue.state, 'estimate', { ...asked, fills: many })).toBeUndefined();
  expect(view(venue.state, 'estimate', { ...asked, orders: many })).toBeUndefined();
});

test('an estimate lists what it supposes of an asset that the account never had', () => {
  const venue = venueWith({ alice: { main: { OX: '100' } } });
  const account = venue.account('alice', 'main');
  const change = { asset: venue.asset('USDC'), parts: parts('7') };
  const asked = { account, prices: [], fills: [], orders: [], changes: [change] };
  const estimated = view(venue.state, 'estimate', asked);
  expect(estimated?.balances.map(({ available }) => available)).toEqual([parts('100'), parts('7')]);
  const added = estimated?.balances.reduce((sum, one) => sum + one.collateralValue, 0n);
  expect(added).toBe(estimated?.collateral);
});

test('what a preview promises is what placing the order then does', () => {
  const venue = venueWith({ alice: { main: { OX: '100000' } }, bob: { main: { OX: '100000' } } });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('bob sell 10 @ 60000');
  scene.do('bob sell 10 @ 60010');
  const account = venue.account('alice', 'main');
  const order = limitOrder(venue.market('BTC-USD-SWAP-LIN'), 'BUY', 60_010, 25);
  const promised = view(venue.state, 'preview', { account, order });
  scene.do('alice buy 25 @ 60010');
  const [after] = view(venue.state, 'accounts', { accounts: [account] });
  for (const name of ['collateral', 'initialMargin', 'maintenanceMargin', 'marginRatio'] as const) {
    expect(promised.account[name]).toBe(after?.[name]);
  }
  expect(promised.account.positions[0]?.liquidationPrice).toBe(
    after?.positions[0]?.liquidationPrice,
  );
});

test('long and short legs on one base are netted for PORTFOLIO accounts', () => {
  const venue = venueWith({
    alice: { main: { OX: '1000000' } },
    bob: { main: { OX: '10000000' } },
  });
  const spec = venue.state.markets[0]?.spec;
  if (spec === undefined) throw new Error('no market');
  venue.apply({ kind: 'define-market', actor: 't', market: { ...spec, code: 'BTC-USD-SWAP-TWO' } });
  const one = new Golden(venue, 'BTC-USD-SWAP-LIN');
  const two = new Golden(venue, 'BTC-USD-SWAP-TWO');
  one.do('bob sell 1000 @ 60000');
  one.do('alice buy 1000 @ 60000');
  two.do('bob buy 400 @ 60000');
  two.do('alice sell 400 @ 60000');
  const [account] = view(venue.state, 'accounts', { accounts: [venue.account('alice', 'main')] });
  // 600,000 and 240,000 OX of notional at 2.5 %: 15,000 - 0.75 x 6,000.
  expect(account?.maintenanceMargin).toBe(10_500n * 10n ** 8n);
  expect(account?.initialMargin).toBe(21_000n * 10n ** 8n);
});

test('what each asset adds makes up the collateral, beside unrealised PnL', () => {
  const venue = venueWith({
    alice: { main: { OX: '100000', USDT: '1000', BTC: '1' } },
    bob: { main: { OX: '10000000' } },
  });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('bob sell 50 @ 60010');
  scene.do('alice buy 50 @ 60010');
  // A part of the bitcoin is reserved: it has its worth, and backs nothing.
  new Golden(venue, 'BTC-USDT').do('alice sell 1000 @ 6100000');
  const { assets } = venue.state;
  const [account] = view(venue.state, 'accounts', { accounts: [venue.account('alice', 'main')] });
  const unrealised = account?.positions.reduce((sum, one) => sum + one.unrealised, 0n) ?? 0n;
  const added = account?.balances.reduce((sum, one) => sum + one.collateralValue, 0n) ?? 0n;
  expect(unrealised).toBeLessThan(0n);
  expect(added + unrealised).toBe(account?.collateral);
  const bitcoin = account?.balances.find(({ asset }) => assets[asset]?.spec.code === 'BTC');
  expect(bitcoin?.reserved).toBeGreaterThan(0n);
  // 60,000 USD, and 100 OX are one.
  expect(bitcoin?.value).toBe(6_000_000n * 10n ** 8n);
  expect(bitcoin?.collateralValue).toBeGreaterThan(0n);
  expect(bitcoin?.collateralValue).toBeLessThan(bitcoin?.value ?? 0n);
});

test('what does not back an account of its type adds nothing, and is worth what it is', () => {
  const venue = venueWith({ alice: { main: { OX: '1', USDT: '1000', BTC: '1' } } });
  const index = venue.account('alice', 'main');
  const found = venue.state.accounts[index];
  if (found === null || found === undefined) throw new Error('no account');
  venue.state.accounts[index] = { ...found, accountType: 'LINEAR' };
  const [account] = view(venue.state, 'accounts', { accounts: [index] });
  const adds = account?.balances.map(({ asset, value, collateralValue }) => [
    venue.state.assets[asset]?.spec.code,
    value > 0n,
    collateralValue > 0n,
  ]);
  expect(adds).toContainEqual(['BTC', true, false]);
  expect(adds).toContainEqual(['USDT', true, true]);
});

test('what an account with many positions shows costs a step for each, not one for each pair', () => {
  const [some, twice] = [20, 40].map(stepsOfPositions) as [number, number];
  expect(some).toBeGreaterThan(20);
  expect(twice).toBeLessThan(2.5 * some);
});

/** The steps from standing to standing that the views of an account take, with positions in so many markets. */
function stepsOfPositions(count: number): number {
  const venue = venueWith({ alice: { main: { OX: '1000000' } }, bob: { main: { OX: '1000000' } } });
  const found = defaultCatalogue('test').find((step) => step.kind === 'define-market');
  if (found?.kind !== 'define-market') throw new Error('the catalogue has a market');
  for (let at = 0; at < count; at++) {
    const code = `BTC-USD-SWAP-${at}`;
    venue.apply({ ...found, market: { ...found.market, code } });
    const scene = new Golden(venue, code);
    scene.do('bob sell 2 @ 60000');
    scene.do('alice buy 2 @ 60000');
  }
  const { standings } = venue.state;
  let steps = 0;
  standings.next = new Proxy(standings.next, {
    get: (column, at) => {
      steps++;
      return Reflect.get(column, at);
    },
  });
  const account = venue.account('alice', 'main');
  const [shown] = view(venue.state, 'positions', { accounts: [account] });
  expect(shown?.positions).toHaveLength(count);
  expect(view(venue.state, 'accounts', { accounts: [account] })[0]?.positions).toHaveLength(count);
  return steps;
}
