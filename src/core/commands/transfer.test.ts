import { expect, test } from 'vitest';
import { parts, START_MS, venueWith } from '../../../test/support/core-venue.ts';
import { MARKET, price, RICH } from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import type { Transfer } from '../../domain/commands.ts';
import type { AccountIndex, AssetIndex } from '../../domain/units.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';

const FUNDS = {
  alice: { main: { USDT: '50' }, desk: {} },
  bob: { main: { USDT: '7' } },
};

function setUp() {
  const venue = venueWith(FUNDS);
  const order: Transfer = {
    kind: 'transfer',
    by: { key: venue.key('alice', 'main', 'trade') },
    asset: venue.asset('USDT'),
    amount: parts('20'),
    from: venue.account('alice', 'main'),
    to: venue.account('alice', 'desk'),
  };
  return { venue, order };
}

test('a refused transfer gets the first reason that applies, and changes nothing', () => {
  const { venue, order } = setUp();
  const nowhere = 999 as AccountIndex;
  const bob = venue.account('bob', 'main');
  // Each row mends one fault of the row above it, so the next reason comes to light.
  const rows: [Partial<Transfer>, string][] = [
    [{ by: { key: 999 as never }, asset: 99 as AssetIndex }, 'KEY_UNKNOWN'],
    [{ by: { key: venue.key('alice', 'main') }, asset: 99 as AssetIndex }, 'PERMISSION_MISSING'],
    [{ by: { key: venue.key('alice', 'desk', 'trade') } }, 'PERMISSION_MISSING'],
    [{ asset: 99 as AssetIndex, from: nowhere, amount: parts('51') }, 'ASSET_UNKNOWN'],
    [{ from: nowhere, amount: parts('51') }, 'SUB_ACCOUNT_INVALID'],
    [{ from: bob, amount: parts('51') }, 'SUB_ACCOUNT_INVALID'],
    [{ to: bob, amount: parts('51') }, 'SUB_ACCOUNT_INVALID'],
    [{ to: order.from, amount: parts('51') }, 'SAME_ACCOUNT'],
    [{ amount: parts('0') }, 'VALIDATION_FAILED'],
    [{ amount: parts('50.00000001') }, 'AVAILABLE_TOO_LOW'],
    [{ amount: parts('50') }, 'transferred'],
  ];
  for (const [changes, expected] of rows) {
    const before = venue.state.ledger.available.slice();
    expect(venue.outcome({ ...order, ...changes })).toBe(expected);
    if (expected !== 'transferred') expect(venue.state.ledger.available).toEqual(before);
  }
});

test('a foreign account and one that does not exist get the very same answer', () => {
  const { venue, order } = setUp();
  const foreign = venue.apply({ ...order, to: venue.account('bob', 'main') });
  expect(venue.apply({ ...order, to: 999 as AccountIndex })).toEqual(foreign);
});

test('a transfer moves exactly the requested amount and reports it', () => {
  const { venue, order } = setUp();
  expect(venue.apply(order)).toMatchObject([{ kind: 'transferred', amount: parts('20') }]);
  const { ledger } = venue.state;
  expect(availableIn(ledger, purseOf(ledger, order.from, order.asset))).toBe(parts('30'));
  expect(availableIn(ledger, purseOf(ledger, order.to, order.asset))).toBe(parts('20'));
});

test('a key that was revoked or has expired no longer signs', () => {
  const { venue, order } = setUp();
  const accessKey = venue.state.keys[order.by.key]?.accessKey ?? '';
  venue.apply({
    kind: 'create-key',
    actor: 'test',
    account: { family: 'alice', name: 'main' },
    accessKey: 'short-lived',
    sealedSecret: new Uint8Array(),
    permissions: ['read', 'trade'],
    expiresAtMs: START_MS + 10,
  });
  const shortLived = { ...order, by: { key: (venue.state.keys.length - 1) as never } };
  venue.nowMs = START_MS + 10;
  expect(venue.outcome({ ...shortLived, amount: parts('1') })).toBe('transferred');
  venue.nowMs = START_MS + 11;
  expect(venue.outcome(shortLived)).toBe('KEY_UNKNOWN');
  expect(venue.outcome({ ...order, amount: parts('1') })).toBe('transferred');
  venue.apply({ kind: 'revoke-key', actor: 'test', accessKey });
  expect(venue.outcome(order)).toBe('KEY_UNKNOWN');
});

test('a locked family and an inactive account move nothing', () => {
  const { venue, order } = setUp();
  venue.apply({
    kind: 'set-restrictions',
    actor: 'test',
    family: 'alice',
    restrictions: ['locked'],
  });
  expect(venue.outcome(order)).toBe('ACCOUNT_STATUS');
  venue.apply({ kind: 'set-restrictions', actor: 'test', family: 'alice', restrictions: [] });
  expect(venue.outcome(order)).toBe('transferred');
});

test('the same signed request takes effect once, refused or not, until it expires', () => {
  const { venue, order } = setUp();
  const signed = (fingerprint: string, quantity: string): Transfer => ({
    ...order,
    amount: parts(quantity),
    by: { key: order.by.key, fingerprint, expiresAtMs: START_MS + 60_000 },
  });
  expect(venue.outcome(signed('one', '5'))).toBe('transferred');
  expect(venue.outcome(signed('one', '5'))).toBe('REPEATED_CLICK');
  expect(venue.outcome(signed('two', '51'))).toBe('AVAILABLE_TOO_LOW');
  expect(venue.outcome(signed('two', '51'))).toBe('REPEATED_CLICK');
  venue.nowMs = START_MS + 60_000;
  expect(venue.outcome(signed('one', '5'))).toBe('REPEATED_CLICK');
  venue.nowMs = START_MS + 60_001;
  expect(venue.outcome(signed('three', '5'))).toBe('TIMESTAMP_OUT_OF_RANGE');
  venue.nowMs = START_MS + 62_000;
  expect(venue.outcome(signed('one', '5'))).toBe('TIMESTAMP_OUT_OF_RANGE');
  expect(venue.state.requests.count).toBe(0);
});

test('a wider tolerance after a restart does not bring a forgotten request back to life', () => {
  const { venue, order } = setUp();
  const signed = (toleranceMs: number): Transfer => {
    const { key } = order.by;
    const by = {
      key,
      fingerprint: 'same',
      signedAtMs: START_MS,
      expiresAtMs: START_MS + toleranceMs,
    };
    return { ...order, amount: parts('5'), by };
  };
  expect(venue.outcome(signed(60_000))).toBe('transferred');
  venue.nowMs = START_MS + 30_000;
  expect(venue.outcome(signed(120_000))).toBe('REPEATED_CLICK');
  venue.nowMs = START_MS + 70_000;
  expect(venue.outcome(signed(120_000))).toBe('TIMESTAMP_OUT_OF_RANGE');
});

test('who gave away what backed its position is watched by what is left of it', () => {
  const venue = venueWith({ thin: { main: { OX: '2000000' }, desk: {} }, rich: { main: RICH } });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  const main = venue.account('thin', 'main');
  const given = venue.outcome({
    kind: 'transfer',
    by: { key: venue.key('thin', 'main', 'trade') },
    asset: venue.asset('OX'),
    amount: parts('1600000'),
    from: main,
    to: venue.account('thin', 'desk'),
  });
  expect(given).toBe('transferred');
  // 2,700 USD lost of 4,000: less is left than the maintenance margin. Of 20,000 it would be nothing to look at.
  price(venue, { BTC: '57300' });
  expect(venue.state.accounts[main]?.liquidating).toBe(true);
});
