import { expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { price, RICH } from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import type { Account, Market } from '../state.ts';
import { planStep, type StepPlan } from './liquidation-plan.ts';
import { marginOf } from './margin.ts';

/** The next step of `thin`, whatever its ratio is. */
function planOf(venue: CoreVenue): StepPlan {
  const row = venue.account('thin', 'main');
  const plan = planStep(venue.state, row, venue.state.accounts[row] as Account);
  if (plan === undefined) throw new Error('thin has a position');
  return plan;
}

function collateralOf(venue: CoreVenue): bigint {
  const row = venue.account('thin', 'main');
  return marginOf(venue.state, row, venue.state.accounts[row] as Account).collateral;
}

test('each position may use up its share of the collateral, so that all closed at their prices leave nothing', () => {
  const venue = venueWith({ thin: { main: { OX: '400000' } }, rich: { main: RICH } });
  const btc = new Golden(venue, 'BTC-USD-SWAP-LIN');
  const eth = new Golden(venue, 'ETH-USD-SWAP-LIN');
  btc.do('rich sell 6000 @ 60000');
  btc.do('thin buy 6000 @ 60000');
  eth.do('rich buy 10000 @ 30000');
  eth.do('thin sell 10000 @ 30000');
  const collateral = collateralOf(venue);
  const first = planOf(venue);
  expect([first.market, first.lots]).toEqual([0, 6_000]);
  // The larger margin of the two: 90,000 OX of 165,000. 6/11 of C over 0.6 BTC, up to the tick.
  const share = (collateral * 90_000n) / 165_000n;
  const perTick = 6_000n * (venue.state.markets[0] as Market).perTickLot;
  expect(BigInt(60_000 - first.bankruptcyTicks)).toBe(share / perTick);
});

test('of two positions with the same margin that of the older market is closed first', () => {
  const venue = venueWith({ thin: { main: { OX: '400000' } }, rich: { main: RICH } });
  const btc = new Golden(venue, 'BTC-USD-SWAP-LIN');
  const eth = new Golden(venue, 'ETH-USD-SWAP-LIN');
  eth.do('rich buy 10000 @ 30000');
  eth.do('thin sell 10000 @ 30000');
  btc.do('rich sell 5000 @ 60000');
  btc.do('thin buy 5000 @ 60000');
  expect(planOf(venue).market).toBe(venue.market('BTC-USD-SWAP-LIN'));
});

test('with collateral left the price stays inside the band; without, it goes where it must', () => {
  const venue = venueWith({ thin: { main: { OX: '700000' } }, rich: { main: RICH } });
  const known = venue.state.markets[0]?.spec;
  if (known === undefined) throw new Error('no market');
  venue.apply({
    kind: 'define-market',
    actor: 'test',
    market: {
      ...known,
      code: 'NARROW-USD-SWAP-LIN',
      band: 10_000_000n,
      tiers: [{ leverage: 10, notionalCap: 10n ** 18n }],
    },
  });
  const scene = new Golden(venue, 'NARROW-USD-SWAP-LIN');
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  // 700,000 OX are 7,000 USD below the mark, the band ends 600 below it.
  expect(planOf(venue).bankruptcyTicks).toBe(59_400);
  price(venue, { BTC: '54500' });
  price(venue, { BTC: '52000' });
  expect(collateralOf(venue)).toBeLessThan(0n);
  const { upperTicks } = (venue.state.markets.at(-1) as Market).price;
  expect(planOf(venue).bankruptcyTicks).toBeGreaterThan(upperTicks);
});

test('a slice is a fifth of what there was at the start, or what brings the ratio to 80', () => {
  const venue = venueWith({ thin: { main: { OX: '400000' } }, rich: { main: RICH } });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  price(venue, { BTC: '57400' });
  const { sliceLots, collateral, maintenance } = planOf(venue);
  expect(maintenance).toBeGreaterThanOrEqual(collateral);
  // MM is proportional to the lots here: MM x left / 10,000 = 0.8 C, up to a whole lot.
  const kept = Number((collateral * 8_000n) / maintenance);
  expect(sliceLots).toBe(10_000 - kept);
  expect(sliceLots).toBeGreaterThan(2_000);
});

test('without collateral nothing brings the ratio to 80, and all is closed, whatever netting leaves of the margin', () => {
  const venue = venueWith({ thin: { main: { OX: '900000' } }, rich: { main: RICH } });
  const known = venue.state.markets[0]?.spec;
  if (known === undefined) throw new Error('no market');
  const market = { ...known, code: 'OTHER-USD-SWAP-LIN' };
  venue.apply({ kind: 'define-market', actor: 'test', market });
  price(venue, { BTC: '60000' });
  const [one, other] = [known.code, market.code].map((code) => new Golden(venue, code));
  one?.do('rich sell 10000 @ 60000');
  one?.do('thin buy 10000 @ 60000');
  other?.do('rich buy 9000 @ 60000');
  other?.do('thin sell 9000 @ 60000');
  // Taken away by hand: with netted legs hardly any price does it.
  venue.state.ledger.available[venue.account('thin', 'main') * venue.state.ledger.stride] = -1n;
  expect(collateralOf(venue)).toBeLessThanOrEqual(0n);
  const { lots, sliceLots } = planOf(venue);
  expect(sliceLots).toBe(Math.abs(lots));
});
