import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { venueConfig } from '../../src/config.ts';
import { accountIdText } from '../../src/domain/ids.ts';
import type { AccountIndex } from '../../src/domain/units.ts';
import { startVenue } from '../../src/main.ts';
import { demoGenesis } from '../../src/sandbox/demo.ts';
import { demoSecrets } from '../../src/seal.ts';
import type { FuzzTarget } from './fuzz.ts';

/** The whole program in this process, with its timers in our hands: time passes only when told. */
export async function fuzzedVenue(): Promise<FuzzTarget & { stop(): Promise<void> }> {
  const data = mkdtempSync(join(tmpdir(), 'rialto-fuzz-'));
  const timers: (() => void)[] = [];
  const venue = await startVenue({
    config: venueConfig(
      { data, port: 0, managementPort: 0, limits: false, logLevel: 'silent' },
      data,
    ),
    genesis: (seal) => demoGenesis(demoSecrets(seal)),
    // Nobody waits ten seconds for the answer to a wrong code here.
    after: (_delayMs, call) => void setImmediate(call),
    every: (_periodMs, run) => {
      timers.push(run);
      return () => undefined;
    },
  });
  const { engine, seal } = venue;
  await historyIsThere(venue.port);
  const { directory } = engine;
  const accounts = directory.families().flatMap(({ accounts: own }) => own);
  return {
    port: venue.port,
    accountIds: accounts.map(accountIdText),
    keys: directory.keys().map(({ accessKey, sealedSecret }) => ({
      accessKey,
      secret: Buffer.from(seal.unseal(sealedSecret)).toString('utf8'),
    })),
    state: () => stateOf(engine, accounts),
    passTime: async () => {
      for (const run of timers) run();
      // What they set going is on disk when a command behind it is.
      await engine.submit({ kind: 'tick' });
    },
    stop: async () => {
      await venue.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Its thread starts by itself: on a busy machine later than the first requests would wait for it. */
async function historyIsThere(port: number): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    if ((await fetch(`http://127.0.0.1:${port}/v3/tickers`)).status === 200) return;
  }
  throw new Error('history has not started');
}

type Engine = Awaited<ReturnType<typeof startVenue>>['engine'];

/** Balances, positions and open orders of everybody. */
async function stateOf(engine: Engine, accounts: readonly AccountIndex[]): Promise<string> {
  const balances = await engine.view('balances', { accounts });
  const positions = await engine.view('positions', { accounts });
  const orders = await Promise.all(accounts.map((account) => engine.view('orders', { account })));
  const held = positions.map(({ positions: own }) =>
    own.map(({ market, lots, cost }) => [market, lots, cost]),
  );
  return JSON.stringify([balances, held, orders], (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
