import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Handout, type HandoutKey, handoutOf } from '../../src/cli/handout.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { type ConfigFile, venueConfig } from '../../src/config.ts';
import { startVenue, type Venue, type VenueOptions } from '../../src/main.ts';
import { demoGenesis } from '../../src/sandbox/demo.ts';
import { demoSecrets } from '../../src/seal.ts';

/** The whole program in this process, so that clocks, timers and sources can be injected. */
export type InProcess = {
  readonly venue: Venue;
  readonly handout: Handout;
  /** For the main account of a demo family, with a key that may trade. */
  clientOf(family: number): RialtoClient;
  /** The first key of the same account with exactly these permissions, a trading one by default. */
  keyOf(family: number, ...permissions: string[]): HandoutKey;
  stop(): Promise<void>;
};

export async function startInProcess(
  handed: Pick<VenueOptions, 'clocks' | 'every' | 'gatherMostMs' | 'isDemo' | 'onGatewayThread'>,
  settings: Partial<ConfigFile> = {},
): Promise<InProcess> {
  const data = mkdtempSync(join(tmpdir(), 'rialto-in-process-'));
  const always = { data, port: 0, managementPort: 0, limits: false, logLevel: 'silent' } as const;
  const found = { ...always, ...settings };
  const venue = await startVenue({
    ...handed,
    config: venueConfig(found, data),
    genesis: (seal) => demoGenesis(demoSecrets(seal)),
  });
  await historyIsThere(venue.port);
  const { engine, seal, managementUrl, operators } = venue;
  const host = `localhost:${venue.port}`;
  const handout = handoutOf({ directory: engine.directory, seal, host, managementUrl, operators });
  const keyOf = (family: number, ...wanted: string[]): HandoutKey => {
    const keys = handout.families[family]?.accounts[0]?.keys ?? [];
    const key = keys.find(({ permissions }) =>
      wanted.length === 0 ? permissions.includes('trade') : permissions.join() === wanted.join(),
    );
    if (key === undefined) throw new Error('a demo family has no such key');
    return key;
  };
  return {
    venue,
    handout,
    keyOf,
    clientOf: (family) => {
      const key = keyOf(family);
      return new RialtoClient({
        baseUrl: handout.baseUrl,
        accessKey: key.accessKey,
        secret: key.secret,
        retry: false,
        followClock: false,
        ...(handed.clocks === undefined ? {} : { nowMs: handed.clocks.wallMs }),
      });
    },
    stop: async () => {
      await venue.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Its thread starts independently: on a busy machine later than the first reads would wait for it. */
async function historyIsThere(port: number): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    if ((await fetch(`http://127.0.0.1:${port}/v3/tickers`)).status === 200) return;
  }
  throw new Error('history has not started');
}
