import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RialtoClient } from '../../src/client/index.ts';
import { manualClocks } from '../../src/engine/clock.ts';
import type { Venue } from '../../src/main.ts';
import { StreamClient } from '../stream/stream-client.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { BTC, limit, place } from './trading.ts';

/** The whole program, with clocks and timers controlled by the test. */
const HOUR_MS = 3_600_000;
const START_MS = 1_750_000_000_000;
const clocks = manualClocks(START_MS);
const timers: (() => void)[] = [];
let running: InProcess;
let venue: Venue;
let client: RialtoClient;
beforeAll(async () => {
  running = await startInProcess({
    clocks,
    every: (_periodMs, run) => {
      timers.push(run);
      return () => undefined;
    },
  });
  venue = running.venue;
  client = running.clientOf(0);
});
afterAll(() => running?.stop());

/** Some seconds pass by the timers; the rest of the time is skipped, because nothing would happen in it. */
async function pass(ms: number): Promise<void> {
  clocks.advance(ms - 2_000);
  for (let left = 2; left > 0; left--) {
    clocks.advance(1_000);
    for (const run of timers) run();
    await durable();
  }
}
/** Waits until the commands of the timers are on disk and answered. */
async function durable(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (venue.engine.releasedSequence < sequence());
  await new Promise((resolve) => setImmediate(resolve));
}
const sequence = (): number => venue.engine.status().sequence;
const metric = async (name: string): Promise<string | undefined> => {
  const text = await (await fetch(`${venue.managementUrl}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(`${name} `));
};

test('hours without users leave nothing in the journal, and a metric tells it', async () => {
  await pass(1_000);
  const before = sequence();
  for (let hour = 0; hour < 5; hour++) await pass(HOUR_MS);
  expect(sequence()).toBe(before);
  expect(await metric('rialto_idle')).toBe('rialto_idle 1');
  await fetch(`${venue.managementUrl}/ready`);
  expect(sequence()).toBe(before);
});

test('public reads after a pause are current', async () => {
  await pass(HOUR_MS);
  const nowText = String(clocks.wallMs());
  const [ticker] = await client.tickers({ marketCode: BTC });
  expect(ticker).toMatchObject({ markPrice: '60000', lastUpdatedAt: nowText });
  const before = sequence();
  const [market] = await client.markets({ marketCode: BTC });
  expect(market).toMatchObject({ indexPrice: '60000', lastUpdatedAt: nowText });
  expect(sequence()).toBe(before);
});

test('history has the hours of the pause when it is read first', async () => {
  await pass(3 * HOUR_MS);
  const rates = await client.fundingRates({ marketCode: BTC });
  const hours = Math.floor(clocks.wallMs() / HOUR_MS) - Math.floor(START_MS / HOUR_MS);
  expect(rates).toHaveLength(hours);
  expect(new Set(rates.map(({ fundingRate }) => fundingRate))).toEqual(new Set(['0.000000000']));
});

test('the first order after a pause is accepted at current prices, and then ticks continue', async () => {
  await pass(HOUR_MS);
  expect(await place(client, limit('BUY', '0.001', '59000'))).toMatchObject({ submitted: true });
  expect(await metric('rialto_idle')).toBe('rialto_idle 0');
  const before = sequence();
  await pass(2_000);
  expect(sequence()).toBe(before + 4);
});

test('a stream listener keeps prices and ticks going while it listens', async () => {
  await client.cancelAllOrders();
  await pass(2_000);
  const listener = await StreamClient.open(venue.port);
  const before = sequence();
  await pass(2_000);
  expect(sequence()).toBe(before + 4);
  listener.socket.terminate();
  await expect.poll(() => metric('rialto_idle'), { timeout: 20_000 }).toBe('rialto_idle 1');
  const after = sequence();
  await pass(2_000);
  expect(sequence()).toBe(after);
});
