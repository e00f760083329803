import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CoreVenue, parts, START_MS, venueWith } from '../../test/support/core-venue.ts';
import { type Plain, pack } from '../bytes/pack.ts';
import type { Command } from '../domain/commands.ts';
import type { AccountIndex, AssetIndex, KeyIndex } from '../domain/units.ts';
import { amount } from '../domain/units.ts';
import { audit } from './audit/audit.ts';
import { stateFrom } from './snapshot.ts';
import { newState, type State } from './state.ts';

const FUNDS = {
  alice: { main: { USDT: '50', OX: '1000' }, a: { BTC: '1' }, b: {} },
  bob: { main: { USDT: '9' }, a: {} },
};

/** Anything a caller or an operator may try, sense or nonsense. */
const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        // Mostly what exists, so that many succeed: accounts are rows 11 to 15, keys 0 to 11.
        key: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(1, 2, 8)),
        fingerprint: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
        expires: fc.integer({ min: 0, max: 120_000 }),
        asset: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constant(1)),
        quantity: fc.oneof(fc.bigInt({ min: -5n, max: 6_000_000_000n }), fc.constant(2n ** 61n)),
        from: fc.integer({ min: 10, max: 16 }),
        to: fc.integer({ min: 10, max: 16 }),
      })
      .map(
        ({ key, fingerprint, expires, asset, quantity, from, to }): Command => ({
          kind: 'transfer',
          by: {
            key: key as KeyIndex,
            ...(fingerprint === undefined ? {} : { fingerprint, expiresAtMs: START_MS + expires }),
          },
          asset: asset as AssetIndex,
          amount: amount(quantity),
          from: from as AccountIndex,
          to: to as AccountIndex,
        }),
      ),
  },
  fc.constantFrom<Command>(
    { kind: 'set-index-prices', prices: [{ asset: 'BTC', price: 5n as never }] },
    { kind: 'set-index-prices', prices: [{ asset: 'NONE', price: 5n as never }] },
    { kind: 'set-restrictions', actor: 't', family: 'alice', restrictions: ['locked'] },
    { kind: 'set-restrictions', actor: 't', family: 'alice', restrictions: [] },
    { kind: 'genesis', steps: [] },
    {
      kind: 'create-account',
      actor: 't',
      account: { family: 'alice', name: 'new' },
      accountType: 'LINEAR',
    },
    {
      kind: 'define-asset',
      actor: 't',
      asset: { code: 'DOGE', scale: 8, loanToValue: 0n },
    },
    {
      kind: 'define-asset',
      actor: 't',
      asset: { code: 'LTC', scale: 8, loanToValue: 0n },
    },
  ),
);
const anyStep = fc.tuple(anyCommand, fc.integer({ min: 0, max: 5_000 }));

/** What may never happen, whatever is tried; recomputed from the ledger, not from the audit. */
function faultsOf(state: State): string[] {
  const faults: string[] = [];
  const { ledger } = state;
  for (let asset = 0; asset < state.assets.length; asset++) {
    let sum = 0n;
    for (let row = 0; row < ledger.rows; row++) {
      const purse = row * ledger.stride + asset;
      const available = ledger.available[purse] ?? 0n;
      const reserved = ledger.reserved[purse] ?? 0n;
      sum += available + reserved;
      if (reserved < 0n) faults.push(`reserved of row ${row} is negative`);
      const mayOwe = row === 0 || row === 4 || state.assets[asset]?.spec.code === 'OX';
      if (available < 0n && !mayOwe) faults.push(`row ${row} owes asset ${asset}`);
    }
    if (sum !== 0n) faults.push(`asset ${asset} sums to ${sum}`);
  }
  return faults;
}

/** The state without what every command may change: its place, its digest, the memory of requests. */
function changeable(state: State): Uint8Array {
  const { requests: _r, digest: _d, sequence: _s, timeMs: _t, feeDay: _f, ...kept } = state;
  return pack(kept as unknown as Plain);
}

/** Bit for bit. Not `toEqual`, which looks at every byte of a large state by itself. */
const isSame = (one: CoreVenue, other: CoreVenue): boolean =>
  Buffer.compare(one.bytes(), other.bytes()) === 0;

const run = (venue: CoreVenue, steps: readonly (readonly [Command, number])[]): void => {
  for (const [command, laterMs] of steps) {
    venue.nowMs += laterMs;
    venue.apply(command);
  }
};

test('whatever is requested, value is neither made nor lost, and nobody owes who may not', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
      const venue = venueWith(FUNDS);
      for (const step of steps) {
        run(venue, [step]);
        expect(faultsOf(venue.state)).toEqual([]);
      }
      expect(audit(venue.state).faults).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('the same commands give the same events and the same state, bit for bit', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
      const one = venueWith(FUNDS);
      const other = venueWith(FUNDS);
      run(one, steps);
      run(other, steps);
      expect(isSame(other, one)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('a venue restored from a snapshot goes on exactly like the one that never stopped', () => {
  fc.assert(
    fc.property(
      fc.array(anyStep, { maxLength: 60 }),
      fc.array(anyStep, { maxLength: 60 }),
      (before, after) => {
        const live = venueWith(FUNDS);
        run(live, before);
        const restored = new CoreVenue(stateFrom(live.bytes()), live.nowMs);
        expect(isSame(restored, live)).toBe(true);
        run(live, after);
        run(restored, after);
        expect(isSame(restored, live)).toBe(true);
        expect(restored.state.digest).toEqual(live.state.digest);
      },
    ),
    { numRuns: 100 },
  );
});

test('a refused command changes nothing but the memory of the request', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), anyStep, (before, [command]) => {
      const venue = venueWith(FUNDS);
      run(venue, before);
      const kept = changeable(venue.state);
      const [event] = venue.apply(command);
      if (event?.kind !== 'refused') return;
      expect(Buffer.compare(changeable(venue.state), kept)).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('the audit finds value made from nothing, a debt that may not be, and a wrong crossing', () => {
  const planted: [string, (state: State) => void][] = [
    [
      'do not sum to zero',
      (s) => {
        s.ledger.available[7 * s.ledger.stride + 1] = parts('51');
      },
    ],
    [
      'owes USDT',
      (s) => {
        s.ledger.available[7 * s.ledger.stride + 1] = -1n;
      },
    ],
    [
      'reserves less',
      (s) => {
        s.ledger.reserved[7 * s.ledger.stride + 1] = -1n;
      },
    ],
    [
      'genesis + deposits',
      (s) => {
        const crossed = s.assets[1]?.crossed;
        if (crossed !== undefined) crossed.deposits = parts('1');
      },
    ],
    [
      'counted wrong',
      (s) => {
        s.requests.count = 5;
      },
    ],
  ];
  for (const [expected, plant] of planted) {
    const { state } = venueWith(FUNDS);
    expect(audit(state).faults).toEqual([]);
    plant(state);
    expect(audit(state).faults.join()).toContain(expected);
  }
  expect(audit(newState()).faults).toEqual([]);
});
