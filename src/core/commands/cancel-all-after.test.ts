import { expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { price } from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import type { Command } from '../../domain/commands.ts';
import type { MarketIndex } from '../../domain/units.ts';
import { snapshotOf, stateFrom } from '../snapshot.ts';
import { isIdle } from '../venue.ts';

/** Two accounts with an order in each of two markets. */
function scene() {
  const venue = venueWith({ alice: { main: { OX: '1000000' } }, bob: { main: { OX: '1000000' } } });
  const [btc, eth] = [venue.market('BTC-USD-SWAP-LIN'), venue.market('ETH-USD-SWAP-LIN')];
  const by = (family: string) => ({ key: venue.key(family, 'main', 'trade') });
  for (const family of ['alice', 'bob']) {
    const orders = [limitOrder(btc, 'BUY', 59_000, 10), limitOrder(eth, 'BUY', 29_000, 10)];
    venue.apply({ kind: 'place-orders', by: by(family), source: 11, orders });
  }
  const after = (timeoutMs: number, family = 'alice', market?: typeof btc): Command => ({
    ...{ kind: 'cancel-all-after', by: by(family), timeoutMs },
    ...(market === undefined ? {} : { market }),
  });
  const kinds = (command: Command): string[] => venue.apply(command).map(({ kind }) => kind);
  const tickLater = (ms: number): string[] => {
    venue.nowMs += ms;
    return kinds({ kind: 'tick' });
  };
  /** What it causes. */
  const setEth = (state: 'OPEN' | 'CANCEL_ONLY' | 'HALTED'): string[] =>
    kinds({
      ...{ kind: 'set-market-state', actor: 'test', market: 'ETH-USD-SWAP-LIN' },
      ...{ state, reason: 'test' },
    }).filter((kind) => kind !== 'market-state-set' && kind !== 'operator-acted');
  return { venue, btc, eth, after, kinds, tickLater, setEth };
}

test('the orders of the account go with the first tick after the deadline, and only once', () => {
  const { venue, after, kinds, tickLater } = scene();
  expect(kinds(after(5_000))).toEqual(['deadline-set']);
  expect(tickLater(4_999)).toEqual([]);
  expect(tickLater(1)).toEqual(['deadline-passed', 'order-closed', 'order-closed']);
  expect(venue.state.orders.openCount).toBe(2);
  expect(tickLater(60_000)).toEqual([]);
});

test('armed again it waits anew, disarmed it never fires', () => {
  const { after, kinds, tickLater } = scene();
  kinds(after(5_000));
  tickLater(4_000);
  kinds(after(5_000));
  expect(tickLater(4_999)).toEqual([]);
  expect(kinds(after(0))).toEqual(['deadline-set']);
  expect(tickLater(60_000)).toEqual([]);
});

test('called again too late, before the tick: it has passed all the same, and waits anew', () => {
  for (const again of [5_000, 0]) {
    const { venue, after, kinds, tickLater } = scene();
    kinds(after(5_000));
    venue.nowMs += 5_000;
    expect(kinds(after(again))).toEqual([
      ...['deadline-set', 'deadline-passed', 'order-closed', 'order-closed'],
    ]);
    expect(tickLater(4_999)).toEqual([]);
    expect(tickLater(1)).toEqual(again === 0 ? [] : ['deadline-passed']);
  }
});

test('a refused call leaves one that is due to the tick', () => {
  const { venue, after, kinds, tickLater } = scene();
  kinds(after(5_000));
  venue.nowMs += 5_000;
  expect(kinds(after(999))).toEqual(['refused']);
  expect(tickLater(0)).toEqual(['deadline-passed', 'order-closed', 'order-closed']);
});

test('one of a market goes beside that of all, and a halted market keeps its orders', () => {
  const { venue, btc, after, kinds, tickLater, setEth } = scene();
  kinds(after(2_000, 'alice', btc));
  kinds(after(1_000, 'bob'));
  setEth('HALTED');
  expect(tickLater(1_000)).toEqual(['deadline-passed', 'order-closed']);
  expect(tickLater(1_000)).toEqual(['deadline-passed', 'order-closed']);
  expect(venue.state.orders.openCount).toBe(2);
});

test('what a halted market has kept goes when it opens, before anything can match', () => {
  for (const state of ['OPEN', 'CANCEL_ONLY'] as const) {
    const { venue, eth, after, kinds, tickLater, setEth } = scene();
    kinds(after(1_000));
    setEth('HALTED');
    tickLater(1_000);
    // Whoever comes back protects what he places from then on; what he had is to go all the same.
    kinds(after(1_000, 'alice', eth));
    expect(tickLater(1_000)).toEqual(['deadline-passed']);
    kinds(after(0, 'alice', eth));
    expect(stateFrom(snapshotOf(venue.state)).deadlines).toEqual(venue.state.deadlines);
    expect(setEth('HALTED')).toEqual([]);
    expect(setEth(state)).toEqual(['deadline-passed', 'order-closed']);
    expect(setEth('HALTED')).toEqual([]);
    expect(setEth('OPEN')).toEqual([]);
  }
});

test('a stop that a halted market has kept of an absent owner does not trigger when the market opens', () => {
  const { venue, after, kinds, setEth } = scene();
  const golden = new Golden(venue, 'ETH-USD-SWAP-LIN');
  golden.do('alice buy 10 market stop 31000');
  kinds(after(1_000));
  setEth('HALTED');
  venue.nowMs += 1_000;
  price(venue, { BTC: '60000', ETH: '3200' });
  expect(kinds({ kind: 'tick' })).toContain('deadline-passed');
  expect(setEth('OPEN')).toEqual(['deadline-passed', 'order-closed', 'order-closed']);
});

test('so many may wait for a market that no list of arguments holds them', () => {
  const { venue, eth, setEth } = scene();
  setEth('HALTED');
  const key = venue.key('alice', 'main', 'trade');
  venue.apply({ kind: 'cancel-all', by: { key }, afterDisconnect: true });
  const [waiting] = venue.state.deadlines.byName.values();
  const account = venue.account('alice', 'main');
  for (let other = 1; other <= 600_000; other++) {
    venue.state.deadlines.byName.set(-other - 2 ** 40, {
      ...waiting,
      account,
      market: eth,
    } as never);
  }
  expect(setEth('OPEN')).toContain('deadline-passed');
});

test('a lost connection cancels in a halted market when it opens; cancel-all does not', () => {
  for (const lost of [{ afterDisconnect: true }, {}] as const) {
    const { venue, kinds, setEth } = scene();
    setEth('HALTED');
    const by = { key: venue.key('alice', 'main', 'trade') };
    expect(kinds({ kind: 'cancel-all', by, ...lost })).toEqual(['order-closed']);
    const late = 'afterDisconnect' in lost ? ['deadline-passed', 'order-closed'] : [];
    expect(setEth('OPEN')).toEqual(late);
  }
});

test('what waits for a market to open keeps no venue awake', () => {
  const { venue, kinds, setEth } = scene();
  setEth('HALTED');
  const by = (family: string) => ({ key: venue.key(family, 'main', 'trade') });
  for (const family of ['alice', 'bob']) {
    kinds({ kind: 'cancel-all', by: by(family), afterDisconnect: true });
  }
  expect(isIdle(venue.state)).toBe(false);
  kinds({ kind: 'cancel-market', actor: 'test', market: 'ETH-USD-SWAP-LIN', reason: 'test' });
  expect(isIdle(venue.state)).toBe(true);
});

test('what is armed is at stake, and is in the snapshot', () => {
  const { venue, after, kinds, tickLater } = scene();
  for (const family of ['alice', 'bob']) {
    const key = venue.key(family, 'main', 'trade');
    venue.apply({ kind: 'cancel-all', by: { key } });
  }
  expect(isIdle(venue.state)).toBe(true);
  kinds(after(5_000));
  expect(isIdle(venue.state)).toBe(false);
  expect(stateFrom(snapshotOf(venue.state)).deadlines).toEqual(venue.state.deadlines);
  expect(tickLater(5_000)).toEqual(['deadline-passed']);
  expect(isIdle(venue.state)).toBe(true);
});

test('a timeout out of range is refused with the nearest valid one', () => {
  const { venue, after } = scene();
  const message = (timeoutMs: number): string => {
    const [event] = venue.apply(after(timeoutMs));
    return event?.kind === 'refused' ? event.message : '';
  };
  expect(message(999)).toContain('nearest 1000');
  expect(message(86_400_001)).toContain('nearest 86400000');
  expect(message(-1)).toContain('nearest 0');
});

test('orders that switches of other markets pass over count as work of their command', () => {
  const { venue, kinds, after, tickLater } = scene();
  const key = venue.key('alice', 'main', 'trade');
  kinds({ kind: 'cancel-all', by: { key } });
  const code = (market: string) => venue.market(`${market}-USD-SWAP-LIN`);
  const place = (market: MarketIndex, ticks: number, count: number): void => {
    for (let left = count; left > 0; left -= 8) {
      const orders = Array(Math.min(8, left)).fill(limitOrder(market, 'BUY', ticks, 1));
      venue.apply({ kind: 'place-orders', by: { key }, source: 11, orders });
    }
  };
  kinds({ kind: 'set-order-limits', actor: 'test', perMarket: 10_000, inAll: 10_000 });
  place(code('BTC'), 58_000, 9_990);
  place(code('ETH'), 29_000, 1);
  place(code('SOL'), 14_500, 1);
  const markets = [code('OX'), code('ETH'), venue.market('BTC-USDT'), code('SOL')];
  for (const market of markets) kinds(after(1_000, 'alice', market));
  // The two that find an order each pass over 9,990 others; the rest look at none.
  expect(tickLater(1_000)).toEqual([
    ...['deadline-passed', 'deadline-passed', 'order-closed', 'deadline-passed'],
    ...['deadline-passed', 'order-closed'],
  ]);
  for (const market of markets) kinds(after(1_000, 'alice', market));
  place(code('ETH'), 29_000, 1);
  place(code('OX'), 950, 1);
  place(code('SOL'), 14_500, 1);
  const passed = ['deadline-passed', 'order-closed'];
  expect(tickLater(1_000)).toEqual([...passed, ...passed]);
  expect(kinds({ kind: 'continue' })).toEqual(['deadline-passed', ...passed]);
});

test('a switch of a market without orders of its account looks at none of them', () => {
  const { venue, btc, kinds, after, tickLater } = scene();
  kinds(after(1_000, 'alice', venue.market('SOL-USD-SWAP-LIN')));
  kinds(after(2_000, 'alice', btc));
  const { orders } = venue.state;
  let looks = 0;
  orders.rings = new Proxy(orders.rings, {
    get: (links, at) => {
      looks++;
      return Reflect.get(links, at);
    },
  });
  expect(tickLater(1_000)).toEqual(['deadline-passed']);
  expect(looks).toBe(0);
  expect(tickLater(1_000)).toEqual(['deadline-passed', 'order-closed']);
  expect(looks).toBeGreaterThan(0);
});
