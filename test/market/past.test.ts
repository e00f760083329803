import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { handoutOf } from '../../src/cli/handout.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { venueConfig } from '../../src/config.ts';
import { manualClocks } from '../../src/engine/clock.ts';
import { startVenue, type Venue } from '../../src/main.ts';
import { demoGenesis } from '../../src/sandbox/demo.ts';
import { demoSecrets } from '../../src/seal.ts';

const NOW_MS = 1_750_000_000_000;
const HOUR_MS = 3_600_000;

type Started = { readonly venue: Venue; readonly client: RialtoClient; tick(): void };

/** The whole program in this process, with clocks and timers driven by the test. */
async function start(data: string, pastMs: number, nowMs = NOW_MS): Promise<Started> {
  const clocks = manualClocks(nowMs);
  const timers = new Set<() => void>();
  const found = { data, port: 0, managementPort: 0, limits: false, logLevel: 'silent' } as const;
  const venue = await startVenue({
    isDemo: true,
    config: venueConfig(found, data),
    clocks,
    every: (_, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
    market: { seed: 3, pastMs },
    genesis: (seal) => demoGenesis(demoSecrets(seal), true),
  });
  const client = new RialtoClient({ baseUrl: `http://localhost:${venue.port}` });
  const tick = (): void => {
    clocks.advance(1_000);
    for (const run of timers) run();
  };
  return { venue, client, tick };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-market-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a new venue opens with a past, the same one for the same seed, and goes on from there', async () => {
  const data = newFolder();
  const { venue, client, tick } = await start(data, 2 * HOUR_MS);
  expect(venue.marketSeed).toBe(3);
  // The engine's time equals the machine's again.
  const { clock } = venue.engine.status();
  expect([clock.engineMs, clock.wallMs]).toEqual([NOW_MS, NOW_MS]);

  const request = { marketCode: 'BTC-USD-SWAP-LIN', timeframe: '60s', limit: '100' } as const;
  const candles = await client.candles(request);
  expect(candles).toHaveLength(100);
  expect(candles.filter(({ volume }) => volume !== '0').length).toBeGreaterThan(30);
  expect(new Set(candles.map(({ close }) => close)).size).toBeGreaterThan(20);
  const rates = await client.fundingRates({ marketCode: 'BTC-USD-SWAP-LIN' });
  expect(rates.length).toBeGreaterThanOrEqual(1);
  expect((await client.depth({ marketCode: 'ETH-USDT' })).bids.length).toBeGreaterThan(0);

  // Its traders are a separate family whose keys are not in the handout.
  const { engine, seal, managementUrl, marketSeed } = venue;
  const { directory } = engine;
  const host = `localhost:${venue.port}`;
  const handout = handoutOf({ directory, seal, host, managementUrl, marketSeed });
  expect(handout.families.map(({ name }) => name)).toEqual(['demo-1', 'demo-2']);
  expect(handout.market).toEqual({ on: true, seed: 3 });
  expect((await client.demoAccounts()).market).toEqual(handout.market);
  const ready = await (await fetch(`${managementUrl}/ready`)).json();
  expect(ready).toEqual({ ready: true, market: { on: true, seed: 3 } });

  const before = engine.status().sequence;
  const [first] = await client.tickers({ marketCode: 'BTC-USDT' });
  for (let second = 0; second < 30; second++) {
    tick();
    // A second does not start before the previous one is on disk.
    await engine.view('clock', {});
    await new Promise(setImmediate);
  }
  const [then] = await client.tickers({ marketCode: 'BTC-USDT' });
  expect(engine.status().sequence).toBeGreaterThan(before + 30);
  expect(then?.markPrice).not.toBe(first?.markPrice);
  await venue.stop();

  const again = await start(newFolder(), 2 * HOUR_MS);
  const same = await again.client.candles(request);
  expect(same.slice(1)).toEqual(candles.slice(1));
  await again.venue.stop();

  // A venue that has a past does not get another one.
  const restarted = await start(data, 2 * HOUR_MS, NOW_MS + HOUR_MS);
  expect(restarted.venue.engine.status().sequence).toBeLessThan(before + 2_000);
  await restarted.venue.stop();
});

test('a venue that began without a market has prices as before, and no traders', async () => {
  const data = newFolder();
  const found = { data, port: 0, managementPort: 0, limits: false, logLevel: 'silent' } as const;
  const genesis = (seal: Venue['seal']) => demoGenesis(demoSecrets(seal));
  const plain = await startVenue({ isDemo: true, config: venueConfig(found, data), genesis });
  expect(plain.marketSeed).toBeUndefined();
  await plain.stop();
  const market = { seed: 1, pastMs: HOUR_MS };
  const later = await startVenue({
    isDemo: true,
    config: venueConfig(found, data),
    genesis,
    market,
  });
  expect(later.marketSeed).toBeUndefined();
  const client = new RialtoClient({ baseUrl: `http://localhost:${later.port}` });
  expect(await client.tickers({ marketCode: 'BTC-USDT' })).toMatchObject([{ markPrice: '60000' }]);
  await later.stop();
});
