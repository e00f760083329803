import { expect, test } from 'vitest';
import { parts, venueWith } from '../../../test/support/core-venue.ts';
import type { MoveFunds } from '../../domain/commands.ts';
import { amount } from '../../domain/units.ts';
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

const HOUSE = { family: 'house', name: 'main' };
const paidOut: MoveFunds = { ...paidIn, from: 'fees', to: HOUSE, amount: parts('5') };

/** A venue with 20 USDT in `fees`, what the account of the house and `fees` have, and a payment by an operator. */
function earning() {
  const venue = venueWith(FUNDS);
  expect(venue.outcome({ ...paidIn, to: 'fees' })).toBe('funds-moved');
  const { ledger } = venue.state;
  const of = (holder: Parameters<typeof purseOf>[1]): bigint =>
    availableIn(ledger, purseOf(ledger, holder, venue.asset('USDT')));
  const main = venue.account('house', 'main');
  const has = (): bigint[] => [of(main), of(holderIndex('fees'))];
  const ask = (actor: string, changes: Partial<MoveFunds> = {}) =>
    venue.outcome({ ...paidOut, actor, ...changes });
  return { venue, main, has, ask };
}

test('what the venue has earned goes to an account when two operators ask for the same within a day', () => {
  const { venue, main, has, ask } = earning();
  expect(venue.apply(paidOut)).toMatchObject([
    {
      ...{ kind: 'operator-acted', actor: 'ann', subject: 'USDT from fees to house/main' },
      before: 'fees 20, house/main 30',
      after: 'fees 20, house/main 30, 5 asked for by ann',
    },
  ]);
  expect(ask('ann')).toBe('REPEATED_CLICK');
  expect(has()).toEqual([parts('30'), parts('20')]);
  const asset = venue.asset('USDT');
  expect(venue.apply({ ...paidOut, actor: 'bob' })).toMatchObject([
    { kind: 'funds-moved', from: 'fees', to: main, asset, amount: parts('5') },
    { kind: 'operator-acted', after: 'fees 15, house/main 35' },
  ]);
  expect(has()).toEqual([parts('35'), parts('15')]);
  // The two requests are used up: for another payment both must ask again.
  expect(ask('bob')).toBe('operator-acted');
  expect(has()).toEqual([parts('35'), parts('15')]);
});

test('a second operator who asks for something else, or a day later, confirms nothing', () => {
  const { venue, has, ask } = earning();
  ask('ann');
  const others: Partial<MoveFunds>[] = [
    { amount: parts('6') },
    { to: { family: 'house', name: 'desk' } },
    { from: 'insurance' },
  ];
  for (const changes of others) ask('bob', changes);
  expect(has()).toEqual([parts('30'), parts('20')]);
  venue.nowMs += 86_400_000;
  expect(ask('bob')).toBe('operator-acted');
  expect(has()).toEqual([parts('30'), parts('20')]);
  expect(ask('ann')).toBe('funds-moved');
  expect(has()).toEqual([parts('35'), parts('15')]);
});

test('a payment to an account is checked again when it is confirmed, and requests that wait are bounded', () => {
  const { venue, has, ask } = earning();
  ask('ann', { amount: parts('15') });
  expect(venue.outcome({ ...paidIn, from: 'fees', to: 'insurance', amount: parts('6') })).toBe(
    'funds-moved',
  );
  expect(ask('bob', { amount: parts('15') })).toBe('AVAILABLE_TOO_LOW');
  expect(has()).toEqual([parts('30'), parts('14')]);
  for (let count = 2; count <= 100; count++) {
    expect(ask('ann', { amount: amount(BigInt(count)) })).toBe('operator-acted');
  }
  expect(ask('ann')).toBe('LIMIT_REACHED');
  expect(venue.state.wallet.payOuts.length).toBe(100);
  venue.nowMs += 86_400_000;
  expect(ask('ann')).toBe('operator-acted');
  expect(venue.state.wallet.payOuts.length).toBe(1);
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
    [{ to: HOUSE }, 'SAME_ACCOUNT'],
    [{ to: { family: 'house', name: 'desk' } }, 'PARAMETER_INVALID'],
    [{ from: 'fees', to: { family: 'none', name: 'main' } }, 'SUB_ACCOUNT_INVALID'],
    [{ from: 'fees', to: HOUSE }, 'AVAILABLE_TOO_LOW'],
    [{ from: 'deficit', to: HOUSE }, 'PARAMETER_INVALID'],
  ];
  for (const [changes, expected] of rows) {
    const before = venue.state.ledger.available.slice();
    expect(venue.outcome({ ...paidIn, ...changes })).toBe(expected);
    expect(venue.state.ledger.available).toEqual(before);
  }
});
