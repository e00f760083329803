import { expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../../test/support/core-venue.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import type { Command, IndexPrice } from '../../domain/commands.ts';
import { usdPrice } from '../../domain/units.ts';
import { isTradable } from '../risk/freshness.ts';
import type { Market } from '../state.ts';

const price = (asset: string, text: string, byOperator = false): IndexPrice => ({
  asset,
  price: usdPrice(text.startsWith('-') ? -parts(text.slice(1)) : parts(text)),
  ...(byOperator ? { byOperator: true } : {}),
});
const round = (...prices: IndexPrice[]): Command => ({ kind: 'set-index-prices', prices });
const indexOf = (venue: CoreVenue, code: string): bigint =>
  venue.state.assets[venue.asset(code)]?.indexPrice ?? 0n;
/** The start prices once more: from now on every price has a last one. */
function quoted(funds: Parameters<typeof venueWith>[0] = {}): CoreVenue {
  const venue = venueWith(funds);
  venue.apply(round(price('BTC', '60000'), price('ETH', '3000'), price('OX', '0.01')));
  return venue;
}

test('a price out of range is not taken, and says why; the others of its round are', () => {
  const rows: [string, string][] = [
    ['0', 'price 0 is not above 0'],
    ['-1', 'price -1 is not above 0'],
    ['1000000000.00000001', 'price 1000000000.00000001 > maximum 1000000000'],
    ['1200000.00000001', 'price 1200000.00000001 > 20 times the last accepted 60000'],
    ['2999.99999999', 'price 2999.99999999 < 1/20 of the last accepted 60000'],
  ];
  for (const [text, message] of rows) {
    const venue = quoted();
    const events = venue.apply(round(price('BTC', text), price('ETH', '3100')));
    expect(events[0]).toMatchObject({ kind: 'index-price-refused', message });
    expect(events[1]).toMatchObject({
      kind: 'index-prices-set',
      prices: [{ price: parts('3100') }],
    });
    expect(indexOf(venue, 'BTC')).toBe(parts('60000'));
    expect(indexOf(venue, 'ETH')).toBe(parts('3100'));
  }
});

test('twenty times and a twentieth are within range, and wait for a second round like any jump', () => {
  for (const text of ['1200000', '3000']) {
    const venue = quoted();
    expect(venue.outcome(round(price('BTC', text)))).toBe('index-prices-set');
    expect(indexOf(venue, 'BTC')).toBe(parts('60000'));
    venue.apply(round(price('BTC', text)));
    expect(indexOf(venue, 'BTC')).toBe(parts(text));
  }
});

test('the first price after genesis, and one that an operator sets, may be any factor away', () => {
  const first = venueWith({});
  for (let i = 0; i < 2; i++) first.apply(round(price('BTC', '1')));
  expect(indexOf(first, 'BTC')).toBe(parts('1'));
  expect(first.outcome(round(price('BTC', '21')))).toBe('index-price-refused');
  for (let i = 0; i < 2; i++) first.apply(round(price('BTC', '60000', true)));
  expect(indexOf(first, 'BTC')).toBe(parts('60000'));
  // Nobody may go beyond what the venue can count with.
  expect(first.outcome(round(price('BTC', '1000000001', true)))).toBe('index-price-refused');
});

test('an asset whose prices are refused grows stale', () => {
  const venue = quoted();
  const market = venue.state.markets[venue.market('BTC-USD-SWAP-LIN')] as Market;
  for (let second = 0; second < 31; second++) {
    venue.nowMs += 1_000;
    venue.apply(round(price('BTC', '5000000'), price('OX', '0.01')));
  }
  expect(isTradable(venue.state, market)).toBe(false);
});

test('a round that names an asset twice does not count, nor one of an asset that nobody knows', () => {
  const venue = quoted();
  const twice = round(price('BTC', '61000'), price('BTC', '62000'));
  expect(venue.outcome(twice)).toBe('PARAMETER_INVALID');
  expect(venue.outcome(round(price('BTC', '61000'), price('XYZ', '1')))).toBe('ASSET_UNKNOWN');
  expect(indexOf(venue, 'BTC')).toBe(parts('60000'));
});

test('the highest price there is breaks nothing: rounds, ticks, hours, marks of the finest tick', () => {
  const venue = quoted({ a: { main: { OX: '5000000' } }, b: { main: { OX: '5000000' } } });
  const fine = venue.state.markets[venue.market('OX-USD-SWAP-LIN')]?.spec as Market['spec'];
  venue.apply({
    kind: 'define-market',
    actor: 'test',
    market: { ...fine, code: 'BTC-USD-FINE', base: 'BTC', priceScale: 8 },
  });
  for (const [who, side] of [
    ['a', 'BUY'],
    ['b', 'SELL'],
  ] as const) {
    const orders = [limitOrder(venue.market('BTC-USD-SWAP-LIN'), side, 60_000, 1_000)];
    const by = { key: venue.key(who, 'main', 'trade') };
    venue.apply({ kind: 'place-orders', by, source: 11, orders });
  }
  for (const text of ['1000000000', '0.00000001']) {
    for (let second = 0; second < 4_000; second++) {
      venue.nowMs += 1_000;
      if (second % 20 === 0) {
        const others = ['OX', 'USDT', 'ETH'].map((asset) => price(asset, '0.00000001', true));
        venue.apply(round(price('BTC', text, true), ...others));
      }
      venue.apply({ kind: 'tick' });
    }
    expect(indexOf(venue, 'BTC')).toBe(parts(text));
  }
});
