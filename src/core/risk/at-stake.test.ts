import { expect, test } from 'vitest';
import { parts, venueWith } from '../../../test/support/core-venue.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import type { Command } from '../../domain/commands.ts';
import type { Side } from '../../domain/terms.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { isIdle } from '../venue.ts';

/** Both have money; the first has no native asset, so that a loss becomes a debt. */
function scene() {
  const venue = venueWith({
    alice: { main: { USDT: '10000' } },
    bob: { main: { OX: '1000000' } },
  });
  const market = venue.market('BTC-USD-SWAP-LIN');
  const by = (family: string) => ({ key: venue.key(family, 'main', 'trade') });
  const order = (family: string, side: Side, priceTicks: number): Command => ({
    kind: 'place-orders',
    by: by(family),
    source: 11,
    orders: [limitOrder(market, side, priceTicks, 100)],
  });
  return { venue, by, order };
}

test('nothing is at stake without orders, positions and debts', () => {
  const { venue, by, order } = scene();
  const idle = (): boolean => isIdle(venue.state);
  expect(idle()).toBe(true);
  expect(venue.outcome(order('bob', 'SELL', 60_000))).toBe('order-opened');
  expect(idle()).toBe(false);
  venue.apply({ kind: 'cancel-all', by: by('bob') });
  expect(idle()).toBe(true);
  venue.apply(order('bob', 'SELL', 60_000));
  venue.apply(order('alice', 'BUY', 60_000));
  expect([venue.state.orders.openCount, idle()]).toEqual([0, false]);
});

test('a debt is at stake: prices decide whether its collateral suffices', () => {
  const { venue, order } = scene();
  const native = (family: string): bigint => {
    const purse = purseOf(venue.state.ledger, venue.account(family, 'main'), venue.asset('OX'));
    return availableIn(venue.state.ledger, purse);
  };
  venue.apply(order('bob', 'SELL', 60_000));
  venue.apply(order('alice', 'BUY', 60_000));
  venue.apply(order('bob', 'BUY', 59_000));
  venue.apply(order('alice', 'SELL', 59_000));
  const positions = venue.state.markets.map(({ openInterestLots }) => openInterestLots);
  expect([venue.state.orders.openCount, ...positions.filter((lots) => lots > 0)]).toEqual([0]);
  expect(native('alice')).toBeLessThan(parts('0'));
  expect(isIdle(venue.state)).toBe(false);
});
