import { expect, test } from 'vitest';
import { type CoreVenue, parts, START_MS, venueWith } from '../../../test/support/core-venue.ts';
import { Golden } from '../../../test/support/golden.ts';
import { limitOrder } from '../../../test/support/limit-order.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { type KeyIndex, usdPrice } from '../../domain/units.ts';
import { audit } from '../audit/audit.ts';
import { newPremium } from '../memory/premium-samples.ts';
import { fundingRate } from '../risk/premium.ts';
import { hasPendingWork } from '../venue.ts';
import { view } from '../views/views.ts';
import { HOUR_MS } from './pay-funding.ts';

const FUNDS = { alice: { main: { OX: '100000' } }, bob: { main: { OX: '100000' } } };

function positions(market: string, lots: number, ticks: number): CoreVenue {
  const venue = venueWith(FUNDS);
  const scene = new Golden(venue, market);
  scene.do(`bob sell ${lots} @ ${ticks}`);
  scene.do(`alice buy ${lots} @ ${ticks}`);
  return venue;
}

/** Lets the hour end with a given premium, in 10^-12, and a given index. */
function endHour(
  venue: CoreVenue,
  marketCode: string,
  premium: bigint,
  index: string,
  seconds = 3_600,
) {
  const market = venue.state.markets[venue.market(marketCode)];
  if (market === undefined) throw new Error(marketCode);
  venue.apply({ kind: 'tick' });
  market.price.index = parts(index);
  market.premium.hourSum = premium * BigInt(seconds);
  market.premium.hourSeconds = seconds;
  venue.nowMs = (Math.floor(venue.nowMs / HOUR_MS) + 1) * HOUR_MS;
  return venue.apply({ kind: 'tick' });
}

test('payments are those of the captures, digit for digit', () => {
  // position, index, rate -> payment. A daily rate d comes from a premium of d + 0.0005.
  const rows: [lots: number, index: string, daily: bigint, rate: bigint, payment: string][] = [
    [1, '3077.3', 336_000_000n, 14_000n, '-0.00430822'],
    [1, '3064.5', 528_000_000n, 22_000n, '-0.0067419'],
    [50, '3090.5', 336_000_000n, 14_000n, '-0.216335'],
  ];
  for (const [lots, index, daily, rate, payment] of rows) {
    const venue = positions('ETH-USD-SWAP-LIN', lots, 30_000);
    const events = endHour(venue, 'ETH-USD-SWAP-LIN', daily + 500_000_000n, index);
    const paid = events.flatMap((event) => (event.kind === 'funding-paid' ? [event] : []));
    const alice = paid.find(({ account }) => account === venue.account('alice', 'main'));
    expect(alice?.rate).toBe(rate);
    expect(textFromParts(alice?.payment ?? 0n, 8)).toBe(payment);
    expect(audit(venue.state).faults).toEqual([]);
  }
});

test('who is ruined by a payment is liquidated by the same command', () => {
  const venue = venueWith({
    thin: { main: { OX: '400000' } },
    rich: { main: { OX: '100000000' } },
  });
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  scene.do('rich sell 10000 @ 60000');
  scene.do('thin buy 10000 @ 60000');
  // 143,800 OX of collateral against 143,700 of maintenance margin: the ratio is 99.9.
  scene.do('mark 57480');
  const isFailing = (): boolean | undefined =>
    view(venue.state, 'accounts', { accounts: [venue.account('thin', 'main')] })[0]?.liquidating;
  expect(isFailing()).toBe(false);
  const events = endHour(venue, 'BTC-USD-SWAP-LIN', 1_000_000_000n, '57480');
  expect(events.map(({ kind }) => kind)).toContain('liquidation-started');
  expect(isFailing()).toBe(true);
});

test('the payer rounds up, the receiver down, and the rest stays in the rounding purse', () => {
  const venue = positions('ETH-USD-SWAP-LIN', 1, 30_000);
  const events = endHour(venue, 'ETH-USD-SWAP-LIN', 836_000_000n, '3077.31234567');
  const [paid, received] = events.flatMap((e) => (e.kind === 'funding-paid' ? [e.payment] : []));
  expect((paid ?? 0n) + (received ?? 0n)).toBe(-1n);
  const { ledger, native } = venue.state;
  expect(ledger.available[3 * ledger.stride + native]).toBe(1n);
});

test('the rate is the premium beyond a dead zone around one basis point a day, capped', () => {
  const rate = (premium: bigint, seconds = 3_600): bigint =>
    fundingRate({ ...newPremium(), hourSum: premium * BigInt(seconds), hourSeconds: seconds });
  expect(rate(0n)).toBe(4_166n);
  expect(rate(600_000_000n)).toBe(4_166n);
  expect(rate(-400_000_000n)).toBe(4_166n);
  expect(rate(1_000_000_000n)).toBe(20_833n);
  expect(rate(-1_000_000_000n)).toBe(-20_833n);
  expect(rate(10n ** 12n)).toBe(1_250_000n);
  expect(rate(-(10n ** 12n))).toBe(-1_250_000n);
  // Less than half an hour of fresh prices: nothing is paid.
  expect(rate(10n ** 12n, 1_799)).toBe(0n);
});

test('an hour without fresh prices, and hours in which the venue stood still, are recorded with 0', () => {
  const venue = positions('ETH-USD-SWAP-LIN', 1, 30_000);
  endHour(venue, 'ETH-USD-SWAP-LIN', 836_000_000n, '3077.3', 100);
  venue.nowMs += 3 * HOUR_MS;
  const set = venue
    .apply({ kind: 'tick' })
    .flatMap((e) =>
      e.kind === 'funding-set' && e.market === venue.market('ETH-USD-SWAP-LIN') ? [e] : [],
    );
  expect(set.map(({ rate }) => rate)).toEqual([0n, 0n, 0n]);
  expect(set.map(({ atMs }) => atMs % HOUR_MS)).toEqual([0, 0, 0]);
});

test('the mark follows the book for two minutes, clamped to half the band', () => {
  const venue = venueWith(FUNDS);
  const scene = new Golden(venue, 'BTC-USD-SWAP-LIN');
  const mark = () => textFromParts(venue.state.markets[0]?.price.mark ?? 0n, 8);
  const seconds = (count: number) => {
    for (let i = 0; i < count; i++) {
      venue.nowMs += 1_000;
      const price = (asset: string, text: string) => ({ asset, price: usdPrice(parts(text)) });
      venue.apply({
        kind: 'set-index-prices',
        prices: [price('BTC', '60000'), price('OX', '0.01'), price('USDT', '1')],
      });
      venue.apply({ kind: 'tick' });
    }
  };
  seconds(10);
  expect(mark()).toBe('60000');
  // 1 million OX are 1,663.9 lots at 60,100 and 1,658.4 at 60,300.
  scene.do('alice buy 1664 @ 60100');
  scene.do('bob sell 1658 @ 60300');
  seconds(5);
  // A side that does not hold the impact notional counts as absent.
  expect(mark()).toBe('60000');
  scene.do('bob sell 1 @ 60300');
  seconds(60);
  // 60 of 75 samples say +200.
  expect(mark()).toBe('60160');
  seconds(60);
  expect(mark()).toBe('60200');
  expect(venue.nowMs).toBeGreaterThan(START_MS);
});

test('the account sample: position 0.0003 at mark 43,788.1, entry 43,976.7, balance 100,005.658', () => {
  const venue = venueWith({
    sample: { main: { OX: '100005.658' } },
    other: { main: { OX: '1000000' } },
  });
  const known = venue.state.markets[0]?.spec;
  if (known === undefined) throw new Error('no market');
  venue.apply({
    kind: 'define-market',
    actor: 'test',
    market: {
      ...known,
      code: 'SAMPLE-USD-SWAP-LIN',
      priceScale: 1,
      tickParts: 1n,
      tiers: [{ leverage: 10, notionalCap: 10n ** 18n }],
    },
  });
  const to = (text: string) => {
    for (let round = 0; round < 2; round++) {
      venue.apply({
        kind: 'set-index-prices',
        prices: [{ asset: 'BTC', price: usdPrice(parts(text)) }],
      });
    }
  };
  to('54500');
  to('49500');
  to('45000');
  to('43788.1');
  const scene = new Golden(venue, 'SAMPLE-USD-SWAP-LIN');
  const row = venue.account('sample', 'main');
  // The fee of the maker, 0.2638602 OX, is given back so that the balance is the sample's.
  scene.do('sample buy 3 @ 439767');
  scene.do('other sell 3 @ 439767');
  const { ledger, native } = venue.state;
  const fees = ledger.stride + native;
  const fee = parts('100005.658') - (ledger.available[row * ledger.stride + native] ?? 0n);
  ledger.available[row * ledger.stride + native] = parts('100005.658');
  ledger.available[fees] = (ledger.available[fees] ?? 0n) - fee;
  const [account] = view(venue.state, 'accounts', { accounts: [row] });
  const text = (value: bigint | undefined, scale = 8) => textFromParts(value ?? 0n, scale);
  expect(text(account?.positions[0]?.unrealised)).toBe('-5.658');
  expect(text(account?.notional)).toBe('1313.643');
  expect(text(account?.initialMargin)).toBe('131.3643');
  expect(text(account?.maintenanceMargin)).toBe('65.68215');
  expect(text(account?.collateral)).toBe('100000');
  expect(text(account?.marginRatio, 6)).toBe('0.065682');
  expect(text(account?.riskRatio, 6)).toBe('761.241829');
});

test('a command makes 10,000 payments; Continue commands make the rest before anything else', () => {
  const makers = 10_004;
  const people = Object.fromEntries(
    Array.from({ length: makers }, (_, at) => [`m${at}`, { main: { OX: '10000' } }] as const),
  );
  const venue = venueWith({ rich: { main: { OX: '100000000' } }, ...people });
  const index = venue.market('BTC-USD-SWAP-LIN');
  const place = (family: string, side: 'BUY' | 'SELL', lots: number): void => {
    const by = { key: venue.key(family, 'main', 'trade') };
    const orders = [limitOrder(index, side, 60_000, lots)];
    venue.apply({ kind: 'place-orders', by, source: 11, orders });
  };
  const keys = new Map(venue.state.keys.map((key, at) => [key.accessKey, at as KeyIndex]));
  for (let at = 0; at < makers; at++) {
    const by = { key: keys.get(`m${at}/main/read+trade`) as KeyIndex };
    const orders = [limitOrder(index, 'SELL', 60_000, 1)];
    venue.apply({ kind: 'place-orders', by, source: 11, orders });
  }
  place('rich', 'BUY', makers - 4);
  place('rich', 'BUY', 4);
  while (hasPendingWork(venue.state)) venue.apply({ kind: 'continue' });
  const first = endHour(venue, 'BTC-USD-SWAP-LIN', 836_000_000n, '60000');
  const paidIn = (events: ReturnType<typeof endHour>) =>
    events.flatMap((event) => (event.kind === 'funding-paid' ? [event.payment] : []));
  expect(paidIn(first)).toHaveLength(10_000);
  expect(hasPendingWork(venue.state)).toBe(true);
  const rest = venue.apply({ kind: 'continue' });
  expect(paidIn(rest)).toHaveLength(5);
  // The long pays first, in the first command; the shorts receive, rounded down.
  expect([...paidIn(first), ...paidIn(rest)].filter((payment) => payment < 0n)).toHaveLength(1);
  expect(venue.state.pending.fundingPayments).toEqual([]);
  expect(audit(venue.state).faults).toEqual([]);
});

test('an hour whose payments are more than can be counted pays nothing, and is recorded with rate 0', () => {
  const rich = { main: { OX: '8000000000' } };
  const venue = venueWith({ alice: rich, bob: rich });
  const scene = new Golden(venue, 'ETH-USD-SWAP-LIN');
  scene.do('bob sell 2000000 @ 30000');
  scene.do('alice buy 2000000 @ 30000');
  const events = endHour(venue, 'ETH-USD-SWAP-LIN', 10n ** 12n, '1000000000');
  const market = venue.market('ETH-USD-SWAP-LIN');
  expect(
    events.find((event) => event.kind === 'funding-set' && event.market === market),
  ).toMatchObject({ rate: 0n, seconds: 3_600 });
  expect(events.some(({ kind }) => kind === 'funding-paid')).toBe(false);
  expect(audit(venue.state).faults).toEqual([]);
});
