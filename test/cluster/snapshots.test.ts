import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CLUSTER_HOST, type LocalNode, startLocalCluster } from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { type Purged, purgeCluster } from '../../src/cluster-purge.ts';
import { readConfigFile, venueConfig } from '../../src/config.ts';
import { peekSegments } from '../../src/journal/peek.ts';
import { getBalances } from '../../src/wire/account.ts';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, type RawCall, rawCall, type Venue } from '../http/venue.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';
const program = 'program' in found ? found.program : '';
const folder = mkdtempSync(join(tmpdir(), 'rialto-snapshots-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

test.skipIf(isMissing)(
  'an engine without a disk begins with the newest good snapshot of a purged log, and leads with all that was answered',
  async () => {
    let output = '';
    const store = join(folder, 'store');
    mkdirSync(store);
    const cluster = await startLocalCluster({
      ...{ program, folder: join(folder, 'nodes'), engines: 2, gateways: 0, logServers: 1 },
      snapshots: { folder: store, everyCommands: 10, keep: 3 },
      onOutput: (_, text) => {
        output += text;
      },
    });
    try {
      await cluster.untilAllUp();
      const snapshots = (): string[] =>
        readdirSync(store)
          .filter((name) => name.endsWith('.json') && !name.includes('history'))
          .sort();
      const venue = { handout: cluster.handout } as Venue;
      const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
      const body = JSON.stringify({
        ...{ asset: 'USDT', quantity: '1' },
        fromAccount: accountOf(venue, 'main').accountId,
        toAccount: accountOf(venue, 'desk-a').accountId,
      });
      let calls = 0;
      /** Sends the same bytes to the current leader: on a busy machine it may change. */
      const untilAnswered = async (call: Partial<RawCall> & { readonly path: string }) => {
        const signed = { key, nonce: String(++calls), signedHost: CLUSTER_HOST, ...call };
        const whole = { ...signed, timestamp: new Date().toISOString() };
        for (;;) {
          const { url: baseUrl } = await cluster.untilLed();
          const answer = await rawCall({ ...venue, baseUrl }, whole).catch(() => undefined);
          if (answer?.status === 200) return answer;
          await pause(20);
        }
      };
      const balance = async (): Promise<string> => {
        const { data } = await untilAnswered({ path: getBalances.path, query: 'asset=USDT' });
        return data[0].balances[0].available;
      };
      // Until the one from before the venue was a cluster is gone.
      const sequences = (): Set<string> => new Set(snapshots().map((name) => name.slice(0, 20)));
      while (sequences().size < 3 || Number(snapshots()[0]?.slice(0, 20)) < 40) {
        await untilAnswered({ method: 'POST', path: requestTransfer.path, body });
      }
      const [first, second] = cluster.engines as [LocalNode, LocalNode];
      const config = venueConfig(...asPair(readConfigFile(first.configFile)));
      const archive = join(folder, 'archive');
      const purge = async (isDryRun: boolean): Promise<Purged> => {
        for (;;) {
          // A failure because one is removed while it is read does not count.
          const purged = await purgeCluster(config, { isDryRun, archive }).catch(wordsOf);
          if (typeof purged !== 'string') return purged;
          expect(purged).toMatch(/are needed: nothing is purged/);
        }
      };
      const planned = await purge(true);
      const purged = await purge(false);
      expect(planned.messages).toBeGreaterThan(0);
      expect(purged.place).toBeGreaterThanOrEqual(planned.place);
      expect(purged.bounds[0]?.words).toMatch(/^snapshot .* the oldest good one that is kept$/);
      const archived = peekSegments({ directory: join(archive, 'journal') });
      expect(archived.segments[0]?.firstSequence).toBe(1);
      expect(archived.lastSequence()).toBe(purged.sequence - 1);

      const expected = await balance();
      await Promise.all([first.kill(), second.kill()]);
      second.wipe();
      // The newest one, of whichever engine, is damaged: the previous one is used.
      const newest = snapshots().at(-1)?.slice(0, 20) ?? '';
      for (const name of snapshots().filter((one) => one.startsWith(newest))) {
        const file = join(store, name.slice(0, -'.json'.length));
        const bytes = readFileSync(file);
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
        writeFileSync(file, bytes);
      }
      output = '';
      second.start();
      expect(await cluster.untilLed()).toBe(second);
      expect(output).toMatch(/is not used: its SHA-256 differs/);
      expect(output).toMatch(/begins with the snapshot/);
      expect(await balance()).toBe(expected);
    } finally {
      await cluster.stop();
    }
  },
);

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : '');
const asPair = ({ found, base }: ReturnType<typeof readConfigFile>) => [found, base] as const;
