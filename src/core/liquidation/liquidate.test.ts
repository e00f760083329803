import { expect, test } from 'vitest';
import { CoreVenue, parts, venueWith } from '../../../test/support/core-venue.ts';
import {
  DEFICIT,
  fillFund,
  INSURANCE,
  MARKET,
  pass,
  price,
  purse,
  RICH,
  ratioOf,
  steps,
  thinLong,
} from '../../../test/support/failing.ts';
import { Golden } from '../../../test/support/golden.ts';
import { usdPrice } from '../../domain/units.ts';
import { audit } from '../audit/audit.ts';
import { newCollateralTerms } from '../risk/collateral.ts';
import { marginOf } from '../risk/margin.ts';
import { stateFrom } from '../snapshot.ts';

test('at 50 what does not only reduce is cancelled, and new orders are refused', () => {
  const scene = thinLong();
  const { venue } = scene;
  scene.do('thin buy 1 @ 58000');
  scene.do('thin sell 5000 @ 63000');
  scene.do('thin sell 100 market stop 50000');
  const events = price(venue, { BTC: '58900' });
  expect(ratioOf(venue, 'thin')).toBeGreaterThanOrEqual(50);
  expect(ratioOf(venue, 'thin')).toBeLessThan(100);
  const closed = events.flatMap((event) => (event.kind === 'order-closed' ? [event] : []));
  expect(closed.map(({ order, reason }) => [order.priceTicks, reason])).toEqual([
    [58_000, 'MARGIN_TOO_LOW'],
  ]);
  expect(scene.do('thin buy 1 @ 58900')).toEqual(['refused MARGIN_TOO_LOW']);
  expect(scene.do('thin buy 1 market stop 66000')).toEqual(['refused MARGIN_TOO_LOW']);
  expect(scene.do('thin sell 5001 market stop 50000')).toEqual(['refused MARGIN_TOO_LOW']);
  expect(scene.do('thin sell 5000 market stop 50000')[0]).toContain('waits');
  expect(scene.do('thin sell 9000 market stop 50000 reduceOnly')[0]).toContain('waits');
  expect(scene.do('thin sell 100 @ 62000')[0]).toMatch('opens 100 @ 62000');
  expect(venue.state.pending.marginReviews.accounts).toEqual([]);
});

test('at 100 all orders go, and a slice a half second is sold into the book until the ratio is below 80', () => {
  const scene = thinLong();
  const { venue } = scene;
  scene.do('thin sell 5000 @ 63000');
  scene.do('other buy 20000 @ 57000');
  const events = price(venue, { BTC: '57300' });
  expect(events.map(({ kind }) => kind)).toContain('liquidation-started');
  expect(venue.state.accounts[venue.account('thin', 'main')]?.liquidating).toBe(true);
  expect(scene.do('thin sell 1 @ 57000')).toEqual(['refused ACCOUNT_STATUS']);
  const after = pass(venue, { BTC: '57300' });
  const [first] = steps(after);
  expect(first).toMatchObject({ phase: 'book', lots: 10_000 });
  // A fifth, or what brings the ratio to 80, whichever is more.
  expect(first?.sliceLots).toBeGreaterThanOrEqual(2_000);
  expect(ratioOf(venue, 'thin')).toBeLessThan(80);
  const matched = after.flatMap((event) => (event.kind === 'order-matched' ? [event] : []));
  expect(new Set(matched.map(({ taker }) => taker.source))).toEqual(new Set([103]));
  // The liquidated account pays no trading fee, but the fee of the fund.
  expect(matched.every(({ taker }) => taker.fee === 0n)).toBe(true);
  expect(purse(venue, INSURANCE)).toBe(steps(after).reduce((sum, { fee }) => sum + fee, 0n));
});

test('a gap through zero without insurance is closed against the winners, and the deficit is what they could not give', () => {
  const scene = thinLong({ OX: '350000' });
  const { venue } = scene;
  price(venue, { BTC: '54500' });
  const events = pass(venue, { BTC: '54500' });
  expect(steps(events).at(-1)).toMatchObject({ phase: 'adl', filledLots: 10_000 });
  expect(scene.position('thin')).toBe('flat');
  expect(scene.position('rich')).toBe('flat');
  // rich had a profit of 550,000 OX: it covers the hole, so nobody else pays.
  expect(purse(venue, DEFICIT)).toBe(0n);
  expect(purse(venue, venue.account('thin', 'main'))).toBeGreaterThanOrEqual(0n);
});

test('the winners give up no more than their profit: the fund pays the rest, then the deficit', () => {
  const venue = venueWith({
    thin: { main: { OX: '350000' } },
    rich: { main: RICH },
    late: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  // rich hands its short to late at 55,000 while the mark still stands at 55,000: late has no profit.
  price(venue, { BTC: '57000' });
  scene.do('late sell 10000 @ 54600');
  scene.do('rich buy 10000 @ 54600');
  price(venue, { BTC: '54500' });
  pass(venue, { BTC: '54500' });
  for (const who of ['thin', 'late', 'rich']) expect(scene.position(who)).toBe('flat');
  expect(purse(venue, DEFICIT)).toBeLessThan(0n);
  expect(purse(venue, venue.account('thin', 'main'))).toBe(0n);
});

test('what the fund earns repays the deficit first', () => {
  const scene = thinLong();
  const { venue } = scene;
  const deficit = DEFICIT * venue.state.ledger.stride + venue.state.native;
  const outside = venue.state.native;
  venue.state.ledger.available[deficit] = -parts('100');
  venue.state.ledger.available[outside] =
    (venue.state.ledger.available[outside] ?? 0n) + parts('100');
  scene.do('other buy 20000 @ 57400');
  price(venue, { BTC: '57300' });
  venue.nowMs += 500;
  venue.apply({ kind: 'tick' });
  expect(purse(venue, DEFICIT)).toBe(0n);
  expect(purse(venue, INSURANCE)).toBeGreaterThan(0n);
});

test('a gap through zero with insurance: the fund pays what the book is worse than the bankruptcy price', () => {
  const scene = thinLong({ OX: '350000' });
  const { venue } = scene;
  fillFund(venue, '10000000');
  price(venue, { BTC: '56500' });
  scene.do('other buy 20000 @ 54000');
  price(venue, { BTC: '54500' });
  const before = purse(venue, INSURANCE);
  const events = pass(venue, { BTC: '54500' });
  expect(steps(events).map(({ phase }) => phase)).toContain('insured');
  const help = steps(events).reduce((sum, step) => sum + step.help - step.fee, 0n);
  expect(before - purse(venue, INSURANCE)).toBe(help);
  expect(help).toBeGreaterThan(0n);
  expect(purse(venue, DEFICIT)).toBe(0n);
  expect(scene.position('thin')).toBe('flat');
  // Its winner on the other side keeps its position: nobody was called upon.
  expect(scene.position('rich')).toMatch(/^-10000 /);
});

test('a venue restored in the middle of a liquidation goes on like the one that never stopped', () => {
  const scene = thinLong();
  const { venue } = scene;
  scene.do('other buy 20000 @ 57000');
  price(venue, { BTC: '57300' });
  venue.nowMs += 500;
  venue.apply({ kind: 'tick' });
  const restored = new CoreVenue(stateFrom(venue.bytes()), venue.nowMs);
  for (const one of [venue, restored]) pass(one, { BTC: '57300' });
  expect(Buffer.compare(restored.bytes(), venue.bytes())).toBe(0);
});

test('a fill at the edge of the band that ruins its own account is noticed at once', () => {
  const venue = venueWith({
    fool: { main: { OX: '700000' } },
    friend: { main: RICH },
    other: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  // Sold far below the mark to a friend: accepted as a maker's order when it was fair.
  scene.do('other buy 10000 @ 60000');
  scene.do('fool sell 10000 @ 60000');
  scene.do('fool buy 2000 @ 57000');
  price(venue, { BTC: '57600' });
  scene.do('friend sell 2000 @ 54500');
  for (const [accountIndex, account] of venue.state.accounts.entries()) {
    if (account === null || account.liquidating) continue;
    const { collateral, maintenance } = marginOf(venue.state, accountIndex as never, account);
    expect(maintenance === 0n || maintenance < collateral).toBe(true);
  }
  expect(audit(venue.state).faults).toEqual([]);
});

test('native debt without positions, and with enough behind it, is no liquidation', () => {
  const venue = venueWith({ owes: { main: { USDT: '5000' } }, rich: { main: RICH } });
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 1000 @ 60000');
  scene.do('owes buy 1000 @ 60000');
  scene.do('rich buy 1000 @ 59500');
  scene.do('owes sell 1000 @ 59500');
  expect(scene.position('owes')).toBe('flat');
  expect(purse(venue, venue.account('owes', 'main'))).toBeLessThan(0n);
  expect(ratioOf(venue, 'owes')).toBeGreaterThan(0);
  expect(ratioOf(venue, 'owes')).toBeLessThan(50);
  expect(venue.state.liquidating).toEqual([]);
});

test('a backstop takes over at the bankruptcy price what the book does not', () => {
  const scene = thinLong();
  const { venue } = scene;
  venue.apply({
    kind: 'set-backstop',
    actor: 'test',
    account: { family: 'other', name: 'main' },
    market: MARKET,
    maxLots: 1_000,
  });
  price(venue, { BTC: '57300' });
  venue.nowMs += 500;
  const events = venue.apply({ kind: 'tick' });
  expect(steps(events)).toMatchObject([{ phase: 'backstop', filledLots: 1_000 }]);
  const matched = events.flatMap((event) => (event.kind === 'order-matched' ? [event] : []));
  expect(matched.map(({ taker, maker }) => [taker.source, maker.source, maker.fee])).toEqual([
    [150, 150, 0n],
  ]);
  expect(scene.position('other')).toMatch(/^1000 /);
  expect(audit(venue.state).faults).toEqual([]);
});

test('ADL calls first upon those who gain most on least, for exactly the lots', () => {
  const venue = venueWith({
    thin: { main: { OX: '400000' } },
    small: { main: { OX: '500000' } },
    large: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('small sell 4000 @ 60000');
  scene.do('large sell 6000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  price(venue, { BTC: '57300' });
  const events = pass(venue, { BTC: '57300' });
  const taken = new Map<number, number>();
  const order: number[] = [];
  for (const event of events) {
    if (event.kind !== 'order-matched') continue;
    expect(event.maker.source).toBe(108);
    const { account } = event.maker;
    if (order.at(-1) !== account) order.push(account);
    taken.set(account, (taken.get(account) ?? 0) + event.lots);
  }
  const [small, large] = [venue.account('small', 'main'), venue.account('large', 'main')];
  expect(order).toEqual([small, large]);
  expect([taken.get(small), taken.get(large)]).toEqual([4_000, 6_000]);
});

/**
 * A holder backed by other assets is long 5,000 lots, the price falls to 44,000 and somebody takes them there. The
 * spot books hold the orders named; returns what the last step of the price does.
 */
function fallOf(
  holder: Record<string, string>,
  spot: Readonly<Record<string, string | readonly string[]>> = {},
  prepare: (venue: CoreVenue) => void = () => {},
) {
  const venue = venueWith({
    holder: { main: holder },
    rich: { main: { ...RICH, BTC: '100' } },
    other: { main: RICH },
  });
  prepare(venue);
  const scene = new Golden(venue, MARKET);
  scene.do('rich sell 5000 @ 60000');
  scene.do('holder buy 5000 @ 60000');
  for (const mark of ['54500', '50000', '45500']) price(venue, { BTC: mark });
  for (const [market, orders] of Object.entries(spot)) {
    const book = new Golden(venue, market);
    for (const order of [orders].flat()) book.do(order);
  }
  scene.do('other buy 100000 @ 44000');
  price(venue, { BTC: '44000' });
  expect(venue.state.liquidating).toHaveLength(1);
  const events = pass(venue, { BTC: '44000' });
  const sales = events.flatMap((event) => (event.kind === 'collateral-sold' ? [event] : []));
  return { venue, scene, sales };
}

test('an account backed by BTC alone owes native, and its BTC is sold by the books', () => {
  const { venue, scene, sales } = fallOf(
    { BTC: '0.2' },
    { 'BTC-USDT': 'rich buy 1000000 @ 4300000', 'OX-USDT': 'rich sell 50000000 @ 1000' },
  );
  expect(sales.map(({ phase }) => phase)).toContain('book');
  expect(scene.position('holder')).toBe('flat');
  expect(ratioOf(venue, 'holder')).toBeLessThan(80);
});

test('an asset that nobody takes does not keep the next one from being sold', () => {
  const { venue, sales } = fallOf(
    // There is no market for USDC, the larger of the two.
    { USDC: '4600', BTC: '0.09' },
    { 'BTC-USDT': 'rich buy 1000000 @ 4300000', 'OX-USDT': 'rich sell 80000000 @ 1000' },
  );
  const ofBtc = sales.filter(({ asset }) => asset === venue.asset('BTC'));
  expect(ofBtc.map(({ phase }) => phase)).toContain('book');
  expect(ofBtc.reduce((sum, { repaid }) => sum + repaid, 0n)).toBeGreaterThan(parts('250000'));
  expect(venue.state.liquidating).toEqual([]);
});

test('all the USDT there is meets the book, not only what it would buy at the edge of the band', () => {
  const { sales } = fallOf({ USDT: '2900' }, { 'OX-USDT': 'rich sell 80000000 @ 1000' });
  // 2,735 USDT at the index pay all that is owed; a purchase that may cost 0.013 a piece would be for 2,230 of them.
  expect(sales).toMatchObject([{ phase: 'book', repaid: parts('273500'), debt: 0n }]);
});

test('a book of tiny offers bounds a step: the fund leaves the rest to the book, and the next step goes on', () => {
  const { sales } = fallOf(
    { USDT: '2900' },
    // 273,500 lots are needed, a match is for 20 of them, and a step makes 10,000 matches.
    { 'OX-USDT': Array.from({ length: 20 }, () => 'rich sell 20000 @ 1050 show 20') },
    (venue) => fillFund(venue, '1000000'),
  );
  expect(sales).toMatchObject([
    { phase: 'book', repaid: parts('200000') },
    { phase: 'book', repaid: parts('73500'), debt: 0n },
  ]);
});

test('a debt nobody buys the collateral of is paid by the fund and the deficit', () => {
  const { venue, sales } = fallOf({ BTC: '0.2' });
  const phases = sales.map(({ phase }) => phase);
  expect(phases.some((phase) => phase === 'fund' || phase === 'taken-over')).toBe(true);
  expect(purse(venue, venue.account('holder', 'main'))).toBe(0n);
});

test('an asset that repays nothing is taken over last, when all others have not been enough', () => {
  const worthless = (venue: CoreVenue) => {
    const sol = venue.state.assets[venue.asset('SOL')];
    Object.assign(sol?.spec ?? {}, { loanToValue: 0n });
    Object.assign(sol ?? {}, { collateral: newCollateralTerms() });
  };
  // By index the SOL are worth more than the BTC, which repay what is owed.
  const { venue, sales } = fallOf({ BTC: '0.2', SOL: '100' }, {}, worthless);
  const taken = sales.filter(({ phase }) => phase === 'taken-over');
  expect(taken.map(({ asset }) => asset)).toEqual([venue.asset('BTC')]);
  expect(taken[0]?.debt).toBe(0n);
});

test('the whole open interest of a market is liquidated, both sides against each other', () => {
  const venue = venueWith({
    long: { main: { OX: '320000' } },
    short: { main: { OX: '320000', BTC: '0' } },
    rich: { main: RICH },
  });
  const scene = new Golden(venue, MARKET);
  scene.do('short sell 10000 @ 60000');
  scene.do('long buy 10000 @ 60000');
  price(venue, { BTC: '57000' });
  pass(venue, { BTC: '57000' });
  expect(venue.state.markets[0]?.openInterestLots).toBe(0);
  expect(audit(venue.state).faults).toEqual([]);
});

test('a cascade of a thousand accounts ends, balanced', () => {
  const funds: Record<string, { main: Record<string, string> }> = { rich: { main: RICH } };
  for (let i = 0; i < 1_000; i++) funds[`t${i}`] = { main: { OX: String(3_500 + (i % 7) * 100) } };
  const venue = venueWith(funds);
  const scene = new Golden(venue, MARKET);
  for (let i = 0; i < 1_000; i++) {
    scene.do('rich sell 100 @ 60000');
    scene.do(`t${i} buy 100 @ 60000`);
  }
  const events = price(venue, { BTC: '56900' });
  expect(events.filter(({ kind }) => kind === 'liquidation-started').length).toBeGreaterThan(900);
  scene.do('rich buy 50000 @ 56500');
  pass(venue, { BTC: '56900' });
  expect(audit(venue.state).faults).toEqual([]);
});

test('liquidation waits while the market is stale, and goes on when prices are back', () => {
  const scene = thinLong();
  const { venue } = scene;
  scene.do('other buy 20000 @ 57000');
  price(venue, { BTC: '57300' });
  venue.apply({ kind: 'restart' });
  venue.nowMs += 500;
  expect(steps(venue.apply({ kind: 'tick' }))).toEqual([]);
  expect(scene.do('other buy 1 @ 57000')).toEqual(['refused MARKET_CLOSED']);
  pass(venue, { BTC: '57300' });
  expect(ratioOf(venue, 'thin')).toBeLessThan(80);
});

test('a price that jumps by more than a tenth counts when the next round confirms it', () => {
  const scene = thinLong();
  const { venue } = scene;
  const round = (text: string) =>
    venue.apply({
      kind: 'set-index-prices',
      prices: [{ asset: 'BTC', price: usdPrice(parts(text)) }],
    });
  const mark = () => venue.state.markets[0]?.price.mark;
  round('50000');
  expect(mark()).toBe(parts('60000'));
  round('40000');
  expect(mark()).toBe(parts('60000'));
  round('41000');
  expect(mark()).toBe(parts('41000'));
});
