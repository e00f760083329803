import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogServers } from '../../scripts/log-servers.ts';
import { joinCluster } from '../../src/cluster.ts';
import { createCluster } from '../../src/cluster-admin.ts';
import { venueConfig } from '../../src/config.ts';
import type { ClusterConfig } from '../../src/config-cluster.ts';
import type { Command } from '../../src/domain/commands.ts';
import { manualClocks } from '../../src/engine/clock.ts';
import { StandbyStopped } from '../../src/engine/cluster-node.ts';
import { type OpenEngine, type RunningEngine, startEngine } from '../../src/engine/start.ts';
import { prepareHistory } from '../../src/history/open.ts';
import { openProjector } from '../../src/history/projector.ts';
import { identityOf } from '../../src/identity.ts';
import { describeJournal } from '../../src/journal/journal-contract.ts';
import { openMemory } from '../../src/journal/memory.ts';
import { openSegmentReader } from '../../src/journal/segment-reader.ts';
import { managementAddressIn } from '../../src/operators.ts';
import { leaderOf } from '../../src/replication/leader.fixture.ts';
import { LogUnavailable } from '../../src/replication/log.ts';
import { describeLog } from '../../src/replication/log-contract.ts';
import { type NatsLog, openNatsLog } from '../../src/replication/nats-log.ts';
import { unsafeReasons } from '../../src/replication/nats-safety.ts';
import { areServersThere, threeServers, withRetry } from './real-servers.ts';

const folders: string[] = [];
const NOT_ASKED = { onHandOver: () => undefined, onGate: () => undefined };
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

if (areServersThere()) {
  let servers: LogServers;
  beforeAll(async () => {
    servers = await threeServers();
  });
  afterAll(() => servers.stop());
  let streams = 0;
  const newStream = async (replicas = 3): Promise<() => Promise<NatsLog>> => {
    const options = { servers: servers.servers, stream: `s-${++streams}`, name: 'contract' };
    const maker = await withRetry(() => openNatsLog(options));
    await withRetry(() => maker.create('venue', replicas));
    await maker.close();
    return () => openNatsLog(options);
  };

  describeLog('NATS JetStream, three servers', async () => ({ open: await newStream() }));

  test('a stream that was not made, because two of three servers were silent, is made by asking again', async () => {
    const options = { servers: servers.servers, stream: `s-${++streams}`, name: 'maker' };
    const maker = await withRetry(() => openNatsLog(options));
    for (const at of [1, 2]) servers.pause(at);
    try {
      await expect(maker.create('venue', 3)).rejects.toThrow(LogUnavailable);
    } finally {
      for (const at of [1, 2]) servers.resume(at);
    }
    await withRetry(() => maker.create('venue', 3));
    await maker.create('venue', 3);
    expect((await maker.describe())?.venueId).toBe('venue');
    const taken = maker.create('another venue', 3);
    await expect(taken).rejects.toThrow(/already in use/);
    await expect(taken).rejects.not.toThrow(LogUnavailable);
    await maker.close();
  });

  let log: NatsLog | undefined;
  test('the stream that the program makes is safe on these servers', async () => {
    log = await (await newStream())();
    const described = await log.describe();
    expect(described?.venueId).toBe('venue');
    if (described === undefined) return;
    expect(await unsafeReasons(described.info, servers.monitors)).toEqual([]);
    const [first = ''] = servers.monitors;
    const lacking = await unsafeReasons(described.info, [first]);
    expect(lacking).toHaveLength(2);
    expect(lacking[0]).toMatch(/holds a replica; cluster.monitors lacks its address/);
    expect((await unsafeReasons(described.info, []))[0]).toMatch(/cluster.monitors is empty/);
    // One unreachable server is tolerated, two are not.
    const [, second = ''] = servers.monitors;
    const nobody = 'http://127.0.0.1:1';
    expect(await unsafeReasons(described.info, [first, second, nobody])).toEqual([]);
    expect(await unsafeReasons(described.info, [first, nobody, nobody])).toHaveLength(4);
  });

  test('a reader whose messages are not consumed yet does not buffer the whole log', async () => {
    const open = await newStream(1);
    const writer = await open();
    const mebibyte = new Uint8Array(1_024 * 1_024);
    for (let place = 0; place < 64; place++) {
      expect(await writer.append(mebibyte, place)).toBe('stored');
    }
    await writer.close();

    const sentBefore = await sentBytes(servers.monitors);
    const reader = await open();
    const ended = new AbortController();
    const first = new Promise<void>((taken) => {
      void reader.read(1, async () => {
        taken();
        if (!ended.signal.aborted) await once(ended.signal, 'abort');
      });
    });
    await first;
    const sent = (await settled(() => sentBytes(servers.monitors))) - sentBefore;
    expect(sent).toBeGreaterThan(1_024 * 1_024);
    expect(sent).toBeLessThan(32 * 1_024 * 1_024);
    ended.abort();
    await reader.close();
  });

  test('a stream with one replica, in memory or with limits is no log for a venue', async () => {
    const described = await (await (await newStream(1))()).describe();
    if (described === undefined) throw new Error('no stream');
    const { config } = described.info;
    const info = {
      ...described.info,
      config: {
        ...config,
        storage: 'memory' as typeof config.storage,
        deny_delete: false,
        max_age: 1,
      },
    };
    const reasons = await unsafeReasons(info, servers.monitors);
    expect(reasons.join('; ')).toMatch(/in memory.*1 replicas.*may be deleted.*drops old messages/);
  });

  test('a node that does not belong to the log, or could not open the venue, does not join', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rialto-join-'));
    folders.push(folder);
    const opened = await (await newStream(1))();
    await opened.close();
    const stream = `s-${streams}`;
    const { monitors } = servers;
    const cluster = {
      node: 'engine-1',
      servers: [...servers.servers],
      monitors: [...monitors],
      stream,
    };
    const config = venueConfig({ data: folder, cluster }, folder);
    const joining = (isUnsafeLogAllowed: boolean, more: Partial<typeof config> = {}) => {
      const { signal } = new AbortController();
      const role = 'engine' as const;
      const options = { role, isUnsafeLogAllowed, ...NOT_ASKED, signal };
      return joinCluster(options)({ ...config, ...more }, pino({ level: 'silent' }));
    };
    await expect(joining(true)).rejects.toThrow(/master.key and .*operators.json must be brought/);
    writeFileSync(join(folder, 'master.key'), '00'.repeat(32));
    writeFileSync(join(folder, 'operators.json'), '[]');
    await expect(joining(false)).rejects.toThrow(/may lose.*1 replicas.*--unsafe-log/);
    const large = { bodyLimitBytes: 16_777_216 };
    await expect(joining(true, large)).rejects.toThrow(/set max_payload/);
    const joined = await joining(true);
    expect(joined).toMatchObject({ venueId: 'venue', isLogUnsafe: true });
    await joined.close();
    writeFileSync(join(folder, 'venue.json'), '{"venueId":"another","format":2}');
    await expect(joining(true)).rejects.toThrow(/is of venue venue, .* of another/);
    const elsewhere = { cluster: { ...config.cluster, stream: 'nowhere' } as ClusterConfig };
    await expect(joining(true, elsewhere)).rejects.toThrow(/no stream nowhere.*cluster create/);
  });

  /** A node that has joined a log of its own and stands by; what happens to it, in order. */
  const standingBy = async (wallets: ReadonlyMap<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'rialto-standby-'));
    folders.push(folder);
    const open = await newStream(1);
    const cluster = { node: 'engine-1', servers: [...servers.servers], stream: `s-${streams}` };
    const config = venueConfig({ data: folder, cluster, port: 0, managementPort: 0 }, folder);
    writeFileSync(join(folder, 'master.key'), '00'.repeat(32));
    writeFileSync(join(folder, 'operators.json'), '[]');
    const stopping = new AbortController();
    const { signal } = stopping;
    const options = { role: 'engine', isUnsafeLogAllowed: true, signal } as const;
    const joining = joinCluster({ ...options, ...NOT_ASKED });
    const joined = await joining(config, pino({ level: 'silent' }));
    const order: string[] = [];
    const { promise: leading, reject } = Promise.withResolvers<RunningEngine>();
    const engine = {
      leading,
      recovered: { sequence: 0 },
      leader: () => undefined,
      stop: async () => {
        reject(new StandbyStopped('stopped'));
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push('snapshot');
      },
    } as unknown as OpenEngine;
    const standing = joined.whileStandby(engine, async () => void order.push('end'), wallets);
    standing.catch(() => undefined);
    await expect.poll(() => managementAddressIn(folder)).toBeDefined();
    return { folder, open, stopping, joined, standing, order };
  };

  test('a standby that is asked to end waits for its last snapshot before the process may', async () => {
    const { folder, stopping, joined, standing, order } = await standingBy(new Map());
    const { managementUrl = '' } = managementAddressIn(folder) ?? {};
    expect((await fetch(`${managementUrl}/ready`)).status).toBe(503);
    stopping.abort();
    await expect(standing).rejects.toBeInstanceOf(StandbyStopped);
    expect(order).toEqual(['snapshot', 'end']);
    expect(managementAddressIn(folder)).toBeUndefined();
    await joined.close();
  });

  test('a standby ends when the leading engine reports another wallet than its own', async () => {
    const { folder, open, joined, standing, order } = await standingBy(
      new Map([['Ethereum', '0xmine']]),
    );
    const leader = await open();
    let isRefused = false;
    const refusal = expect(standing)
      .rejects.toThrow(/the hot wallet would be 0xmine instead of 0xtheirs/)
      .finally(() => {
        isRefused = true;
      });
    const chains = [{ network: 'Ethereum', hotWallet: '0xtheirs' }];
    // As every second: the first may come before the standby listens.
    await expect
      .poll(() => {
        leader.send('leader-report', JSON.stringify({ chains, said: [] }));
        return isRefused;
      })
      .toBe(true);
    await refusal;
    expect(order).toEqual(['snapshot', 'end']);
    expect(managementAddressIn(folder)).toBeUndefined();
    await leader.close();
    await joined.close();
  });

  test('a venue that was upgraded gets a log that begins after the upgrade, and an empty node starts from its snapshot', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rialto-upgraded-'));
    folders.push(folder);
    execFileSync('tar', ['xzf', 'test/frozen/v1-clean.tar.gz', '-C', folder]);
    const data = join(folder, 'data');
    const { venueId } = identityOf(data);
    const stream = `s-${++streams}`;
    const cluster = { node: 'engine-1', servers: [...servers.servers], stream };
    const config = venueConfig({ data, cluster }, folder);
    await expect(createCluster(config, true)).rejects.toThrow(/was written with .* nothing was/);
    const clocks = manualClocks(1_794_737_657_000);
    const running = await startEngine({ directory: data, venueId, clocks, onFailure: () => {} });
    const { key } = running.engine.directory.keys().find((one) => one.permissions.length > 1) ?? {};
    await running.engine.submit({ kind: 'cancel-all', by: { key } } as Command);
    const { sequence } = running.engine.status();
    await running.stop();
    // Its history has not reached its snapshot.
    await expect(createCluster(config, true)).rejects.toThrow(/its history has reached/);
    const file = join(data, 'history.db');
    await prepareHistory({ file, stamp: venueId });
    const projector = await openProjector({ file, stamp: venueId });
    const events = openSegmentReader({ directory: join(data, 'events') });
    await projector.project(events.read(projector.sequence + 1, sequence));
    await projector.close();
    const maker = await withRetry(() => openNatsLog({ ...cluster, name: 'maker' }));
    await withRetry(() => maker.create(venueId, 1));
    await maker.close();
    const made = await createCluster(config, true);
    expect(made).toEqual({ fromSequence: 1063, toSequence: sequence });
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    for (const name of ['master.key', 'operators.json']) writeFileSync(join(empty, name), '');
    const { signal } = new AbortController();
    const options = { role: 'engine', isUnsafeLogAllowed: true, signal } as const;
    const joining = joinCluster({ ...options, ...NOT_ASKED });
    const joined = await joining({ ...config, data: empty }, pino({ level: 'silent' }));
    expect(joined).toMatchObject({ venueId, beginsAfter: sequence });
    await joined.close();
  });

  describeJournal('replicated on NATS JetStream', () => {
    const stored: Uint8Array[] = [];
    const opening = newStream(1);
    const opened: NatsLog[] = [];
    return {
      open: async () => {
        const log = await (await opening)();
        opened.push(log);
        return leaderOf(log, openMemory({ stored }));
      },
      dispose: () => {
        for (const log of opened.splice(0)) void log.close();
      },
    };
  });
  afterAll(() => log?.close());
}

/** Bytes that the servers sent to the clients connected now. */
async function sentBytes(monitors: readonly string[]): Promise<number> {
  let sum = 0;
  for (const monitor of monitors) {
    const { connections } = (await (await fetch(`${monitor}/connz`)).json()) as {
      connections: readonly { out_bytes: number }[];
    };
    for (const { out_bytes } of connections) sum += out_bytes;
  }
  return sum;
}

/** A figure that has not changed for ten reads in a row. */
async function settled(ask: () => Promise<number>): Promise<number> {
  let last = await ask();
  for (let unchanged = 0; unchanged < 10; unchanged++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = await ask();
    if (now !== last) unchanged = 0;
    last = now;
  }
  return last;
}
