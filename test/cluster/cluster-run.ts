import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CLUSTER_HOST,
  type LocalCluster,
  type LocalNode,
  startLocalCluster,
} from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { RULES_VERSION } from '../../src/core/snapshot.ts';
import { newState } from '../../src/core/state.ts';
import { decodeEntry } from '../../src/engine/codec.ts';
import { replay } from '../../src/engine/recovery.ts';
import { openSegmentReader } from '../../src/journal/segment-reader.ts';
import { LogCursor } from '../../src/replication/log-cursor.ts';
import { openNatsLog } from '../../src/replication/nats-log.ts';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, type RawAnswer, rawCall, type Venue } from '../http/venue.ts';

export type ClusterReport = {
  readonly kills: number;
  readonly answered: number;
  readonly repeated: number;
  /** How long nothing was answered after each fault. */
  readonly gapsMs: Readonly<Record<string, readonly number[]>>;
  readonly faults: readonly string[];
};

type Fault =
  | 'kill engine'
  | 'pause engine'
  | 'hand-over'
  | 'kill log server'
  | 'kill both'
  | 'kill all';

const WORKERS = 8;
/** A signed request is refused when its timestamp is a minute old. */
const SIGNED_MS = 50_000;
const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/**
 * Signed transfers without end, each sent with the same bytes until it is answered, while engines and log
 * servers are killed. Then: each answered request once in the log, no gap, and all journals equal to it.
 */
export async function runCluster(
  faultsWanted: readonly Fault[],
  random: () => number,
): Promise<ClusterReport> {
  const found = logServer();
  if ('missing' in found) return nothingSeen(found.missing);
  const folder = mkdtempSync(join(tmpdir(), 'rialto-cluster-'));
  const cluster = await startLocalCluster({ program: found.program, folder });
  try {
    const load = startLoad(cluster);
    const gapsMs: Record<string, number[]> = {};
    await load.moreAnswers(50);
    for (const fault of faultsWanted) {
      // So that a fault is seen, and not how quickly a busy machine starts programs.
      await cluster.untilAllUp();
      load.restartGap();
      const mend = await strike(cluster, fault, random);
      await load.moreAnswers(60);
      gapsMs[fault] = [...(gapsMs[fault] ?? []), load.longestGapMs()];
      await mend();
      await pause(1_500 * random());
    }
    await load.stop();
    await everybodyAtEnd(cluster);
    const faults = [...load.faults, ...(await check(cluster, load.answered))];
    const { answered, repeated } = load.counts();
    return { kills: faultsWanted.length, answered, repeated, gapsMs, faults };
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const nothingSeen = (reason: string): ClusterReport => ({
  ...{ kills: 0, answered: 0, repeated: 0, gapsMs: {} },
  faults: [reason],
});

/** For a soak: so many of all kinds, in a random order. */
export function runClusterKills(count: number, random: () => number): Promise<ClusterReport> {
  const kinds: Fault[] = [
    'kill engine',
    'kill log server',
    'pause engine',
    'hand-over',
    'kill both',
    'kill all',
  ];
  const faults = Array.from(
    { length: count },
    (_, at) => kinds[at < kinds.length ? at : Math.floor(random() * kinds.length)] as Fault,
  );
  return runCluster(faults, random);
}

/** Does it; the returned function brings back what is down. */
async function strike(
  cluster: LocalCluster,
  fault: Fault,
  random: () => number,
): Promise<() => Promise<void>> {
  const leader = await cluster.untilLed();
  const { servers } = cluster;
  const at = Math.floor(random() * servers.names.length);
  if (fault === 'hand-over') {
    leader.signal('SIGTERM');
    return async () => undefined;
  }
  if (fault === 'pause engine') {
    leader.signal('SIGSTOP');
    return async () => {
      leader.signal('SIGCONT');
      // It finds out that another one leads, ends, and comes back as a standby.
      await until(() => leader.exits.length > 0);
    };
  }
  if (fault === 'kill all') {
    const ats = servers.names.map((_, index) => index);
    await Promise.all([...cluster.engines.map((one) => one.kill()), ...ats.map(servers.kill)]);
    ats.forEach(servers.start);
    for (const engine of cluster.engines) engine.start();
    return async () => undefined;
  }
  if (fault !== 'kill engine') await servers.kill(at);
  if (fault !== 'kill log server') await leader.kill();
  return async () => {
    if (fault !== 'kill engine') servers.start(at);
    if (fault !== 'kill log server') leader.start();
  };
}

async function until(isDone: () => boolean, mostMs = 60_000): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !isDone(); waitedMs += 50) await pause(50);
}

type Load = {
  readonly answered: ReadonlySet<string>;
  readonly faults: readonly string[];
  counts(): { readonly answered: number; readonly repeated: number };
  /** Resolves when so many more were answered. */
  moreAnswers(count: number): Promise<void>;
  restartGap(): void;
  longestGapMs(): number;
  stop(): Promise<void>;
};

function startLoad({ engines, handout }: LocalCluster): Load {
  const venue = { handout } as Venue;
  const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
  const accounts = {
    fromAccount: accountOf(venue, 'main').accountId,
    toAccount: accountOf(venue, 'desk-a').accountId,
  };
  const answered = new Set<string>();
  const faults: string[] = [];
  let isStopped = false;
  let sent = 0;
  let repeated = 0;
  let guess = 0;
  let lastMs = performance.now();
  let gapMs = 0;
  const one = async (): Promise<void> => {
    const number = ++sent;
    const quantity = `0.${String(number).padStart(8, '0')}`;
    const call = {
      key,
      method: 'POST',
      path: requestTransfer.path,
      body: JSON.stringify({ asset: 'USDT', quantity, ...accounts }),
      signedHost: CLUSTER_HOST,
      timestamp: new Date().toISOString(),
      nonce: String(number),
    };
    const untilMs = performance.now() + SIGNED_MS;
    while (performance.now() < untilMs) {
      const engine = engines[guess % engines.length] as LocalNode;
      const answer = await answerOf(engine, call);
      if (answer?.status === 200) {
        const nowMs = performance.now();
        gapMs = Math.max(gapMs, nowMs - lastMs);
        lastMs = nowMs;
        if (answer.headers.get('Idempotent-Replayed') === 'true') repeated++;
        answered.add(quantity);
        return;
      }
      if (answer !== undefined && answer.status !== 503 && answer.status !== 500) {
        faults.push(`${quantity}: ${answer.status} ${answer.code} ${answer.message}`);
        return;
      }
      if (engines[guess % engines.length] === engine) guess++;
      await pause(25);
    }
    faults.push(`${quantity} was never answered`);
  };
  const workers = Array.from({ length: WORKERS }, async () => {
    while (!isStopped) await one();
  });
  return {
    answered,
    faults,
    counts: () => ({ answered: answered.size, repeated }),
    moreAnswers: (count) => {
      const wanted = answered.size + count;
      return until(() => answered.size >= wanted || faults.length > 0);
    },
    restartGap: () => {
      gapMs = 0;
    },
    longestGapMs: () => Math.round(gapMs),
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
    },
  };
}

async function answerOf(
  engine: LocalNode,
  call: Parameters<typeof rawCall>[1],
): Promise<RawAnswer | undefined> {
  // A paused engine keeps its sockets open: who waits for it for ever waits for nothing.
  const late = pause(3_000).then(() => undefined);
  const answer = rawCall({ baseUrl: engine.url } as Venue, call).catch(() => undefined);
  return Promise.race([answer, late]);
}

/** All engines run, and have what the log has. */
async function everybodyAtEnd(cluster: LocalCluster): Promise<void> {
  for (const engine of cluster.engines) engine.start();
  const last = async (): Promise<number> => (await entriesOfLog(cluster)).length;
  await cluster.untilLed();
  for (let tries = 0; tries < 200; tries++) {
    const logged = await last();
    if (cluster.engines.every((engine) => journalOf(engine).length >= logged)) return;
    await pause(200);
  }
}

async function entriesOfLog({ servers }: LocalCluster): Promise<Uint8Array[]> {
  const log = await openNatsLog({ servers: servers.servers, stream: 'rialto', name: 'checker' });
  try {
    const { lastPlace } = await log.end();
    const cursor = new LogCursor({ place: 0, nextSequence: 1, leader: undefined });
    const entries: Uint8Array[] = [];
    await log.read(
      1,
      (message) => void entries.push(...cursor.accept(message).entries),
      () => cursor.place >= lastPlace,
    );
    return entries;
  } finally {
    await log.close();
  }
}

function journalOf({ data }: LocalNode): Uint8Array[] {
  const reader = openSegmentReader({ directory: join(data, 'journal') });
  const entries: Uint8Array[] = [];
  try {
    for (const { bytes } of reader.read(1, Number.MAX_SAFE_INTEGER)) entries.push(bytes.slice());
  } catch {
    // The end of a journal that is being written.
  } finally {
    reader.close();
  }
  return entries;
}

async function check(cluster: LocalCluster, answered: ReadonlySet<string>): Promise<string[]> {
  const faults: string[] = [];
  const entries = await entriesOfLog(cluster);
  const numbered = entries.map((bytes, at) => ({ sequence: at + 1, bytes }));
  // Throws where a digest of the log is not what its commands give.
  replay(newState(), numbered);
  const times = new Map<string, number>();
  for (const { sequence, bytes } of numbered) {
    const { command } = decodeEntry(sequence, bytes, RULES_VERSION).stamped;
    if (command.kind !== 'transfer') continue;
    const quantity = `0.${String(command.amount).padStart(8, '0')}`;
    times.set(quantity, (times.get(quantity) ?? 0) + 1);
  }
  for (const quantity of answered) {
    if (times.get(quantity) !== 1)
      faults.push(`${quantity} is ${times.get(quantity)} x in the log`);
  }
  for (const [quantity, count] of times)
    if (count > 1) faults.push(`${quantity} is there ${count} x`);
  for (const engine of cluster.engines) {
    const own = journalOf(engine);
    const upTo = Math.min(own.length, entries.length);
    if (own.length < entries.length) {
      faults.push(`${engine.name} has ${own.length} of ${entries.length} entries`);
    }
    for (let at = 0; at < upTo; at++) {
      if (Buffer.compare(own[at] as Uint8Array, entries[at] as Uint8Array) === 0) continue;
      faults.push(`${engine.name}: entry ${at + 1} is not the log's`);
      break;
    }
  }
  if (answered.size === 0) faults.push('nothing was answered');
  return faults;
}
