import { expect, test } from 'vitest';
import { type CoreVenue, venueWith } from '../../../test/support/core-venue.ts';
import {
  DEFICIT,
  fillFund,
  INSURANCE,
  MARKET,
  pass,
  price,
  purse,
  RICH,
  steps,
  thinLong,
} from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import type { Event } from '../../domain/events.ts';
import { audit } from '../audit/audit.ts';
import { marginOf } from '../risk/margin.ts';

/** `thin`, 1 BTC long, at ratio 115 and half a second before its first step. */
function failing(funds?: Readonly<Record<string, string>>): Golden {
  const scene = thinLong(funds);
  price(scene.venue, { BTC: '57300' });
  expect(scene.venue.state.liquidating).toHaveLength(1);
  return scene;
}

function backstop(venue: CoreVenue, maxLots: number, family = 'other'): void {
  const account = { family, name: 'main' };
  venue.apply({ kind: 'set-backstop', actor: 'test', account, market: MARKET, maxLots });
}

/** Half a second passes; what the step did. */
function step(venue: CoreVenue): Event[] {
  venue.nowMs += 500;
  const events = venue.apply({ kind: 'tick' });
  expect(audit(venue.state).faults).toEqual([]);
  return events;
}

const phasesOf = (events: readonly Event[]): [string, number][] =>
  steps(events).map(({ phase, filledLots }) => [phase, filledLots]);

test('what the book leaves of a slice goes to the backstop in the same step', () => {
  const scene = failing();
  const { venue } = scene;
  scene.do('other buy 7 @ 57000');
  backstop(venue, 1_000_000);
  const [first, second, ...more] = steps(step(venue));
  expect(more).toEqual([]);
  expect([first?.phase, first?.filledLots]).toEqual(['book', 7]);
  expect([second?.phase, second?.filledLots]).toEqual(['backstop', (second?.sliceLots ?? 0) - 7]);
});

test('a provider that a size of 0 has ended takes nothing, though it could reduce its own position', () => {
  const { venue } = failing();
  // rich is short what thin is long.
  backstop(venue, 5, 'rich');
  backstop(venue, 0, 'rich');
  expect(phasesOf(step(venue))).toEqual([['nobody', 0]]);
});

test('a lot a step from a friend delays nothing: the fifth step closes what is left of its slice by ADL', () => {
  const scene = failing();
  const { venue } = scene;
  for (let at = 1; at <= 4; at++) {
    scene.do('other buy 1 @ 57000');
    expect(phasesOf(step(venue))).toEqual([['book', 1]]);
  }
  scene.do('other buy 1 @ 57000');
  const [book, adl, ...more] = steps(step(venue));
  expect(more).toEqual([]);
  expect([book?.phase, book?.filledLots]).toEqual(['book', 1]);
  expect([adl?.phase, adl?.filledLots]).toEqual(['adl', (adl?.sliceLots ?? 0) - 1]);
});

test('nobody there: from the fifth step on slice after slice is closed by ADL, until nothing is left', () => {
  const scene = failing();
  const { venue } = scene;
  const events = pass(venue, { BTC: '57300' });
  const phases = steps(events).map(({ phase }) => phase);
  expect(phases.slice(0, 5)).toEqual(['nobody', 'nobody', 'nobody', 'nobody', 'adl']);
  expect(new Set(phases.slice(4))).toEqual(new Set(['adl']));
  for (const { phase, sliceLots, filledLots } of steps(events)) {
    expect(filledLots).toBe(phase === 'adl' ? sliceLots : 0);
  }
  expect(scene.position('thin')).toBe('flat');
});

test('a slice that closes whole begins the count anew', () => {
  const scene = failing();
  const { venue } = scene;
  for (let at = 1; at <= 3; at++) expect(phasesOf(step(venue))).toEqual([['nobody', 0]]);
  // One slice at the bankruptcy price, and no more: what is left is as bad as before.
  const [fourth] = steps(step(venue));
  const { sliceLots = 0, bankruptcyTicks = 0 } = fourth ?? {};
  scene.do(`other buy ${sliceLots} @ ${bankruptcyTicks}`);
  expect(phasesOf(step(venue))).toEqual([['book', sliceLots]]);
  for (let at = 1; at <= 4; at++) expect(phasesOf(step(venue))).toEqual([['nobody', 0]]);
  expect(phasesOf(step(venue)).map(([phase]) => phase)).toEqual(['adl']);
});

test('without collateral the backstop is passed over, and ADL closes the slice at once', () => {
  const scene = thinLong({ OX: '350000' });
  const { venue } = scene;
  backstop(venue, 1_000_000);
  price(venue, { BTC: '54500' });
  expect(phasesOf(step(venue))).toEqual([['adl', 10_000]]);
  expect(scene.position('other')).toBe('flat');
});

test('the fee is rounded up from the exact notional', () => {
  const venue = venueWith({ thin: { main: { OX: '40' } }, rich: { main: RICH } });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 1 @ 60000');
  scene.do('thin buy 1 @ 60000');
  price(venue, { BTC: '57300.00000001' });
  scene.do('rich buy 1 @ 57300');
  // 0.0001 x 57300.00000001 x 100 x 0.5 % = 2.8650000000005.
  expect(steps(step(venue)).map(({ fee }) => fee)).toEqual([286_500_001n]);
});

test('the fund helps with what the book and the backstop have left', () => {
  const scene = failing();
  const { venue } = scene;
  fillFund(venue, '100000');
  backstop(venue, 30);
  scene.do('other buy 20 @ 57000');
  scene.do('rich buy 30 @ 55000');
  const parts = steps(step(venue));
  expect(parts.map(({ phase, filledLots }) => [phase, filledLots])).toEqual([
    ['book', 20],
    ['backstop', 10],
    ['insured', 30],
  ]);
  const insured = parts[2];
  const below = (insured?.bankruptcyTicks ?? 0) - 55_000;
  expect(insured?.help).toBe(BigInt(below) * 30n * (venue.state.markets[0]?.perTickLot ?? 0n));
});

test('a backstop that may not trade takes nothing over; one that may not withdraw does', () => {
  const { venue } = failing();
  backstop(venue, 1_000_000);
  const restrict = (restrictions: readonly ('no-trade' | 'no-withdraw')[]): void => {
    venue.apply({ kind: 'set-restrictions', actor: 'test', family: 'other', restrictions });
  };
  restrict(['no-trade']);
  expect(phasesOf(step(venue))).toEqual([['nobody', 0]]);
  restrict(['no-withdraw']);
  expect(phasesOf(step(venue)).map(([phase]) => phase)).toEqual(['backstop']);
});

test('a backstop takes over as much as its margin carries', () => {
  const venue = venueWith({
    thin: { main: { OX: '400000' } },
    rich: { main: RICH },
    other: { main: { OX: '30000' } },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  price(venue, { BTC: '57300' });
  backstop(venue, 1_000_000);
  const [taken] = steps(step(venue));
  expect(taken?.phase).toBe('backstop');
  // 0.1 BTC ask for 28,650 OX at the mark; bought below it, some more is carried.
  expect(taken?.filledLots).toBeGreaterThan(1_000);
  expect(taken?.filledLots).toBeLessThan(taken?.sliceLots ?? 0);
  const accountIndex = venue.account('other', 'main');
  const account = venue.state.accounts[accountIndex];
  if (account === undefined || account === null) throw new Error('other');
  const { collateral, initial } = marginOf(venue.state, accountIndex, account);
  expect(collateral).toBeGreaterThanOrEqual(initial);
  // One lot more would be worth 286.5 OX of margin.
  expect(collateral - initial).toBeLessThan(30_000_000_000n);
});

test('a backstop below its initial margin still takes what reduces its own position', () => {
  const venue = venueWith({
    thin: { main: { OX: '400000' } },
    rich: { main: RICH },
    other: { main: { OX: '1100000' } },
  });
  const scene = new Golden(venue, MARKET);
  const ether = new Golden(venue, 'ETH-USD-SWAP-LIN');
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  scene.do('rich buy 30000 @ 60000');
  scene.do('other sell 30000 @ 60000');
  ether.do('rich sell 10000 @ 30000');
  ether.do('other buy 10000 @ 30000');
  backstop(venue, 1_000_000);
  price(venue, { BTC: '57300', ETH: '1800' });
  const accountIndex = venue.account('other', 'main');
  const account = venue.state.accounts[accountIndex];
  if (account === undefined || account === null) throw new Error('other');
  const { collateral, initial } = marginOf(venue.state, accountIndex, account);
  expect(collateral).toBeLessThan(initial);
  const [taken, ...more] = steps(step(venue));
  expect([taken?.phase, taken?.filledLots, more]).toEqual(['backstop', taken?.sliceLots, []]);
});

test('the fee is taken once a step, and leaves 1.25 of the margin of what is left', () => {
  const scene = failing();
  const { venue } = scene;
  scene.do('other buy 20000 @ 57400');
  const accountIndex = venue.account('thin', 'main');
  const account = venue.state.accounts[accountIndex];
  if (account === undefined || account === null) throw new Error('thin');
  const dueFor = (lots: number): bigint =>
    (BigInt(lots) * 57_300n * (venue.state.markets[0]?.perTickLot ?? 0n)) / 200n;

  // What brings the ratio to 80 at the mark was sold 100 USD above it: that much there is to spare.
  const [first] = steps(step(venue));
  const after = marginOf(venue.state, accountIndex, account);
  expect(first?.fee).toBeGreaterThan(0n);
  expect(first?.fee).toBeLessThan(dueFor(first?.filledLots ?? 0));
  expect(4n * after.collateral - 5n * after.maintenance).toBeLessThan(4n);
  expect(4n * after.collateral).toBeGreaterThanOrEqual(5n * after.maintenance);

  // Ratio 80 is not below it. A fifth more leaves enough for the whole fee.
  const [second] = steps(step(venue));
  expect([second?.phase, second?.filledLots]).toEqual(['book', 2_000]);
  expect(second?.fee).toBe(dueFor(2_000));
  expect(venue.state.liquidating).toEqual([]);
  expect(purse(venue, INSURANCE)).toBe((first?.fee ?? 0n) + (second?.fee ?? 0n));
  expect(purse(venue, DEFICIT)).toBe(0n);
});

test('steps come on a grid of half seconds from the start; a late tick does one of them', () => {
  const scene = thinLong();
  const { venue } = scene;
  venue.nowMs += 130;
  price(venue, { BTC: '57300' });
  const startMs = venue.nowMs;
  const isStep = (afterMs: number): boolean => {
    venue.nowMs = startMs + afterMs;
    return steps(venue.apply({ kind: 'tick' })).length > 0;
  };
  const seen = [499, 500, 999, 1_100, 1_400, 1_499, 1_500, 3_700, 3_900, 4_000].map(isStep);
  expect(seen).toEqual([
    false,
    true,
    false,
    true,
    false,
    false,
    true,
    // 2,000 to 3,500 were missed, and are not made up for.
    true,
    false,
    true,
  ]);
});
