import { expect, test } from 'vitest';
import { CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import { defaultCatalogue } from '../../defaults/catalogue.ts';
import type { Command, DefineMarket } from '../../domain/commands.ts';
import type { KeyIndex } from '../../domain/units.ts';
import { REQUESTS_MAX } from '../memory/requests.ts';

const account = (family: string, name: string): Command => ({
  kind: 'create-account',
  actor: 'test',
  account: { family, name },
  accountType: 'PORTFOLIO',
});

test('a family begins with main and has at most 50 sub-accounts with names of their own', () => {
  const venue = venueWith({});
  expect(venue.outcome(account('alice', 'desk'))).toBe('SUB_ACCOUNT_INVALID');
  expect(venue.outcome(account('alice', 'main'))).toBe('account-created');
  expect(venue.outcome(account('alice', 'main'))).toBe('ALREADY_EXISTS');
  expect(venue.outcome(account('alice', 'a,b'))).toBe('PARAMETER_INVALID');
  for (let i = 1; i <= 50; i++)
    expect(venue.outcome(account('alice', `s${i}`))).toBe('account-created');
  expect(venue.outcome(account('alice', 's51'))).toBe('LIMIT_REACHED');
});

test('a key may read, and only one of main that may trade may withdraw', () => {
  const venue = venueWith({ alice: { main: {}, desk: {} } });
  const key = (name: string, permissions: readonly ('read' | 'trade' | 'withdraw')[]): Command => ({
    kind: 'create-key',
    actor: 'test',
    account: { family: 'alice', name },
    accessKey: `${name}-${permissions.length}-${permissions.join()}-new`,
    sealedSecret: new Uint8Array(),
    permissions,
  });
  expect(venue.outcome(key('main', ['trade']))).toBe('PARAMETER_INVALID');
  expect(venue.outcome(key('desk', ['read', 'trade', 'withdraw']))).toBe('PARAMETER_INVALID');
  expect(venue.outcome(key('main', ['read', 'withdraw']))).toBe('PARAMETER_INVALID');
  expect(venue.outcome(key('nobody', ['read']))).toBe('SUB_ACCOUNT_INVALID');
  expect(venue.outcome(key('main', ['read', 'trade', 'withdraw']))).toBe('key-created');
  expect(venue.outcome(key('main', ['read', 'trade', 'withdraw']))).toBe('ALREADY_EXISTS');
});

test('one sub-account may be made inactive and active again', () => {
  const venue = venueWith({ alice: { main: {}, desk: {} } });
  const restrict = (restrictions: readonly ('inactive' | 'locked')[]): Command => ({
    kind: 'set-restrictions',
    actor: 'test',
    family: 'alice',
    subAccount: 'desk',
    restrictions,
  });
  const desk = venue.account('alice', 'desk');
  expect(venue.outcome(restrict(['locked']))).toBe('PARAMETER_INVALID');
  venue.apply(restrict(['inactive']));
  expect(venue.state.accounts[desk]?.isActive).toBe(false);
  venue.apply(restrict([]));
  expect(venue.state.accounts[desk]?.isActive).toBe(true);
});

test('a venue is opened once', () => {
  const venue = venueWith({});
  expect(venue.outcome({ kind: 'genesis', steps: [] })).toBe('ALREADY_EXISTS');
});

test('a market exists only if whatever it trades settles in whole parts', () => {
  const venue = venueWith({});
  const known = defaultCatalogue('test').find((step) => step.kind === 'define-market');
  if (known === undefined) throw new Error('the catalogue has markets');
  const { market: spec } = known;
  const define = (changes: Partial<DefineMarket['market']>): Command => ({
    ...known,
    market: { ...spec, code: 'NEW-USD-SWAP-LIN', ...changes },
  });
  const rows: [Partial<DefineMarket['market']>, string][] = [
    [{ code: spec.code }, 'ALREADY_EXISTS'],
    [{ base: 'NEW' }, 'ASSET_UNKNOWN'],
    [{ priceScale: 9, tickParts: 1n }, 'CATALOGUE_INVALID'],
    [{ tickParts: 0n }, 'CATALOGUE_INVALID'],
    [{ tiers: [] }, 'CATALOGUE_INVALID'],
    [{ impactNotional: 0n }, 'CATALOGUE_INVALID'],
    [{ impactNotional: 2n ** 62n }, 'CATALOGUE_INVALID'],
    [{ tiers: [...spec.tiers].reverse() }, 'CATALOGUE_INVALID'],
    [{ band: 0n }, 'CATALOGUE_INVALID'],
    [{ maxOrderLots: 0 }, 'CATALOGUE_INVALID'],
    [{}, 'market-defined'],
  ];
  for (const [changes, expected] of rows) expect(venue.outcome(define(changes))).toBe(expected);
});

test('an empty venue knows nobody and still audits', () => {
  const venue = new CoreVenue();
  expect(venue.outcome(account('alice', 'main'))).toBe('account-created');
});

test('an operator’s signed request takes effect once, in its time, however full the memory is', () => {
  const venue = venueWith({ alice: { main: {} } });
  const once = { fingerprint: 'f', signedAtMs: venue.nowMs, expiresAtMs: venue.nowMs + 60_000 };
  const restrict = { kind: 'set-restrictions', actor: 'operator:local', family: 'alice' } as const;
  const locked = { ...restrict, restrictions: ['locked'], once } as const;
  expect(venue.outcome(locked)).toBe('restrictions-set');
  expect(venue.outcome({ ...restrict, restrictions: [] })).toBe('restrictions-set');
  expect(venue.outcome(locked)).toBe('REPEATED_CLICK');
  expect(venue.state.families[0]?.restrictions).toEqual([]);
  const late = { ...once, fingerprint: 'g', expiresAtMs: venue.nowMs - 1 };
  expect(venue.outcome({ ...locked, once: late })).toBe('TIMESTAMP_OUT_OF_RANGE');
  venue.state.requests.count = REQUESTS_MAX;
  const busy = { ...once, fingerprint: 'h' };
  expect(venue.outcome({ kind: 'cancel-all', by: { key: 1 as KeyIndex, ...busy } })).toBe('BUSY');
  expect(venue.outcome({ ...locked, once: busy })).toBe('restrictions-set');
});
