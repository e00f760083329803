import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import type { Market } from '../state.ts';
import { impactPrice } from './impact-price.ts';

const RICH = { OX: '1000000000', USDT: '10000000' };

/** What the orders of `bob` make of one side; 1 million OX in bitcoin, 200,000 in SOL. */
function priceOf(orders: readonly string[], side: SideCode, code = 'BTC-USD-SWAP-LIN') {
  const venue = venueWith({ bob: { main: RICH }, alice: { main: RICH } });
  const scene = new Golden(venue, code);
  for (const order of orders) expect(scene.do(order)[0]).not.toContain('refused');
  const price = impactPrice(venue.state.markets[venue.market(code)] as Market, side);
  return price === undefined ? undefined : textFromParts(price, 8);
}

test('the average price of the impact notional, of the last price only what is needed', () => {
  // 1,000 lots are worth 600,000 OX; 400,000 / 610 = 655.737... lots more make 0.1655737... BTC.
  expect(priceOf(['bob sell 1000 @ 60000', 'bob sell 9000 @ 61000'], SELL)).toBe('60396.03960396');
  expect(priceOf(['bob buy 1000 @ 60000', 'bob buy 9000 @ 59000'], BUY)).toBe('59595.95959596');
});

test('one price is its own average, whatever the lots leave over', () => {
  expect(priceOf(['bob sell 1667 @ 60000'], SELL)).toBe('60000');
  expect(priceOf(['bob sell 1000000 @ 60001'], SELL)).toBe('60001');
});

test('a side that does not hold so much is absent', () => {
  expect(priceOf([], SELL)).toBeUndefined();
  // 1,666 lots are worth 999,600 OX.
  expect(priceOf(['bob sell 1666 @ 60000'], SELL)).toBeUndefined();
  expect(priceOf(['bob sell 1667 @ 60000'], BUY)).toBeUndefined();
});

test('only what is shown counts, and nothing of orders that only reduce', () => {
  expect(priceOf(['bob sell 3000 @ 60000 show 1666'], SELL)).toBeUndefined();
  expect(priceOf(['bob sell 3000 @ 60000 show 1667'], SELL)).toBe('60000');
  const reducing = [
    'bob sell 5000 @ 60000',
    'alice buy 5000 @ 60000',
    'alice sell 5000 @ 60100 reduceOnly',
  ];
  expect(priceOf(reducing, SELL)).toBeUndefined();
  expect(priceOf([...reducing, 'bob sell 1700 @ 60200'], SELL)).toBe('60200');
  expect(priceOf([...reducing, 'bob sell 1700 @ 60100'], SELL)).toBe('60100');
});

test('lots that only reduce leave the sum of their price as they are filled, cancelled and amended', () => {
  const venue = venueWith({ bob: { main: RICH }, alice: { main: RICH } });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('bob sell 5000 @ 60000');
  scene.do('alice buy 5000 @ 60000');
  scene.do('alice sell 3000 @ 60100 show 1000 reduceOnly');
  scene.do('bob sell 1664 @ 60100');
  const { book } = venue.state.markets[0] as Market;
  const reducing = () => book.levels.reducingLots[book.bestAsk];
  expect(reducing()).toBe(1_000);
  scene.do('bob buy 400 @ 60100');
  expect(reducing()).toBe(600);
  scene.do('bob buy 600 @ 60100');
  expect(reducing()).toBe(1_000);
  scene.do('alice amend a2 1500');
  expect(reducing()).toBe(500);
  scene.do('alice cancel a2');
  expect(reducing()).toBe(0);
});

test('the impact notional is a setting of the market', () => {
  // 200,000 OX are 13.33... SOL at 150.
  expect(priceOf(['bob sell 1334 @ 15000'], SELL, 'SOL-USD-SWAP-LIN')).toBe('150');
  expect(priceOf(['bob sell 1333 @ 15000'], SELL, 'SOL-USD-SWAP-LIN')).toBeUndefined();
});
