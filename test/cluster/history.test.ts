import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CLUSTER_HOST, type LocalNode, startLocalCluster } from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { getDepositAddress } from '../../src/wire/deposits.ts';
import { getTransfers, requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, type RawAnswer, rawCall, type Venue } from '../http/venue.ts';
import { onePostgres } from '../postgres/real-postgres.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';

/** One log server, one engine, two gateways and PostgreSQL as processes: about 8 s of CPU. */
test.skipIf(isMissing)(
  'gateways know deposit addresses and share a history on a server; while it is away trading goes on, and it catches up',
  async ({ skip }) => {
    if ('missing' in found) throw new Error(found.missing);
    const postgres = await onePostgres();
    if (postgres === undefined) return skip('no PostgreSQL');
    const folder = mkdtempSync(join(tmpdir(), 'rialto-shared-history-'));
    const { program } = found;
    const sizes = { engines: 1, gateways: 2, logServers: 1 };
    const cluster = await startLocalCluster({ program, folder, history: postgres.url, ...sizes });
    try {
      await cluster.untilAllUp();
      const venue = { handout: cluster.handout } as Venue;
      const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
      const [one, other] = cluster.gateways as [LocalNode, LocalNode];
      let nonce = 0;
      const call = (node: LocalNode, request: object): Promise<RawAnswer> => {
        const signed = { key, signedHost: CLUSTER_HOST, nonce: String(++nonce) };
        return rawCall({ baseUrl: node.url } as Venue, { ...signed, ...request } as never);
      };
      const transfer = (quantity: string): Promise<RawAnswer> => {
        const fromAccount = accountOf(venue, 'main').accountId;
        const toAccount = accountOf(venue, 'desk-a').accountId;
        const body = JSON.stringify({ asset: 'USDT', quantity, fromAccount, toAccount });
        return call(one, { method: 'POST', path: requestTransfer.path, body });
      };
      const list = (node: LocalNode): Promise<RawAnswer> =>
        call(node, { path: getTransfers.path, query: 'asset=USDT' });
      const listed = async (node: LocalNode, count: number): Promise<string[]> => {
        for (;;) {
          const { status, data } = await list(node);
          if (status === 200 && data.length >= count) {
            return data.map(({ quantity }: { quantity: string }) => quantity);
          }
          await setTimeout(50);
        }
      };
      // Only the leading engine knows this.
      const address = { path: getDepositAddress.path, query: 'asset=USDT&network=Ethereum' };
      let found = await call(other, address);
      // Its chains may be a moment behind it.
      while (found.status !== 200) found = await call(other, address);
      expect(found.data).toMatchObject({ address: expect.stringMatching(/^0x/) });
      expect((await call(one, address)).data).toEqual(found.data);

      expect(await transfer('1')).toMatchObject({ status: 200 });
      expect(await listed(other, 1)).toEqual(['1']);

      await postgres.kill();
      expect(await transfer('2')).toMatchObject({ status: 200 });
      let refused = await list(other);
      // What was read a moment ago may still be answered.
      while (refused.status === 200) refused = await list(other);
      expect(refused).toMatchObject({ status: 503, message: expect.stringMatching(/history/i) });
      expect(await transfer('3')).toMatchObject({ status: 200 });

      await postgres.start();
      expect(await listed(other, 3)).toEqual(['3', '2', '1']);
      expect(await listed(one, 3)).toEqual(['3', '2', '1']);
    } finally {
      await cluster.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
