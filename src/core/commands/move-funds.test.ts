import { expect, test } from 'vitest';
import { parts, venueWith } from '../../../test/support/core-venue.ts';
import type { MoveFunds } from '../../domain/commands.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { holderIndex } from '../state.ts';

const FUNDS = { house: { main: { USDT: '50' }, desk: {} } };
const paidIn: MoveFunds = {
  ...{ kind: 'move-funds', actor: 'ann', from: { family: 'house', name: 'main' } },
  ...{ to: 'network-costs', asset: 'USDT', amount: parts('20'), reason: 'gas' },
};

test('an account that pays in gives exactly what is named, and its owner sees the event', () => {
  const venue = venueWith(FUNDS);
  const asset = venue.asset('USDT');
  const has = (holder: Parameters<typeof purseOf>[1]): bigint =>
    availableIn(venue.state.ledger, purseOf(venue.state.ledger, holder, asset));
  const main = venue.account('house', 'main');
  expect(venue.apply(paidIn)).toMatchObject([
    { kind: 'funds-moved', from: main, to: 'network-costs', asset, amount: parts('20') },
    {
      kind: 'operator-acted',
      subject: 'USDT from house/main to network-costs',
      before: 'house/main 50, network-costs 0',
      after: 'house/main 30, network-costs 20',
    },
  ]);
  expect([has(main), has(holderIndex('network-costs'))]).toEqual([parts('30'), parts('20')]);
});

test('a payment that is refused says why and changes nothing', () => {
  const venue = venueWith(FUNDS);
  const rows: [Partial<MoveFunds>, string][] = [
    [{ asset: 'SUN' }, 'ASSET_UNKNOWN'],
    [{ from: { family: 'house', name: 'none' } }, 'SUB_ACCOUNT_INVALID'],
    [{ from: { family: 'none', name: 'main' } }, 'SUB_ACCOUNT_INVALID'],
    [{ amount: parts('0') }, 'PARAMETER_INVALID'],
    [{ amount: parts('50.00000001') }, 'AVAILABLE_TOO_LOW'],
    [{ from: { family: 'house', name: 'desk' } }, 'AVAILABLE_TOO_LOW'],
    [{ to: 'deficit' }, 'LIMIT_REACHED'],
  ];
  for (const [changes, expected] of rows) {
    const before = venue.state.ledger.available.slice();
    expect(venue.outcome({ ...paidIn, ...changes })).toBe(expected);
    expect(venue.state.ledger.available).toEqual(before);
  }
});
