import { describe, expect, test } from 'vitest';
import { type CoreVenue, parts, START_MS, venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { usdPrice } from '../../domain/units.ts';
import { audit } from '../audit/audit.ts';
import { view } from '../views/views.ts';
import { DAY_MS } from './fees.ts';

const RICH = { OX: '100000000', USDT: '10000000', BTC: '1000' };

describe('the whole fee is in the first asset that covers it, to the last part', () => {
  const perpetual: [funds: Record<string, string>, fee: string, asset: string][] = [
    // 1 lot at 60,000 is worth 600 OX, of which 0.07 % are 0.42 OX or 0.0042 USDT.
    [{ ETH: '1', OX: '0.42', USDT: '1' }, '0.42', 'OX'],
    [{ ETH: '1', OX: '0.41999999', USDT: '0.0042' }, '0.0042', 'USDT'],
    [{ ETH: '1', OX: '0.41999999', USDT: '0.00419999' }, '0.42', 'OX'],
  ];
  test.each(perpetual)('a perpetual, with %o', (funds, fee, asset) => {
    expect(feeOf(funds, 'BTC-USD-SWAP-LIN', 60_000)).toEqual([fee, asset]);
  });

  const spot: [funds: Record<string, string>, fee: string, asset: string][] = [
    // 0.00001 BTC for 0.6 USDT: 0.07 % of it are 0.042 OX at an index of 0.01, or 0.00042 USDT.
    [{ USDT: '1.6', OX: '0.042' }, '0.042', 'OX'],
    [{ USDT: '0.60042', OX: '0.04199999' }, '0.00042', 'USDT'],
    [{ USDT: '0.60041999', OX: '0.04199999' }, '0.00000001', 'BTC'],
  ];
  test.each(spot)('spot, with %o', (funds, fee, asset) => {
    expect(feeOf(funds, 'BTC-USDT', 6_000_000)).toEqual([fee, asset]);
  });
});

/** What a taker with these funds pays for one lot, and in which asset. */
function feeOf(funds: Record<string, string>, market: string, ticks: number): [string, string] {
  const venue = venueWith({ rich: { main: RICH }, taker: { main: funds } });
  const scene = new Golden(venue, market);
  scene.do(`rich sell 1 @ ${ticks}`);
  const events = venue.apply({
    kind: 'place-orders',
    by: { key: venue.key('taker', 'main', 'trade') },
    source: 11,
    orders: [scene.order(`buy 1 @ ${ticks}`)],
  });
  const [matched] = events.flatMap((event) => (event.kind === 'order-matched' ? [event] : []));
  expect(audit(venue.state).faults).toEqual([]);
  const code = venue.state.assets[matched?.taker.feeAsset ?? -1]?.spec.code ?? 'none';
  return [textFromParts(matched?.taker.fee ?? 0n, 8), code];
}

describe('tiers are set at 00:00 UTC, by what is held or by what was traded', () => {
  test('a thousand dollars of native are enough, in orders or not; less is not', () => {
    const held = (text: string): CoreVenue =>
      venueWith({ some: { main: { OX: text } }, rich: { main: RICH } });
    const enough = held('100000');
    expect(tierOf(enough)).toBe(1);
    nextDay(enough);
    expect(tierOf(enough)).toBe(2);
    const inOrders = held('100000');
    new Golden(inOrders, 'OX-USDT').do('some sell 100000 @ 1200');
    nextDay(inOrders);
    expect(tierOf(inOrders)).toBe(2);
    const less = held('99999.99999999');
    nextDay(less);
    expect(tierOf(less)).toBe(1);
  });

  test('2.5 million OX of volume are enough, counted at the index of what was paid with', () => {
    const rows: [usdt: string, lots: number, tier: number][] = [
      // 41,666 lots of 0.00001 BTC at 60,000 are 24,999.60 USDT: a little less than 2.5 million OX.
      ['1', 41_666, 1],
      ['1', 41_667, 2],
      ['0.95', 43_859, 1],
      ['0.95', 43_860, 2],
    ];
    for (const [usdt, lots, tier] of rows) {
      const venue = venueWith({ some: { main: { USDT: '40000' } }, rich: { main: RICH } });
      venue.apply({
        kind: 'set-index-prices',
        prices: [{ asset: 'USDT', price: usdPrice(parts(usdt)) }],
      });
      trade(venue, 'some', lots);
      nextDay(venue);
      expect(tierOf(venue), `${lots} lots at ${usdt}`).toBe(tier);
    }
  });

  test('what accounts of a family trade with each other does not count', () => {
    const venue = venueWith({ some: { main: { USDT: '40000' }, sub: { BTC: '1' } } });
    const by = { key: venue.key('some', 'sub', 'trade') };
    const scene = new Golden(venue, 'BTC-USDT');
    const orders = [scene.order('sell 50000 @ 6000000')];
    venue.apply({ kind: 'place-orders', by, source: 11, orders });
    expect(scene.do('some buy 50000 @ 6000000')).toHaveLength(3);
    nextDay(venue);
    expect(tierOf(venue)).toBe(1);
  });

  test('volume counts for thirty days, whether or not anything happened on them', () => {
    const traded = (): CoreVenue => {
      const venue = venueWith({ some: { main: { USDT: '40000' } }, rich: { main: RICH } });
      trade(venue, 'some', 50_000);
      return venue;
    };
    const daily = traded();
    for (let day = 1; day <= 30; day++) {
      nextDay(daily);
      expect(tierOf(daily), `day ${day}`).toBe(2);
    }
    nextDay(daily);
    expect(tierOf(daily)).toBe(1);
    const rows: [days: number, tier: number][] = [
      [29, 2],
      [30, 2],
      [31, 1],
      [32, 1],
      [60, 1],
      [61, 1],
    ];
    for (const [days, tier] of rows) {
      const venue = traded();
      nextDay(venue, days);
      expect(tierOf(venue), `after ${days} days`).toBe(tier);
    }
  });
});

/** So many lots of BTC-USDT at 60,000, with somebody of another family. */
function trade(venue: CoreVenue, who: string, lots: number): void {
  const scene = new Golden(venue, 'BTC-USDT');
  scene.do(`rich sell ${lots} @ 6000000`);
  expect(scene.do(`${who} buy ${lots} @ 6000000`).at(-1)).toContain('FILLED');
}

/** Midnight comes so often, and then a command. */
function nextDay(venue: CoreVenue, days = 1): void {
  venue.nowMs = (Math.floor(venue.nowMs / DAY_MS) + days) * DAY_MS;
  venue.apply({ kind: 'tick' });
}

function tierOf(venue: CoreVenue): number | undefined {
  expect(venue.nowMs).toBeGreaterThanOrEqual(START_MS);
  const [seen] = view(venue.state, 'accounts', { accounts: [venue.account('some', 'main')] });
  return seen?.feeTier;
}
