import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../scripts/free-ports.ts';
import { startLocalCluster } from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { type LogServers, startLogServers } from '../../scripts/log-servers.ts';
import { startTcpProxy, type TcpProxy } from '../../scripts/tcp-proxy.ts';
import type { Blobs } from '../../src/replication/blobs.ts';
import { openFolderBlobs } from '../../src/replication/folder-blobs.ts';
import { LogUnavailable } from '../../src/replication/log.ts';
import { openNatsBlobs } from '../../src/replication/nats-blobs.ts';
import { type NatsLog, openNatsLog } from '../../src/replication/nats-log.ts';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, rawCall, type Venue } from '../http/venue.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';
const program = 'program' in found ? found.program : '';
const folder = mkdtempSync(join(tmpdir(), 'rialto-lines-'));

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/** Waits until the log answers, as long as the test may take. */
async function untilAnswers(log: NatsLog): Promise<void> {
  while ((await log.describe().catch(() => 'away')) === 'away') await pause(20);
}

describe.skipIf(isMissing)('lines to log servers', () => {
  let servers: LogServers;
  let port = 0;
  const proxies: TcpProxy[] = [];
  const line = async (at?: number): Promise<TcpProxy> => {
    const [free = 0] = at === undefined ? await freePorts(1) : [at];
    const proxy = await startTcpProxy(free, port);
    proxies.push(proxy);
    return proxy;
  };
  const opened = (ports: readonly number[]): Promise<NatsLog> =>
    openNatsLog({
      servers: ports.map((one) => `nats://127.0.0.1:${one}`),
      ...{ stream: 'lines', name: 'test' },
    });

  beforeAll(async () => {
    servers = await startLogServers({ program, folder: join(folder, 'log'), count: 1 });
    port = Number(new URL(servers.servers[0] ?? '').port);
    const first = await line();
    let log: NatsLog | undefined;
    while (log === undefined) {
      log = await opened([first.port]).catch(() => undefined);
      await pause(20);
    }
    await untilAnswers(log);
    await log.close();
  });
  afterAll(async () => {
    await Promise.all(proxies.map((one) => one.close()));
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a server that did not answer at the start is used later', async () => {
    const up = await line();
    const down = await freePorts(5);
    const log = await opened([up.port, ...down]);
    await untilAnswers(log);
    await line(down[2]);
    await up.close();
    await untilAnswers(log);
    await log.close();
  });

  test.each(['object store', 'folder'] as const)(
    'files in the %s: what was put is got, and what is gone is refused',
    async (kind) => {
      const home = join(folder, kind);
      const blobs =
        kind === 'folder'
          ? await openFolder(home)
          : await openNatsBlobs({
              ...{ servers: servers.servers, name: 'test', bucket: 'files', replicas: 1 },
            });
      const [from, to] = [join(folder, `${kind} from`), join(folder, `${kind} to`)];
      const large = Buffer.alloc(1_000_000, 'snapshot ');
      writeFileSync(from, large);
      await blobs.put('one', from, { sequence: '1' });
      writeFileSync(from, 'two');
      await blobs.put('two', from, { sequence: '2' });
      const names = async () => (await blobs.list()).map(({ name }) => name).sort();
      expect(await names()).toEqual(['one', 'two']);
      expect((await blobs.list()).find(({ name }) => name === 'two')?.attributes).toMatchObject({
        sequence: '2',
      });
      await blobs.get('one', to);
      expect(readFileSync(to).equals(large)).toBe(true);
      await blobs.remove('one');
      await blobs.remove('one');
      expect(await names()).toEqual(['two']);
      await expect(blobs.get('one', to)).rejects.toThrow();
      await blobs.close();
      // Requests that are retried if nobody answers, instead of ending the node.
      if (kind === 'object store') {
        await expect(blobs.list()).rejects.toBeInstanceOf(LogUnavailable);
      }
    },
  );

  test.each([['out'], ['in'], ['out', 'in']] as const)(
    'a line that is cut (%s %s) with full buffers is left for another server',
    async (...directions: readonly ('out' | 'in')[]) => {
      const lines = [await line(), await line()];
      const log = await opened(lines.map((one) => one.port));
      await untilAnswers(log);
      const [used] = lines.filter((one) => one.count > 0);
      used?.cut(directions);
      // More than the system buffers for a connection.
      for (let at = 0; at < 6; at++) log.post('messages', new Uint8Array(4_000_000));
      await untilAnswers(log);
      await log.close();
    },
  );
});

/** A folder that does not exist is not created: it could be on a disk that is not mounted. */
async function openFolder(home: string): Promise<Blobs> {
  await expect(openFolderBlobs(home)).rejects.toThrow(/is not there: mount its disk/);
  mkdirSync(home);
  return openFolderBlobs(home);
}

test.skipIf(isMissing)(
  'an engine whose log is cut off ends when it is asked to, as a leader and while it joins',
  async () => {
    let output = '';
    const cluster = await startLocalCluster({
      ...{ program, folder: join(folder, 'engine'), lines: true },
      onOutput: (_, text) => {
        output += text;
      },
      ...{ engines: 1, gateways: 0, logServers: 1 },
    });
    try {
      const engine = await cluster.untilLed();
      const venue = { baseUrl: engine.url, handout: cluster.handout } as Venue;
      engine.cut(['in']);
      const body = {
        ...{ asset: 'USDT', quantity: '1' },
        fromAccount: accountOf(venue, 'main').accountId,
        toAccount: accountOf(venue, 'desk-a').accountId,
      };
      const answer = rawCall(venue, {
        key: keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw'),
        ...{ method: 'POST', path: requestTransfer.path, body: JSON.stringify(body) },
      });
      const answered = answer.then(({ status }) => status).catch(() => 'cut off');
      // The append is in flight, without an answer.
      while (!output.includes('does not acknowledge')) await pause(20);
      await engine.end();
      expect(await answered).not.toBe(200);
      engine.start();
      while (!output.includes('waiting for it')) await pause(20);
      await engine.end();
      expect(engine.exits).toHaveLength(2);
    } finally {
      await cluster.stop();
    }
  },
);
