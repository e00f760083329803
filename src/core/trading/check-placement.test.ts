import { describe, expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { goldenIn, play, type Row } from '../../../test/support/golden-table.ts';

const perpetual = (): Golden => goldenIn('BTC-USD-SWAP-LIN');
const spot = (): Golden => goldenIn('BTC-USDT');

describe('spot FOK', () => {
  play(
    [
      {
        says: 'needs what its plan costs, not its limit',
        given: ['bob sell 10 @ 6000000', 'bob sell 10 @ 6500000'],
        when: 'poor buy 10 @ 6500000 FOK',
        happens: ['p1 meets b1: 10 @ 6000000', 'b1 FILLED, 0 left', 'p1 FILLED, 0 left'],
        book: ['ask 6500000 x 10'],
      },
      {
        says: 'is refused where the plan costs more than there is',
        given: ['bob sell 10 @ 6000000', 'bob sell 10 @ 6500000'],
        when: 'poor buy 20 @ 6500000 FOK',
        happens: ['refused BALANCE_TOO_LOW'],
        book: ['ask 6000000 x 10', 'ask 6500000 x 10'],
      },
      {
        says: 'is closed where the book cannot fill it, whatever it costs',
        given: ['bob sell 10 @ 6000000', 'bob sell 10 @ 6500000'],
        when: 'poor buy 21 @ 6500000 FOK',
        happens: ['p1 CANCELED_BY_FOK, 21 left'],
        book: ['ask 6000000 x 10', 'ask 6500000 x 10'],
      },
      {
        says: 'by amount with a limit is one for the lots that the amount buys there',
        given: ['bob sell 10 @ 6000000'],
        when: 'poor buy 0 @ 6000000 amount 6.5 FOK',
        happens: ['p1 meets b1: 10 @ 6000000', 'b1 FILLED, 0 left', 'p1 FILLED, 0 left'],
        book: [],
      },
    ],
    spot,
  );
});

describe('open-order limit', () => {
  const limited = (): Golden => {
    const scene = perpetual();
    const actor = 'test';
    scene.venue.apply({ kind: 'set-order-limits', actor, perMarket: 2, inAll: 3 });
    scene.do('alice buy 1 @ 66000 stop 65000 IOC');
    scene.do('alice buy 1 @ 58000');
    return scene;
  };
  play(
    [
      {
        says: 'untriggered stops count, whatever their time in force',
        given: [],
        when: 'alice buy 1 @ 58000',
        happens: ['refused TOO_MANY_OPEN_ORDERS'],
        book: ['bid 58000 x 1'],
      },
      {
        says: 'the band is named before the limit',
        given: [],
        when: 'alice buy 1 @ 1',
        happens: ['refused PRICE_BELOW_BAND'],
        book: ['bid 58000 x 1'],
      },
      {
        says: 'the limit is named before the size',
        given: [],
        when: 'alice buy 9999999 @ 58000',
        happens: ['refused TOO_MANY_OPEN_ORDERS'],
        book: ['bid 58000 x 1'],
      },
      {
        says: 'a stop is barred, though it could not rest',
        given: [],
        when: 'alice buy 1 @ 60000 stop 60000 FOK',
        happens: ['refused TOO_MANY_OPEN_ORDERS'],
        book: ['bid 58000 x 1'],
      },
      ...['market', '@ 58000 IOC', '@ 58000 FOK'].map(
        (words): Row => ({
          says: `what cannot rest is not barred: ${words}`,
          given: [],
          when: `alice buy 1 ${words}`,
          happens: [
            words.endsWith('FOK') ? 'a3 CANCELED_BY_FOK, 1 left' : 'a3 CANCELED_ALL_BY_IOC, 1 left',
          ],
          book: ['bid 58000 x 1'],
        }),
      ),
    ],
    limited,
  );

  test('counts all markets, and a cancelled order no longer', () => {
    const scene = limited();
    const spotScene = new Golden(scene.venue, 'BTC-USDT');
    expect(spotScene.do('alice buy 1 @ 5900000')).toEqual(['a1 opens 1 @ 5900000']);
    expect(spotScene.do('alice buy 1 @ 5900000')).toEqual(['refused TOO_MANY_OPEN_ORDERS']);
    scene.do('alice cancel a2');
    expect(spotScene.do('alice buy 1 @ 5900000')).toEqual(['a2 opens 1 @ 5900000']);
  });

  test.each([0, -1, 1.5, 1_000_001])('is a whole number from 1 to a million, not %d', (limit) => {
    const scene = perpetual();
    const command = { kind: 'set-order-limits', actor: 'test', inAll: 10 } as const;
    expect(scene.venue.outcome({ ...command, perMarket: limit })).toBe('PARAMETER_INVALID');
  });
});

describe('the precedence of amends and cancels', () => {
  test('an order that is not there, the account, the market, recvWindow, then the rest', () => {
    const scene = perpetual();
    scene.do('bob sell 5 @ 60000');
    const { venue } = scene;
    const market = venue.market('BTC-USD-SWAP-LIN');
    const by = { key: venue.key('bob', 'main', 'trade') };
    const late = { lateAfterMs: venue.nowMs - 1, recvWindowMs: 10 };
    const orderId = venue.state.nextOrderId - 1;
    const reasonOf = (id: number, command: 'amend' | 'cancel'): string | undefined => {
      const ref = { market, orderId: id, clientOrderId: 0n };
      const [event] = venue.apply(
        command === 'cancel'
          ? { kind: 'cancel-orders', by, ...late, orders: [ref] }
          : {
              kind: 'modify-orders',
              by,
              ...late,
              orders: [{ ...ref, version: 1, priceTicks: 1, stopTicks: 0, sizeLots: 0 }],
            },
      );
      return event?.kind === 'order-refused' ? event.reason : event?.kind;
    };
    const restrict = (restrictions: readonly 'no-trade'[]): void => {
      venue.apply({ kind: 'set-restrictions', actor: 'test', family: 'bob', restrictions });
    };
    const setState = (state: 'OPEN' | 'HALTED'): void => {
      const code = 'BTC-USD-SWAP-LIN';
      venue.apply({ kind: 'set-market-state', actor: 'test', market: code, state, reason: '' });
    };
    restrict(['no-trade']);
    setState('HALTED');
    expect(reasonOf(12, 'amend')).toBe('ORDER_NOT_FOUND');
    expect(reasonOf(12, 'cancel')).toBe('ORDER_NOT_FOUND');
    expect(reasonOf(orderId, 'amend')).toBe('ACCOUNT_STATUS');
    restrict([]);
    expect(reasonOf(orderId, 'amend')).toBe('MARKET_CLOSED');
    expect(reasonOf(orderId, 'cancel')).toBe('MARKET_CLOSED');
    setState('OPEN');
    expect(reasonOf(orderId, 'amend')).toBe('ORDER_TOO_LATE');
    expect(reasonOf(orderId, 'cancel')).toBe('ORDER_TOO_LATE');
  });
});

test('an order that would fill needs more than its initial margin: at ratio 50 it is refused', () => {
  const rows: [funds: string, order: string, happens: string][] = [
    // 1 BTC at 60,000 is 6 million OX: 300,000 initial and 150,000 maintenance margin.
    ['299999.99999999', 'buy 10000 market', 'refused MARGIN_TOO_LOW'],
    ['300000', 'buy 10000 market', 'refused MARGIN_TOO_LOW'],
    ['300000.00000001', 'buy 10000 market', 't1 meets r1: 10000 @ 60000'],
    ['299999.99999999', 'buy 10000 @ 60000', 'refused MARGIN_TOO_LOW'],
    ['300000', 'buy 10000 @ 60000', 't1 meets r1: 10000 @ 60000'],
  ];
  for (const [funds, order, happens] of rows) {
    const venue = venueWith({
      thin: { main: { OX: funds } },
      rich: { main: { OX: '100000000' } },
    });
    const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
    scene.do('rich sell 10000 @ 60000');
    expect(scene.do(`thin ${order}`)[0], `${order} with ${funds}`).toBe(happens);
  }
});

test('an amend that asks for less, or only reduces afterwards, is never refused for margin', () => {
  const venue = venueWith({
    thin: { main: { OX: '400000' } },
    rich: { main: { OX: '1000000000' } },
  });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  scene.do('thin buy 1000 @ 59000');
  scene.do('thin sell 5000 @ 62000');
  // 6.512 M OX of worst notional need 325,600 OX; 320,000 less the fee are left, at ratio 46.
  scene.do('mark 59200');
  expect(scene.do('thin buy 1 @ 58000')).toEqual(['refused MARGIN_TOO_LOW']);
  expect(scene.do('thin amend t2 1001')).toEqual(['refused MARGIN_TOO_LOW']);
  expect(scene.do('thin amend t2 1000 @ 59001')).toEqual(['refused MARGIN_TOO_LOW']);
  expect(scene.do('thin amend t2 990 @ 58999')).toEqual([
    't2 is now 990 @ 58999',
    't2 opens 990 @ 58999',
  ]);
  expect(scene.do('thin amend t2 980')).toEqual(['t2 is now 980 @ 58999']);
  expect(scene.do('thin amend t3 10000 @ 61000')).toEqual([
    't3 is now 10000 @ 61000',
    't3 opens 10000 @ 61000',
  ]);
  expect(scene.do('thin amend t3 10001')).toEqual(['refused MARGIN_TOO_LOW']);
});

test('a stop without a limit may be amended wherever it may be placed, whatever it would be worth', () => {
  const scene = perpetual();
  // 100 BTC are worth 90,000 M OX at the protective price; 46,116 M can be counted.
  // A jump counts once it is confirmed.
  for (const mark of [1000000, 1000000, 10000000, 10000000]) scene.do(`mark ${mark}`);
  expect(scene.do('alice sell 1000000 market stop 8000000')[0]).toMatch(/^a1 /);
  expect(scene.do('alice amend a1 900000')).toEqual(['a1 is now 900000 @ 9000000']);
  expect(scene.do('alice sell 900000 @ 7000000 stop 8000000')).toEqual(['refused SIZE_TOO_LARGE']);
});
