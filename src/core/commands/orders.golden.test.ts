import { afterEach, describe, expect, test } from 'vitest';
import type { Golden } from '../../../test/support/golden.ts';
import { goldenIn, play, type Row } from '../../../test/support/golden-table.ts';
import { audit } from '../audit/audit.ts';

let golden: Golden;
const perpetual = (): Golden => {
  golden = goldenIn('BTC-USD-SWAP-LIN');
  return golden;
};
const spot = (): Golden => {
  golden = goldenIn('BTC-USDT');
  return golden;
};

afterEach(() => {
  expect(audit(golden.venue.state).faults).toEqual([]);
});

const ASKS = ['bob sell 2 @ 60000', 'carol sell 3 @ 60000', 'bob sell 4 @ 60010'];

describe('times in force', () => {
  const rows: Row[] = [
    {
      says: 'GTC takes what its price allows, oldest first, and rests with the remainder',
      given: ASKS,
      when: 'alice buy 8 @ 60005',
      happens: [
        'a1 meets b1: 2 @ 60000',
        'b1 FILLED, 0 left',
        'a1 meets c1: 3 @ 60000',
        'c1 FILLED, 0 left',
        'a1 opens 3 @ 60005',
      ],
      book: ['ask 60010 x 4', 'bid 60005 x 3'],
    },
    {
      says: 'GTC that meets nobody rests',
      given: ASKS,
      when: 'alice buy 8 @ 59999',
      happens: ['a1 opens 8 @ 59999'],
      book: ['ask 60000 x 5', 'ask 60010 x 4', 'bid 59999 x 8'],
    },
    {
      says: 'IOC takes what is there and the remainder is cancelled',
      given: ASKS,
      when: 'alice buy 7 @ 60000 IOC',
      happens: [
        'a1 meets b1: 2 @ 60000',
        'b1 FILLED, 0 left',
        'a1 meets c1: 3 @ 60000',
        'c1 FILLED, 0 left',
        'a1 CANCELED_PARTIAL_BY_IOC, 2 left',
      ],
      book: ['ask 60010 x 4'],
    },
    {
      says: 'IOC that meets nobody is cancelled whole',
      given: ASKS,
      when: 'alice buy 7 @ 59990 IOC',
      happens: ['a1 CANCELED_ALL_BY_IOC, 7 left'],
      book: ['ask 60000 x 5', 'ask 60010 x 4'],
    },
    {
      says: 'FOK for more than there is leaves the book as it was',
      given: ASKS,
      when: 'alice buy 6 @ 60000 FOK',
      happens: ['a1 CANCELED_BY_FOK, 6 left'],
      book: ['ask 60000 x 5', 'ask 60010 x 4'],
    },
    {
      says: 'FOK for what is there is filled whole, over two prices',
      given: ASKS,
      when: 'alice buy 6 @ 60010 FOK',
      happens: [
        'a1 meets b1: 2 @ 60000',
        'b1 FILLED, 0 left',
        'a1 meets c1: 3 @ 60000',
        'c1 FILLED, 0 left',
        'a1 meets b2: 1 @ 60010',
        'a1 FILLED, 0 left',
      ],
      book: ['ask 60010 x 3'],
    },
    {
      says: 'MAKER_ONLY that would take is closed',
      given: ASKS,
      when: 'alice buy 1 @ 60000 MAKER_ONLY',
      happens: ['a1 CANCELED_BY_MAKER_ONLY, 1 left'],
      book: ['ask 60000 x 5', 'ask 60010 x 4'],
    },
    {
      says: 'MAKER_ONLY that would not take rests',
      given: ASKS,
      when: 'alice buy 1 @ 59999 MAKER_ONLY',
      happens: ['a1 opens 1 @ 59999'],
      book: ['ask 60000 x 5', 'ask 60010 x 4', 'bid 59999 x 1'],
    },
    {
      says: 'MAKER_ONLY_REPRICE steps one tick back from the best ask',
      given: ASKS,
      when: 'alice buy 1 @ 60500 MAKER_ONLY_REPRICE',
      happens: ['a1 opens 1 @ 59999'],
      book: ['ask 60000 x 5', 'ask 60010 x 4', 'bid 59999 x 1'],
    },
    {
      says: 'MAKER_ONLY_REPRICE that would land outside the band is closed',
      given: ['bob sell 1 @ 55000', 'mark 62000'],
      when: 'alice buy 1 @ 56000 MAKER_ONLY_REPRICE',
      happens: ['a1 CANCELED_BY_MAKER_ONLY, 1 left'],
      book: ['ask 55000 x 1'],
    },
    {
      says: 'FOK that the book cannot fill is closed before anybody asks for its margin',
      given: ASKS,
      when: 'poor buy 6 @ 60000 FOK',
      happens: ['p1 CANCELED_BY_FOK, 6 left'],
      book: ['ask 60000 x 5', 'ask 60010 x 4'],
    },
    {
      says: 'FOK that the book can fill needs margin for the whole plan',
      given: ['bob sell 10000 @ 60000'],
      when: 'poor buy 10000 @ 60000 FOK',
      happens: ['refused MARGIN_TOO_LOW'],
      book: ['ask 60000 x 10000'],
    },
    {
      says: 'MARKET is IOC up to the edge of the band',
      given: [...ASKS, 'carol sell 5 @ 66000'],
      when: 'alice buy 100 market',
      happens: [
        'a1 meets b1: 2 @ 60000',
        'b1 FILLED, 0 left',
        'a1 meets c1: 3 @ 60000',
        'c1 FILLED, 0 left',
        'a1 meets b2: 4 @ 60010',
        'b2 FILLED, 0 left',
        'a1 meets c2: 5 @ 66000',
        'c2 FILLED, 0 left',
        'a1 CANCELED_PARTIAL_BY_IOC, 86 left',
      ],
      book: [],
    },
    {
      says: 'MARKET into an empty book is cancelled whole',
      given: [],
      when: 'alice sell 3 market',
      happens: ['a1 CANCELED_ALL_BY_IOC, 3 left'],
      book: [],
    },
  ];
  describe('perpetual', () => play(rows, perpetual));
});

describe('icebergs', () => {
  play(
    [
      {
        says: 'a slice that is exhausted goes to the back of its price, and the hidden part is met before the next price',
        given: ['bob sell 6 @ 60000 show 2', 'carol sell 3 @ 60000', 'carol sell 1 @ 60001'],
        when: 'alice buy 8 @ 60001',
        happens: [
          'a1 meets b1: 2 @ 60000',
          'a1 meets c1: 3 @ 60000',
          'c1 FILLED, 0 left',
          'a1 meets b1: 2 @ 60000',
          'a1 meets b1: 1 @ 60000',
          'a1 FILLED, 0 left',
        ],
        book: ['ask 60000 x 1', 'ask 60001 x 1'],
      },
      {
        says: 'the book shows the slice only',
        given: ['bob sell 6 @ 60000 show 2'],
        when: 'bob sell 5 @ 60000 show 5',
        happens: ['b2 opens 5 @ 60000'],
        book: ['ask 60000 x 7'],
      },
      {
        says: 'FOK counts the hidden part',
        given: ['bob sell 6 @ 60000 show 2'],
        when: 'alice buy 6 @ 60000 FOK',
        happens: [
          'a1 meets b1: 2 @ 60000',
          'a1 meets b1: 2 @ 60000',
          'a1 meets b1: 2 @ 60000',
          'b1 FILLED, 0 left',
          'a1 FILLED, 0 left',
        ],
        book: [],
      },
    ],
    perpetual,
  );
});

test('an iceberg of more than a thousand slices is refused, placed or amended', () => {
  const scene = perpetual();
  expect(scene.do('bob sell 10001 @ 60000 show 10')).toEqual(['refused DISPLAY_QUANTITY_INVALID']);
  expect(scene.do('bob sell 10000 @ 60000 show 10')).toEqual(['b1 opens 10000 @ 60000']);
  expect(scene.do('bob amend b1 10001')).toEqual(['refused DISPLAY_QUANTITY_INVALID']);
});

describe('self-trade prevention', () => {
  const given = ['bob sell 1 @ 60000', 'alice sell 2 @ 60000', 'bob sell 3 @ 60000'];
  play(
    [
      {
        says: 'NONE lets them trade',
        given,
        when: 'alice buy 3 @ 60000',
        happens: [
          'a2 meets b1: 1 @ 60000',
          'b1 FILLED, 0 left',
          'a2 meets a1: 2 @ 60000',
          'a1 FILLED, 0 left',
          'a2 FILLED, 0 left',
        ],
        book: ['ask 60000 x 3'],
      },
      {
        says: 'EXPIRE_TAKER closes the rest of the taker, earlier fills stand',
        given,
        when: 'alice buy 3 @ 60000 EXPIRE_TAKER',
        happens: [
          'a2 meets b1: 1 @ 60000',
          'b1 FILLED, 0 left',
          'a2 CANCELED_BY_SELF_TRADE_PROTECTION, 2 left',
        ],
        book: ['ask 60000 x 5'],
      },
      {
        says: 'EXPIRE_MAKER closes the own resting order and goes on',
        given,
        when: 'alice buy 3 @ 60000 EXPIRE_MAKER',
        happens: [
          'a2 meets b1: 1 @ 60000',
          'b1 FILLED, 0 left',
          'a1 CANCELED_BY_SELF_TRADE_PROTECTION, 2 left',
          'a2 meets b2: 2 @ 60000',
          'a2 FILLED, 0 left',
        ],
        book: ['ask 60000 x 1'],
      },
      {
        says: 'EXPIRE_BOTH closes both',
        given,
        when: 'alice buy 3 @ 60000 EXPIRE_BOTH',
        happens: [
          'a2 meets b1: 1 @ 60000',
          'b1 FILLED, 0 left',
          'a1 CANCELED_BY_SELF_TRADE_PROTECTION, 2 left',
          'a2 CANCELED_BY_SELF_TRADE_PROTECTION, 2 left',
        ],
        book: ['ask 60000 x 3'],
      },
      {
        says: 'FOK with EXPIRE_TAKER counts only up to the own order',
        given,
        when: 'alice buy 2 @ 60000 FOK EXPIRE_TAKER',
        happens: ['a2 CANCELED_BY_FOK, 2 left'],
        book: ['ask 60000 x 6'],
      },
    ],
    perpetual,
  );
});

describe('stops', () => {
  play(
    [
      {
        says: 'a stop waits, invisible, until the mark comes',
        given: ['bob sell 5 @ 61000'],
        when: 'alice buy 2 @ 61000 stop 60500',
        happens: ['a1 waits 2 @ 61000'],
        book: ['ask 61000 x 5'],
      },
      {
        says: 'a stop-limit that fires becomes a limit order',
        given: ['bob sell 1 @ 61000', 'alice buy 2 @ 61000 stop 60500'],
        when: 'mark 60500',
        happens: ['a1 fires', 'a1 meets b1: 1 @ 61000', 'b1 FILLED, 0 left', 'a1 opens 1 @ 61000'],
        book: ['bid 61000 x 1'],
      },
      {
        says: 'a stop-market that fires takes up to the edge of the band',
        given: ['bob buy 3 @ 58000', 'alice sell 5 market stop 59000'],
        when: 'mark 58999',
        happens: [
          'a1 fires',
          'a1 meets b1: 3 @ 58000',
          'b1 FILLED, 0 left',
          'a1 CANCELED_PARTIAL_BY_IOC, 2 left',
        ],
        book: [],
      },
      {
        says: 'a stop whose price has come already fires at once',
        given: ['bob sell 5 @ 60100'],
        when: 'alice buy 2 @ 60100 stop 59000',
        happens: ['a1 waits 2 @ 60100', 'a1 fires', 'a1 meets b1: 2 @ 60100', 'a1 FILLED, 0 left'],
        book: ['ask 60100 x 3'],
      },
      {
        says: 'BUY stops fire by rising price, then by age',
        given: [
          'alice buy 1 @ 65000 stop 62000',
          'bob buy 1 @ 65000 stop 61000',
          'carol buy 1 @ 65000 stop 61000',
        ],
        when: 'mark 62000',
        happens: [
          'b1 fires',
          'b1 opens 1 @ 65000',
          'c1 fires',
          'c1 opens 1 @ 65000',
          'a1 fires',
          'a1 opens 1 @ 65000',
        ],
        book: ['bid 65000 x 3'],
      },
      {
        says: 'a LAST_PRICE stop sees the last price after the whole command',
        given: [
          'bob sell 1 @ 60010',
          'bob sell 1 @ 60020',
          'carol buy 1 @ 60100 stop 60020 LAST_PRICE',
        ],
        when: 'alice buy 2 @ 60020',
        happens: [
          'a1 meets b1: 1 @ 60010',
          'b1 FILLED, 0 left',
          'a1 meets b2: 1 @ 60020',
          'b2 FILLED, 0 left',
          'a1 FILLED, 0 left',
          'c1 fires',
          'c1 opens 1 @ 60100',
        ],
        book: ['bid 60100 x 1'],
      },
      {
        says: 'a stop-limit beyond the band when it fires is closed with the reason',
        given: ['alice buy 1 @ 70000 stop 60500'],
        when: 'mark 60500',
        happens: ['a1 fires', 'a1 CANCELED_BY_USER, 1 left (PRICE_ABOVE_BAND)'],
        book: [],
      },
      {
        says: 'a stop that cannot be margined when it fires is closed with the reason',
        given: ['poor buy 10000 market stop 60500'],
        when: 'mark 60500',
        happens: ['p1 fires', 'p1 CANCELED_ALL_BY_IOC, 10000 left'],
        book: [],
      },
      {
        says: 'a stop-limit too large for its account when it fires is closed with the reason',
        given: ['poor buy 10000 @ 61000 stop 60500'],
        when: 'mark 60500',
        happens: ['p1 fires', 'p1 CANCELED_BY_USER, 10000 left (MARGIN_TOO_LOW)'],
        book: [],
      },
    ],
    perpetual,
  );
});

describe('amends', () => {
  const given = ['bob sell 5 @ 60000', 'carol sell 5 @ 60000'];
  play(
    [
      {
        says: 'smaller at the same price keeps its place',
        given: [...given, 'bob amend b1 3'],
        when: 'alice buy 4 @ 60000',
        happens: [
          'a1 meets b1: 3 @ 60000',
          'b1 FILLED, 0 left',
          'a1 meets c1: 1 @ 60000',
          'a1 FILLED, 0 left',
        ],
        book: ['ask 60000 x 4'],
      },
      {
        says: 'larger goes to the back',
        given: [...given, 'bob amend b1 6'],
        when: 'alice buy 5 @ 60000',
        happens: ['a1 meets c1: 5 @ 60000', 'c1 FILLED, 0 left', 'a1 FILLED, 0 left'],
        book: ['ask 60000 x 6'],
      },
      {
        says: 'a new price may match at once, under the same id',
        given: [...given, 'alice buy 2 @ 59000'],
        when: 'alice amend a1 2 @ 60000',
        happens: ['a1 is now 2 @ 60000', 'a1 meets b1: 2 @ 60000', 'a1 FILLED, 0 left'],
        book: ['ask 60000 x 8'],
      },
      {
        says: 'a total not above what is filled closes the order',
        given: [...given, 'alice buy 2 @ 60000'],
        when: 'bob amend b1 2',
        happens: ['b1 CANCELED_BY_AMEND, 3 left'],
        book: ['ask 60000 x 5'],
      },
      {
        says: 'an amend beyond the band leaves the order as it was',
        given,
        when: 'bob amend b1 5 @ 70000',
        happens: ['refused PRICE_ABOVE_BAND'],
        book: ['ask 60000 x 10'],
      },
      {
        says: 'MAKER_ONLY amended across the book fails and stays as it was',
        given: [...given, 'alice buy 2 @ 59000 MAKER_ONLY'],
        when: 'alice amend a1 2 @ 60000',
        happens: ['refused ORDER_REQUEST_REJECTED'],
        book: ['ask 60000 x 10', 'bid 59000 x 2'],
      },
      {
        says: 'MAKER_ONLY_REPRICE amended across the book steps back from it',
        given: [...given, 'alice buy 2 @ 59000 MAKER_ONLY_REPRICE'],
        when: 'alice amend a1 2 @ 60000',
        happens: ['a1 is now 2 @ 60000', 'a1 opens 2 @ 59999'],
        book: ['ask 60000 x 10', 'bid 59999 x 2'],
      },
      {
        says: 'the same size at the same price keeps its place',
        given: [...given, 'bob amend b1 5 @ 60000'],
        when: 'alice buy 5 @ 60000',
        happens: ['a1 meets b1: 5 @ 60000', 'b1 FILLED, 0 left', 'a1 FILLED, 0 left'],
        book: ['ask 60000 x 5'],
      },
      {
        says: 'one that only shrinks is not measured by the band',
        given: ['bob sell 5 @ 54500', 'mark 62000'],
        when: 'bob amend b1 3',
        happens: ['b1 is now 3 @ 54500'],
        book: ['ask 54500 x 3'],
      },
      {
        says: 'one that grows is',
        given: ['bob sell 5 @ 54500', 'mark 62000'],
        when: 'bob amend b1 6',
        happens: ['refused PRICE_BELOW_BAND'],
        book: ['ask 54500 x 5'],
      },
      {
        says: 'the order of another account does not exist',
        given,
        when: 'alice amend b1 1',
        happens: ['refused ORDER_NOT_FOUND'],
        book: ['ask 60000 x 10'],
      },
    ],
    perpetual,
  );
});

describe('reduce-only', () => {
  const long = ['bob sell 5 @ 60000', 'alice buy 5 @ 60000'];
  play(
    [
      {
        says: 'takes no more than the position and the rest is cancelled',
        given: [...long, 'carol buy 9 @ 59900'],
        when: 'alice sell 9 @ 59900 reduceOnly',
        happens: ['a2 meets c1: 5 @ 59900', 'a2 CANCELED_BY_USER, 4 left (POSITION_TOO_SMALL)'],
        book: ['bid 59900 x 4'],
      },
      {
        says: 'one whose own match closes the position ends there, though nobody else stands in the book',
        given: [...long, 'carol buy 5 @ 59900'],
        when: 'alice sell 9 @ 59900 reduceOnly',
        happens: [
          'a2 meets c1: 5 @ 59900',
          'c1 FILLED, 0 left',
          'a2 CANCELED_BY_USER, 4 left (POSITION_TOO_SMALL)',
        ],
        book: [],
      },
      {
        says: 'a resting one gives no more than the position at that moment',
        given: [...long, 'alice sell 9 @ 60100 reduceOnly'],
        when: 'carol buy 9 @ 60100',
        happens: [
          'c1 meets a2: 5 @ 60100',
          'a2 CANCELED_BY_USER, 4 left (POSITION_TOO_SMALL)',
          'c1 opens 4 @ 60100',
        ],
        book: ['bid 60100 x 4'],
      },
      {
        says: 'a resting one without a position is passed over and closed',
        given: ['alice sell 9 @ 60100 reduceOnly', 'bob sell 1 @ 60100'],
        when: 'carol buy 1 @ 60100',
        happens: [
          'a1 CANCELED_BY_USER, 9 left (POSITION_TOO_SMALL)',
          'c1 meets b1: 1 @ 60100',
          'b1 FILLED, 0 left',
          'c1 FILLED, 0 left',
        ],
        book: [],
      },
      {
        says: 'FOK counts on as much of them as there is a position',
        given: [...long, 'alice sell 9 @ 60100 reduceOnly'],
        when: 'carol buy 5 @ 60100 FOK',
        happens: [
          'c1 meets a2: 5 @ 60100',
          'a2 CANCELED_BY_USER, 4 left (POSITION_TOO_SMALL)',
          'c1 FILLED, 0 left',
        ],
        book: [],
      },
      {
        says: 'FOK does not count on more than the position',
        given: [...long, 'alice sell 9 @ 60100 reduceOnly'],
        when: 'carol buy 6 @ 60100 FOK',
        happens: ['c1 CANCELED_BY_FOK, 6 left'],
        book: ['ask 60100 x 9'],
      },
    ],
    perpetual,
  );
});

describe('orders by amount', () => {
  const asks = ['bob sell 100000 @ 6000000', 'bob sell 100000 @ 6001000'];
  play(
    [
      {
        says: 'buys as many lots as the amount pays for, price by price',
        given: asks,
        when: 'alice buy market amount 90000',
        happens: [
          'a1 meets b1: 100000 @ 6000000',
          'b1 FILLED, 0 left',
          'a1 meets b2: 49991 @ 6001000',
          'a1 CANCELED_PARTIAL_BY_IOC, 0 left',
        ],
        book: ['ask 6001000 x 50009'],
      },
      {
        says: 'spent to the last part it is filled',
        given: asks,
        when: 'alice buy market amount 600',
        happens: ['a1 meets b1: 1000 @ 6000000', 'a1 FILLED, 0 left'],
        book: ['ask 6000000 x 99000', 'ask 6001000 x 100000'],
      },
      {
        says: 'too little for one lot buys nothing',
        given: asks,
        when: 'alice buy market amount 0.5',
        happens: ['a1 CANCELED_ALL_BY_IOC, 0 left'],
        book: ['ask 6000000 x 100000', 'ask 6001000 x 100000'],
      },
      {
        says: 'fill or kill: killed whole where the book does not use the amount up',
        given: asks,
        when: 'alice buy market amount 130000 FOK',
        happens: ['a1 CANCELED_BY_FOK, 0 left'],
        book: ['ask 6000000 x 100000', 'ask 6001000 x 100000'],
      },
      {
        says: 'fill or kill: done whole where it does',
        given: asks,
        when: 'alice buy market amount 600 FOK',
        happens: ['a1 meets b1: 1000 @ 6000000', 'a1 FILLED, 0 left'],
        book: ['ask 6000000 x 99000', 'ask 6001000 x 100000'],
      },
      {
        says: 'fill or kill: a rest that pays for no lot more does not kill it',
        given: asks,
        when: 'alice buy market amount 600.5 FOK',
        happens: ['a1 meets b1: 1000 @ 6000000', 'a1 CANCELED_PARTIAL_BY_IOC, 0 left'],
        book: ['ask 6000000 x 99000', 'ask 6001000 x 100000'],
      },
      {
        says: 'a limit order by amount is for the lots the amount buys at its limit',
        given: asks,
        when: 'alice buy 0 @ 5900000 amount 1000',
        happens: ['a1 opens 1694 @ 5900000'],
        book: ['ask 6000000 x 100000', 'ask 6001000 x 100000', 'bid 5900000 x 1694'],
      },
    ],
    spot,
  );
});

describe('money', () => {
  test('a spot bid holds its price, pays the maker price and gets the difference back', () => {
    const scene = spot();
    scene.do('bob sell 100000 @ 6000000');
    scene.do('alice buy 200000 @ 6100000');
    // 1 BTC bought at 60,000; another is held for at 61,000. The fee is paid in OX.
    expect(scene.balance('alice', 'USDT')).toBe('987900000000000 + 6100000000000');
    expect(scene.balance('alice', 'BTC')).toBe('100100000000 + 0');
    expect(scene.balance('bob', 'USDT')).toBe('1006000000000000 + 0');
    scene.do('alice cancel a1');
    expect(scene.balance('alice', 'USDT')).toBe('994000000000000 + 0');
  });

  test('fees: native, else USDT, else what was received', () => {
    const scene = spot();
    scene.do('bob sell 100000 @ 6000000');
    // 60,000 USDT x 0.07 % = 42 USDT = 4,200 OX at 0.01: taker. Maker 0.02 % = 1,200 OX.
    scene.do('alice buy 100000 @ 6000000');
    expect(scene.balance('alice', 'OX')).toBe('9999580000000000 + 0');
    expect(scene.balance('bob', 'OX')).toBe('9999880000000000 + 0');
    // poor has 1,000 OX (10 USD): too little for the fee of 0.0002 BTC x 60,000 x 0.07 %? No: 0.84 OX.
    scene.do('bob sell 10 @ 6000000');
    scene.do('poor buy 10 @ 6000000');
    expect(scene.balance('poor', 'USDT')).toBe('400000000 + 0');
    expect(scene.balance('poor', 'OX')).toBe('99958000000 + 0');
  });

  test('a position that flips is reduced to zero and opened anew', () => {
    const scene = perpetual();
    scene.do('bob sell 10000 @ 60000');
    scene.do('alice buy 10000 @ 60000');
    expect(scene.position('alice')).toBe('10000 cost 600000000000000');
    scene.do('carol buy 15000 @ 61000');
    scene.do('alice sell 15000 @ 61000');
    // 1 BTC x 1,000 USD x 100 = 100,000 OX realised; 0.5 BTC short at 61,000.
    expect(scene.position('alice')).toBe('-5000 cost -305000000000000');
    expect(scene.position('bob')).toBe('-10000 cost -600000000000000');
    expect(scene.position('carol')).toBe('15000 cost 915000000000000');
  });

  test('three traders, one after another: what one wins another loses, and clearing ends at zero', () => {
    const scene = perpetual();
    // A buys 1 at 100 from B, sells at 110 to C, C sells at 120 to B; here 60,000, 60,010, 60,020.
    scene.do('bob sell 10000 @ 60000');
    scene.do('alice buy 10000 @ 60000');
    scene.do('carol buy 10000 @ 60010');
    scene.do('alice sell 10000 @ 60010');
    scene.do('bob buy 10000 @ 60020');
    scene.do('carol sell 10000 @ 60020');
    for (const who of ['alice', 'bob', 'carol']) expect(scene.position(who)).toBe('flat');
    const { state } = scene.venue;
    const clearing = state.markets[scene.venue.market('BTC-USD-SWAP-LIN')]?.clearing ?? 0;
    expect(state.ledger.available[clearing * state.ledger.stride + state.native]).toBe(0n);
    expect(state.markets[0]?.openInterestLots).toBe(0);
  });
});

test('a stop of a family that may not trade is closed when it fires', () => {
  const scene = perpetual();
  scene.do('bob sell 5 @ 61000');
  scene.do('alice buy 2 @ 61000 stop 60500');
  scene.venue.apply({
    kind: 'set-restrictions',
    actor: 'test',
    family: 'alice',
    restrictions: ['no-trade'],
  });
  expect(scene.do('mark 60500')).toEqual([
    'a1 fires',
    'a1 CANCELED_BY_USER, 2 left (ACCOUNT_STATUS)',
  ]);
});
