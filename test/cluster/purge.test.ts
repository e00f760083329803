import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CLUSTER_HOST, type LocalNode, startLocalCluster } from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { type Purged, purgeCluster } from '../../src/cluster-purge.ts';
import { readConfigFile, venueConfig } from '../../src/config.ts';
import { historyCursor } from '../../src/history/open.ts';
import { firstSequenceIn } from '../../src/replication/log-cursor.ts';
import { openNatsLog } from '../../src/replication/nats-log.ts';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, rawCall, type Venue } from '../http/venue.ts';
import { holdHistory, onePostgres } from '../postgres/real-postgres.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';
const EVERY = 10;
/** A venue created with `dev` has about twenty commands, which are one message of the log. */
const BEGUN = 40;

/** One log server, one engine and PostgreSQL as processes: about 6 s of CPU. */
test.skipIf(isMissing)(
  'a purge leaves in the log what history on a server does not have yet, whatever the snapshots have',
  async ({ skip }) => {
    if ('missing' in found) throw new Error(found.missing);
    const postgres = await onePostgres();
    if (postgres === undefined) return skip('no PostgreSQL');
    const folder = mkdtempSync(join(tmpdir(), 'rialto-purge-'));
    const store = join(folder, 'store');
    mkdirSync(store);
    const cluster = await startLocalCluster({
      ...{ program: found.program, folder: join(folder, 'nodes'), history: postgres.url },
      ...{ engines: 1, gateways: 0, logServers: 1 },
      snapshots: { folder: store, everyCommands: EVERY, keep: 3 },
    });
    try {
      await cluster.untilAllUp();
      const venue = { handout: cluster.handout } as Venue;
      const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
      const body = JSON.stringify({
        ...{ asset: 'USDT', quantity: '1' },
        fromAccount: accountOf(venue, 'main').accountId,
        toAccount: accountOf(venue, 'desk-a').accountId,
      });
      let calls = 0;
      /** At least one: a transfer without an answer is signed again. */
      const transfer = async (): Promise<void> => {
        const call = { key, method: 'POST', path: requestTransfer.path, body };
        for (;;) {
          const { url: baseUrl } = await cluster.untilLed();
          const signed = { ...call, signedHost: CLUSTER_HOST, nonce: String(++calls) };
          const answer = await rawCall({ ...venue, baseUrl }, signed).catch(() => undefined);
          await pause(20);
          if (answer?.status === 200) return;
        }
      };
      const [engine] = cluster.engines as [LocalNode];
      const { found: read, base } = readConfigFile(engine.configFile);
      const config = venueConfig(read, base);
      const { history: place } = config;
      if (place === undefined) throw new Error('history is on the server');
      const purge = async (): Promise<Purged> => {
        for (;;) {
          // There are too few yet, or one is removed while it is read.
          const options = { isDryRun: false, archive: undefined };
          const purged = await purgeCluster(config, options).catch((cause: Error) => cause.message);
          if (typeof purged !== 'string') return purged;
          expect(purged).toMatch(/are needed: nothing is purged/);
          await transfer();
        }
      };
      const firstInLog = async (): Promise<number> => {
        const { servers } = cluster.servers;
        const log = await openNatsLog({ servers, stream: 'rialto', name: 'test' });
        try {
          return await firstSequenceIn(log);
        } finally {
          await log.close();
        }
      };
      const oldest = (): number => {
        const names = readdirSync(store).filter((name) => /^\d{20}.*\.json$/.test(name));
        return names.length < 2 ? 0 : Math.min(...names.map((name) => Number(name.slice(0, 20))));
      };

      // Past the one message from before the venue was a cluster.
      while ((await historyCursor({ postgres: place })) < BEGUN) await transfer();
      const held = await holdHistory(place);
      // All remaining snapshots are newer than the history.
      while (oldest() <= held.cursor + EVERY) await transfer();
      const purged = await purge();
      expect(purged.bounds.map(({ words }) => words)).toContain(
        `history is at sequence ${held.cursor}`,
      );
      expect(purged.messages).toBeGreaterThan(0);
      expect(purged.sequence).toBeLessThanOrEqual(held.cursor);
      expect(await firstInLog()).toBe(purged.sequence);
      expect(await historyCursor({ postgres: place })).toBe(held.cursor);

      await held.release();
      while ((await historyCursor({ postgres: place })) < oldest()) await pause(50);
      expect((await purge()).messages).toBeGreaterThan(0);
      expect(await firstInLog()).toBeGreaterThan(held.cursor);
    } finally {
      await cluster.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
