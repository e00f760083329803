import { afterEach, describe, expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { audit } from '../audit/audit.ts';

const RICH = { USDT: '100000000', BTC: '1000', OX: '100000000' };
const FUNDS = {
  alice: { main: RICH },
  bob: { main: RICH },
  carol: { main: RICH },
  poor: { main: { OX: '100', USDT: '10' } },
  broke: { main: {} },
  small: { main: { OX: '3000' } },
};
let scene: Golden;

afterEach(() => {
  expect(audit(scene.venue.state).faults).toEqual([]);
});

/** Asks of bob, slices of one lot: as many fills as there are lots. */
function slices(count: number, market = 'BTC-USD-SWAP-LIN', ticks = 60_000): Golden {
  scene = new Golden(venueWith(FUNDS), market);
  for (let left = count; left > 0; left -= 1_000) {
    scene.do(`bob sell ${Math.min(left, 1_000)} @ ${ticks} show 1`);
  }
  return scene;
}

/** Matches as a count, everything else as it is. */
function summed(lines: readonly string[]): string[] {
  const taker = /^(\w+) meets/;
  const counts = new Map<string, number>();
  for (const line of lines) {
    if (line.startsWith('b') && line.includes('FILLED')) continue;
    const [, name] = taker.exec(line) ?? [];
    const key = name === undefined ? line : `${name} matches`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} x ${count}`));
}

const MAX = WORK_BOUNDS.matchesPerRequest;

describe('one request matches at most 10,000 times', () => {
  test('exactly so many are made, and one more is not: the rest of the order is cancelled', () => {
    expect(MAX).toBe(10_000);
    slices(MAX);
    expect(summed(scene.do(`alice buy ${MAX} @ 60000`))).toEqual([
      'a1 matches x 10000',
      'a1 FILLED, 0 left',
    ]);
    slices(MAX + 1);
    expect(summed(scene.do(`alice buy ${MAX + 1} @ 60000`))).toEqual([
      'a1 matches x 10000',
      'a1 CANCELED_PARTIAL_BY_IOC, 1 left (BUSY)',
    ]);
  });

  test('all orders of it share them, and one that would take finds none left', () => {
    slices(MAX + 5);
    const lines = scene.request('alice', [
      'buy 6000 @ 60000',
      'buy 5000 @ 60000',
      'buy 1 @ 60000',
      'buy 1 @ 59999',
      'buy 1 @ 60000 MAKER_ONLY',
      'sell 1 @ 60000 reduceOnly',
      'buy 1 market',
    ]);
    expect(summed(lines)).toEqual([
      'a1 matches x 6000',
      'a1 FILLED, 0 left',
      'a2 matches x 4000',
      'a2 CANCELED_PARTIAL_BY_IOC, 1000 left (BUSY)',
      'refused BUSY x 2',
      'a3 opens 1 @ 59999',
      'a4 CANCELED_BY_MAKER_ONLY, 1 left',
      'a5 opens 1 @ 60000',
    ]);
    expect(summed(scene.do('alice buy 5 @ 60000'))).toEqual([
      'a6 matches x 5',
      'a6 FILLED, 0 left',
    ]);
  });

  test('so do amendments', () => {
    slices(MAX + 5);
    scene.do('alice buy 10005 @ 59990');
    scene.do('alice buy 3 @ 59990');
    const lines = scene.amendments('alice', ['a1 10005 @ 60000', 'a2 3 @ 60000', 'a2 2 @ 59990']);
    expect(summed(lines)).toEqual([
      'a1 is now 10005 @ 60000',
      'a1 matches x 10000',
      'a1 CANCELED_PARTIAL_BY_IOC, 5 left (BUSY)',
      'refused BUSY',
      'a2 is now 2 @ 59990',
    ]);
  });

  test('orders that end without a match count too', () => {
    scene = new Golden(venueWith(FUNDS), 'BTC-USD-SWAP-LIN');
    for (let i = 0; i < 3; i++) scene.do('alice sell 1 @ 60000');
    for (let left = MAX; left > 0; left -= 1_000) scene.do('bob sell 1000 @ 60000 show 1');
    const lines = summed(scene.do(`alice buy ${MAX} @ 60000 EXPIRE_MAKER`));
    expect(lines.slice(-2)).toEqual([
      'a4 matches x 9997',
      'a4 CANCELED_PARTIAL_BY_IOC, 3 left (BUSY)',
    ]);
  });

  test('a refusal names the bound and what to do', () => {
    slices(MAX);
    const order = `buy ${MAX} @ 60000 IOC`;
    scene.do('bob sell 1 @ 60001');
    const events = scene.venue.apply({
      kind: 'place-orders',
      by: { key: scene.venue.key('alice', 'main', 'trade') },
      source: 11,
      orders: [scene.order(order), scene.order('buy 1 @ 60001')],
    });
    expect(events.at(-1)).toMatchObject({
      reason: 'BUSY',
      message: expect.stringContaining('one request may make 10000 matches'),
    });
  });
});

describe('one request plans at most 10,000 fills', () => {
  test('a FOK that needs so many is filled, one that needs more is not', () => {
    slices(MAX + 1);
    expect(scene.do(`alice buy ${MAX + 1} @ 60000 FOK`)).toEqual([
      'a1 CANCELED_BY_FOK, 10001 left',
    ]);
    expect(summed(scene.do(`alice buy ${MAX} @ 60000 FOK`))).toEqual([
      'a2 matches x 10000',
      'a2 FILLED, 0 left',
    ]);
  });

  test('a FOK asks the book before money, within what the request may plan', () => {
    slices(MAX);
    const kill = `buy ${MAX + 1} @ 60000 FOK`;
    expect(summed(scene.request('broke', [kill, kill, 'buy 1 @ 59999 FOK']))).toEqual([
      'b11 CANCELED_BY_FOK, 10001 left',
      'refused BUSY',
      'b12 CANCELED_BY_FOK, 1 left',
    ]);
    expect(scene.do(`broke buy ${MAX} @ 60000 FOK`)).toEqual(['refused MARGIN_TOO_LOW']);
  });

  test('what cannot rest is tested and executed by its plan', () => {
    slices(MAX);
    const lines = scene.request('alice', [
      'buy 20000 @ 60000 FOK',
      `buy 5 @ 60000 IOC`,
      `buy 5 @ 60000`,
    ]);
    expect(summed(lines)).toEqual([
      'a1 CANCELED_BY_FOK, 20000 left',
      'refused BUSY',
      'a2 matches x 5',
      'a2 FILLED, 0 left',
    ]);
    // 9,995 are left: with three more, a plan of all leaves two.
    for (let i = 0; i < 3; i++) scene.do('carol sell 1 @ 60000');
    const again = scene.request('alice', ['buy 20000 @ 60000 FOK', 'buy 5 @ 60000 IOC']);
    expect(summed(again)).toEqual([
      'a3 CANCELED_BY_FOK, 20000 left',
      'a4 matches x 2',
      'a4 CANCELED_PARTIAL_BY_IOC, 3 left (BUSY)',
    ]);
  });

  test('orders of an account that cannot carry them cost one plan, not one each', () => {
    slices(MAX);
    const ioc = 'buy 1000000 @ 60000 IOC';
    expect(scene.request('broke', Array(8).fill(ioc))).toEqual([
      'refused MARGIN_TOO_LOW',
      ...Array(7).fill('refused BUSY'),
    ]);
  });

  test('a purchase holds the cost of what it may meet, and closes there', () => {
    slices(MAX + 7, 'BTC-USDT', 6_000_000);
    const lines = scene.request('alice', ['buy 20000 market FOK', 'buy market amount 1000']);
    expect(summed(lines)).toEqual(['a1 CANCELED_BY_FOK, 20000 left', 'refused BUSY']);
    expect(summed(scene.do('alice buy 20000 market'))).toEqual([
      'a2 matches x 10000',
      'a2 CANCELED_PARTIAL_BY_IOC, 10000 left (BUSY)',
    ]);
    expect(scene.balance('alice', 'USDT')).toMatch(/ \+ 0$/);
  });
});

describe('before a plan is made', () => {
  test('who has nothing to pay with is refused, though there is nothing to buy either', () => {
    scene = new Golden(venueWith(FUNDS), 'BTC-USDT');
    expect(scene.do('broke buy 1 market')).toEqual(['refused BALANCE_TOO_LOW']);
    expect(scene.do('poor buy 1 market')).toEqual(['p1 CANCELED_ALL_BY_IOC, 1 left']);
    expect(scene.do('broke sell 1 market')).toEqual(['refused BALANCE_TOO_LOW']);
  });

  test('who has reached 50 adds nothing, and costs no plan', () => {
    slices(MAX);
    scene.do('carol sell 60 @ 59000');
    scene.do('small buy 60 @ 59000');
    expect(scene.do('mark 56500')).toEqual([]);
    // An order that adds is not planned: the next one finds everything left.
    const lines = scene.request('small', [
      'buy 20000 @ 60000 IOC',
      'buy 20000 market',
      'sell 1 @ 57000',
      'buy 10001 @ 60000 FOK',
    ]);
    expect(lines).toEqual([
      'refused MARGIN_TOO_LOW',
      'refused MARGIN_TOO_LOW',
      's2 opens 1 @ 57000',
      's3 CANCELED_BY_FOK, 10001 left',
    ]);
  });

  test('who has nothing to pay with is refused', () => {
    slices(3, 'BTC-USDT', 6_000_000);
    expect(scene.do('broke buy 1 market')).toEqual(['refused BALANCE_TOO_LOW']);
    expect(scene.do('broke buy market amount 5')).toEqual(['refused BALANCE_TOO_LOW']);
    expect(scene.do('broke buy 1 market FOK')).toEqual(['refused BALANCE_TOO_LOW']);
  });
});
