import { expect, test } from 'vitest';
import { BTC, scene } from './scene.ts';

const HOUR_S = 3_600;
const written = (groups: readonly string[][]): number => groups.flat().length;

test('an idle venue writes nothing; the first order brings prices and time along, in one group', async () => {
  const { groups, pass, engine, order, btc } = await scene();
  expect(groups).toEqual([['set-index-prices']]);
  await pass(HOUR_S);
  expect(groups).toHaveLength(1);
  const { outcome } = await engine.submit(order('alice', 'BUY', 59_000, 10));
  expect(groups.slice(1)).toEqual([['set-index-prices', 'tick', 'place-orders']]);
  expect(outcome.events).toMatchObject([{ kind: 'order-opened' }]);
  expect((await btc()).isOperational).toBe(true);
});

test('an open order needs a tick and a round a second, until it is gone', async () => {
  const { groups, pass, engine, order, cancelAll } = await scene();
  await engine.submit(order('alice', 'BUY', 59_000, 10));
  const before = written(groups);
  await pass(60);
  expect(written(groups) - before).toBe(2 * 60);
  await engine.submit(cancelAll('alice'));
  const after = written(groups);
  await pass(HOUR_S);
  expect(written(groups)).toBe(after);
});

test('a position needs them, too, until it is closed', async () => {
  const { groups, pass, engine, order } = await scene();
  await engine.submit(order('alice', 'BUY', 60_000, 10));
  await engine.submit(order('bob', 'SELL', 60_000, 10));
  const before = written(groups);
  await pass(30);
  expect(written(groups) - before).toBe(2 * 30);
  await engine.submit(order('alice', 'SELL', 60_000, 10));
  await engine.submit(order('bob', 'BUY', 60_000, 10));
  const closed = written(groups);
  await pass(HOUR_S);
  expect(written(groups)).toBe(closed);
});

test('reads of an idle venue see the prices of their second, at two records a second at most', async () => {
  const { groups, pass, engine, quoted, btc, clock } = await scene();
  quoted.btc = '61000';
  await pass(HOUR_S);
  const view = await btc();
  expect(view).toMatchObject({ index: 6_100_000_000_000n, priceAtMs: clock.nowMs() });
  expect(groups.slice(1)).toEqual([['set-index-prices', 'tick']]);
  for (let call = 0; call < 50; call++) await btc();
  expect(groups).toHaveLength(2);
  await pass(1);
  await Promise.all([btc(), engine.view('clock', {}), engine.refreshed()]);
  expect(groups.slice(2)).toEqual([['set-index-prices', 'tick']]);
});

test('a read of history waits until what fell due in the pause is on disk, whoever woke the venue', async () => {
  const { pass, engine, sequencer } = await scene();
  await pass(HOUR_S);
  const first = engine.refreshed();
  await Promise.all([engine.refreshed(), first]);
  expect(engine.releasedSequence).toBe(sequencer.status().sequence);
  await engine.refreshed();
});

test('a listener of the stream ends a pause: an order right after it meets prices of its second', async () => {
  const { groups, pass, engine, order, btc, listeners } = await scene();
  await pass(60.2);
  listeners.any = true;
  const { outcome } = await engine.submit(order('alice', 'BUY', 59_000, 10));
  expect(outcome.events).toMatchObject([{ kind: 'order-opened' }]);
  expect(groups.slice(1)).toEqual([['set-index-prices', 'tick', 'place-orders']]);
  expect(await btc()).toMatchObject({ isOperational: true });
});

test('one who only listens gets prices with the first tick, and no market is closed before', async () => {
  const { groups, pass, listeners } = await scene();
  await pass(60.2);
  listeners.any = true;
  await pass(0.05);
  expect(groups.slice(1)).toEqual([['set-index-prices', 'tick']]);
  await pass(3);
  const later = groups.slice(2).flat();
  expect(later.filter((kind) => kind === 'tick')).toHaveLength(3);
  expect(later).toHaveLength(6);
});

test('a jump during the pause was seen twice, so nobody waits for its confirmation', async () => {
  const { pass, quoted, btc, groups } = await scene();
  await pass(60);
  quoted.btc = '90000';
  await pass(60);
  expect(await btc()).toMatchObject({ index: 9_000_000_000_000n, isOperational: true });
  expect(groups.slice(1)).toEqual([['set-index-prices', 'set-index-prices', 'tick']]);
});

test('one that was seen only once still waits for the next round', async () => {
  const { pass, quoted, btc } = await scene();
  await pass(60);
  quoted.btc = '90000';
  // The source is called in this second; the held round still has the old price.
  await pass(1);
  expect(await btc()).toMatchObject({ index: 6_000_000_000_000n });
  await pass(1);
  expect(await btc()).toMatchObject({ index: 9_000_000_000_000n, isOperational: true });
});

test('without a source old prices are not taken for new ones', async () => {
  const { pass, quoted, btc, engine, order, groups } = await scene();
  quoted.btc = undefined;
  await pass(60);
  expect(await btc()).toMatchObject({ isOperational: false });
  expect(groups.slice(1)).toEqual([['tick']]);
  const { outcome } = await engine.submit(order('alice', 'BUY', 59_000, 10));
  expect(outcome.events).toMatchObject([{ reason: 'MARKET_CLOSED' }]);
  quoted.btc = '60000';
  await pass(2);
  expect(await btc()).toMatchObject({ isOperational: true });
});

test('hours of a pause have the rate 0, and are recorded before anything else', async () => {
  const { pass, engine, order, venue } = await scene();
  const market = venue.market(BTC);
  await pass(5 * HOUR_S);
  const { outcome } = await engine.submit(order('alice', 'BUY', 59_000, 10));
  expect(outcome.sequence).toBe(4);
  const { premium } = venue.state.markets[market] ?? { premium: undefined };
  expect(premium?.hour).toBe(Math.floor(venue.state.timeMs / 3_600_000));
  expect(premium?.hourSeconds).toBe(1);
});

test('marks after a pause are those of a venue that ticks all the time', async () => {
  for (const pause of [1, 45, 119, 121]) {
    const [idle, awake] = await Promise.all([scene(), scene({ isAlwaysAwake: true })]);
    const marks = [];
    for (const { engine, order, cancelAll, pass, btc } of [idle, awake]) {
      await pass(200);
      // Enough on both sides for impact prices, well above the index.
      await engine.submit(order('alice', 'BUY', 60_400, 2_000));
      await engine.submit(order('bob', 'SELL', 60_500, 2_000));
      await pass(90);
      const before = await btc();
      await engine.submit(cancelAll('alice'));
      await engine.submit(cancelAll('bob'));
      await pass(pause);
      const after = await btc();
      marks.push([before.mark, after.mark, after.lowerTicks, after.upperTicks]);
    }
    expect(marks[0], `after ${pause} s`).toEqual(marks[1]);
    expect(marks[0]?.[0]).toBeGreaterThan(6_000_000_000_000n);
    if (pause > 120) expect(marks[0]?.[1]).toBe(6_000_000_000_000n);
  }
});

test('a key that expired in the pause, and a step of the clock in it', async () => {
  const { pass, engine, sequencer, clock, btc } = await scene();
  const account = { family: 'alice', name: 'main' };
  const expiresAtMs = clock.nowMs() + 60_000;
  await engine.submit({
    kind: 'create-key',
    actor: 'test',
    account,
    accessKey: 'short',
    sealedSecret: new Uint8Array([1]),
    permissions: ['read', 'trade'],
    expiresAtMs,
  });
  const key = engine.directory.keyByAccess('short')?.key;
  if (key === undefined) throw new Error('the key was made');
  await pass(61);
  const { outcome } = await engine.submit({ kind: 'cancel-all', by: { key } });
  expect(outcome.events).toMatchObject([{ kind: 'refused', reason: 'KEY_UNKNOWN' }]);
  // The clock watch uses the writer directly: a step is not a request, and wakes nobody.
  const fromMs = clock.nowMs();
  await sequencer.submit({ kind: 'step-clock', actor: 'clock', fromMs, toMs: fromMs + 200_000 });
  expect(await btc()).toMatchObject({ isOperational: false, priceAtMs: fromMs });
  await pass(1);
  expect(await btc()).toMatchObject({ isOperational: true, priceAtMs: fromMs + 201_000 });
});
