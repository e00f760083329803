import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { usdPrice } from '../../domain/units.ts';

test('assets that liquidated accounts offer count as work of the command', () => {
  const [accounts, assets] = [150, 100];
  const names = Array.from({ length: accounts }, (_, at) => `f${at}`);
  const venue = venueWith(Object.fromEntries(names.map((name) => [name, { main: {} }])));
  const { state } = venue;
  const like = state.assets[venue.asset('SOL')]?.spec;
  if (like === undefined) throw new Error('the catalogue has SOL');
  const codes = Array.from({ length: assets }, (_, at) => `A${at}`);
  for (const code of codes) {
    venue.apply({ kind: 'define-asset', actor: 'test', asset: { ...like, code } });
  }
  const prices = codes.map((asset) => ({ asset, price: usdPrice(100_000_000n) }));
  venue.apply({ kind: 'set-index-prices', prices });
  // Each owes native and has a little of every asset, for which there is no market.
  for (const name of names) {
    const index = venue.account(name, 'main');
    const purse = (asset: number): number => index * state.ledger.stride + asset;
    state.ledger.available[purse(state.native)] = -(10n ** 15n);
    for (const code of codes) state.ledger.available[purse(venue.asset(code))] = 100n;
    Object.assign(state.accounts[index] ?? {}, { liquidating: true, stepAtMs: venue.nowMs });
    state.liquidating.push(index);
  }
  const sales = (kind: 'tick' | 'continue'): number =>
    venue.apply({ kind }).filter((event) => event.kind === 'collateral-sold').length;
  expect(sales('tick')).toBe(100);
  expect(sales('continue')).toBe(50);
});
