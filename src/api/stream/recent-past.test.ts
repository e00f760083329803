import { expect, test } from 'vitest';
import type { MarketIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { StreamSource } from './feed.ts';
import { RecentPast } from './recent-past.ts';

const market = 0 as MarketIndex;
const candles = { kind: 'candles', seconds: 60, market } as const;

/** A past whose reads are answered by hand. */
function setUp() {
  const waiting: { readonly answer: (row: unknown) => void; readonly fail: () => void }[] = [];
  const read = () =>
    new Promise<never>((resolve, reject) => {
      waiting.push({
        answer: resolve as (row: unknown) => void,
        fail: () => reject(new Error('the server is away')),
      });
    });
  const source = {
    sequence: 1,
    timeMs: 5_000,
    directory: { markets: () => [{}, {}] } as unknown as Directory,
    view: () => undefined as never,
  } satisfies StreamSource & { sequence: number };
  let reads = 0;
  const past = new RecentPast({ day: read, candle: read }, source, () => {
    reads++;
  });
  return { past, source, waiting, read: () => reads };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a channel waits for its first answer, and others for nothing', async () => {
  const { past, waiting, read } = setUp();
  expect(past.isReadyFor({ kind: 'trade', market })).toBe(true);
  expect(past.isReadyFor(candles)).toBe(false);
  expect(past.isReadyFor(candles)).toBe(false);
  expect(waiting).toHaveLength(1);
  waiting[0]?.answer({ close: 7n });
  await settled();
  expect(read()).toBe(1);
  expect(past.isReadyFor(candles)).toBe(true);
  expect(past.candle(market, 60_000)).toEqual({ close: 7n });
  expect(past.isReadyFor({ kind: 'ticker' })).toBe(false);
  expect(waiting).toHaveLength(3);
});

test('what is asked for is read again while the venue moves, seldom when it rests, and then no more', async () => {
  const { past, source, waiting } = setUp();
  past.beat(10_000);
  past.isReadyFor(candles);
  waiting[0]?.answer({ close: 1n });
  await settled();
  past.beat(10_100);
  expect(waiting).toHaveLength(1);
  past.beat(10_250);
  expect(waiting).toHaveLength(2);
  // One that is slow is not asked twice.
  past.beat(10_500);
  expect(waiting).toHaveLength(2);
  waiting[1]?.answer({ close: 2n });
  await settled();
  expect(past.candle(market, 60_000)).toEqual({ close: 2n });
  past.beat(12_000);
  waiting[2]?.answer({ close: 3n });
  await settled();
  past.beat(12_400);
  expect(waiting).toHaveLength(3);
  source.sequence++;
  past.beat(12_500);
  expect(waiting).toHaveLength(4);
  waiting[3]?.answer({ close: 4n });
  await settled();
  past.beat(40_000);
  past.beat(41_000);
  expect(waiting).toHaveLength(4);
});

test('a history that is away leaves the channel open and empty', async () => {
  const { past, waiting } = setUp();
  past.isReadyFor(candles);
  waiting[0]?.fail();
  await settled();
  expect(past.isReadyFor(candles)).toBe(true);
  expect(past.candle(market, 60_000)).toBeUndefined();
});
