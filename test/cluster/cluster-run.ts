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
import { getBalances } from '../../src/wire/account.ts';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, type RawAnswer, rawCall, type Venue } from '../http/venue.ts';

export type ClusterReport = {
  readonly kills: number;
  readonly answered: number;
  readonly repeated: number;
  /** Reads through another gateway than the one that had answered last. */
  readonly reads: number;
  /** How long nothing was answered after each fault. */
  readonly gapsMs: Readonly<Record<string, readonly number[]>>;
  readonly faults: readonly string[];
};

export const FAULTS = [
  'kill engine',
  'kill gateway',
  'kill log server',
  'cut off engine',
  'pause engine',
  'cut off gateway',
  'hand-over',
  'engine hears nobody',
  'kill engine and gateway',
  'nobody hears engine',
  'kill both',
  'pause gateway',
  'kill all',
] as const;
export type Fault = (typeof FAULTS)[number];

const WORKERS = 8;
/** A signed request is refused when its timestamp is a minute old. */
const SIGNED_MS = 50_000;
const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/**
 * Signed transfers through gateways without end, each sent with the same bytes until it is answered, while nodes
 * and log servers are killed, paused and cut off. Meanwhile every read through any gateway shows what any of them has
 * answered. Then: each answered request once in the log, no gap, and all journals equal to it.
 */
export async function runCluster(
  faultsWanted: readonly Fault[],
  random: () => number,
  say: (words: string) => void = () => undefined,
): Promise<ClusterReport> {
  const found = logServer();
  if ('missing' in found) return nothingSeen(found.missing);
  const folder = mkdtempSync(join(tmpdir(), 'rialto-cluster-'));
  const cluster = await startLocalCluster({ program: found.program, folder, lines: true });
  try {
    await cluster.untilAllUp();
    const load = await startLoad(cluster);
    const gapsMs: Record<string, number[]> = {};
    await load.moreAnswers(50);
    for (const fault of faultsWanted) {
      // So that a fault is seen, and not how quickly a busy machine starts programs.
      await cluster.untilAllUp();
      load.restartGap();
      const mend = await strike(cluster, fault, random);
      await load.moreAnswers(60);
      gapsMs[fault] = [...(gapsMs[fault] ?? []), load.longestGapMs()];
      say(`${fault}: nothing was answered for ${load.longestGapMs()} ms`);
      await mend();
      await pause(1_500 * random());
    }
    await load.stop();
    await everybodyAtEnd(cluster);
    const faults = [...load.faults, ...(await check(cluster, load.answered))];
    return { kills: faultsWanted.length, ...load.counts(), gapsMs, faults };
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const nothingSeen = (reason: string): ClusterReport => ({
  ...{ kills: 0, answered: 0, repeated: 0, reads: 0, gapsMs: {} },
  faults: [reason],
});

/** For a soak: so many of all kinds, in a random order. */
export function runClusterKills(count: number, random: () => number): Promise<ClusterReport> {
  const faults = Array.from(
    { length: count },
    (_, at) => FAULTS[at < FAULTS.length ? at : Math.floor(random() * FAULTS.length)] as Fault,
  );
  return runCluster(faults, random, (words) => console.error(`  ${words}`));
}

/** Does it; the returned function brings back what is down. */
async function strike(
  cluster: LocalCluster,
  fault: Fault,
  random: () => number,
): Promise<() => Promise<void>> {
  const leader = await cluster.untilLed();
  const { servers } = cluster;
  const gateway = cluster.gateways[Math.floor(random() * cluster.gateways.length)] as LocalNode;
  const at = Math.floor(random() * servers.names.length);
  if (fault === 'hand-over') {
    leader.signal('SIGTERM');
    return async () => undefined;
  }
  const cuts: Partial<Record<Fault, () => LocalNode>> = {
    'cut off engine': () => cutOff(leader, ['out', 'in']),
    'nobody hears engine': () => cutOff(leader, ['out']),
    'engine hears nobody': () => cutOff(leader, ['in']),
    'cut off gateway': () => cutOff(gateway, ['out', 'in']),
  };
  const cut = cuts[fault]?.();
  if (cut !== undefined) {
    return async () => {
      cut.cut([]);
      // A leader that was replaced finds out, ends, and comes back as a standby.
      if (cut === leader) await until(() => leader.exits.length > 0, 10_000);
    };
  }
  if (fault === 'kill gateway') {
    await gateway.kill();
    return async () => gateway.start();
  }
  if (fault === 'pause gateway') {
    gateway.signal('SIGSTOP');
    return async () => gateway.signal('SIGCONT');
  }
  if (fault === 'kill engine and gateway') {
    await Promise.all([leader.kill(), gateway.kill()]);
    return async () => {
      leader.start();
      gateway.start();
    };
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
    const nodes = [...cluster.engines, ...cluster.gateways];
    await Promise.all([...nodes.map((one) => one.kill()), ...ats.map(servers.kill)]);
    ats.forEach(servers.start);
    for (const node of nodes) node.start();
    return async () => undefined;
  }
  if (fault !== 'kill engine') await servers.kill(at);
  if (fault !== 'kill log server') await leader.kill();
  return async () => {
    if (fault !== 'kill engine') servers.start(at);
    if (fault !== 'kill log server') leader.start();
  };
}

function cutOff(node: LocalNode, directions: readonly ('out' | 'in')[]): LocalNode {
  node.cut(directions);
  return node;
}

async function until(isDone: () => boolean, mostMs = 60_000): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !isDone(); waitedMs += 50) await pause(50);
}

type Load = {
  readonly answered: ReadonlySet<string>;
  readonly faults: readonly string[];
  counts(): { readonly answered: number; readonly repeated: number; readonly reads: number };
  /** Resolves when so many more were answered. */
  moreAnswers(count: number): Promise<void>;
  restartGap(): void;
  longestGapMs(): number;
  stop(): Promise<void>;
};

async function startLoad({ gateways, handout }: LocalCluster): Promise<Load> {
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
  let reads = 0;
  let sum = 0n;
  let lastMs = performance.now();
  let gapMs = 0;
  const balance = async (gateway: LocalNode): Promise<bigint | undefined> => {
    const asked = {
      ...{ key, path: getBalances.path, query: 'asset=USDT' },
      ...{ signedHost: CLUSTER_HOST, nonce: String(++sent) },
    };
    const answer = await answerOf(gateway, asked);
    if (answer?.status !== 200) return undefined;
    // What has left the main account.
    return -partsOf(answer.data[0]?.balances[0]?.available ?? '0');
  };
  const before = (await balance(gateways[0] as LocalNode)) ?? 0n;
  /** Through a gateway that need not have answered anything. */
  const read = async (gateway: LocalNode): Promise<void> => {
    const least = sum;
    const seen = await balance(gateway);
    if (seen === undefined) return;
    reads++;
    if (seen - before < least) faults.push(`${gateway.name} shows ${seen - before} of ${least}`);
  };
  const one = async (worker: number): Promise<void> => {
    let guess = worker;
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
      const gateway = gateways[guess % gateways.length] as LocalNode;
      const answer = await answerOf(gateway, call);
      if (answer?.status === 200) {
        const nowMs = performance.now();
        gapMs = Math.max(gapMs, nowMs - lastMs);
        lastMs = nowMs;
        if (answer.headers.get('Idempotent-Replayed') === 'true') repeated++;
        answered.add(quantity);
        sum += partsOf(quantity);
        if (number % 4 === 0) await read(gateways[(guess + 1) % gateways.length] as LocalNode);
        return;
      }
      if (answer !== undefined && answer.status !== 503 && answer.status !== 500) {
        faults.push(`${quantity}: ${answer.status} ${answer.code} ${answer.message}`);
        return;
      }
      guess++;
      await pause(25);
    }
    faults.push(`${quantity} was never answered`);
  };
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    while (!isStopped) await one(worker);
  });
  return {
    answered,
    faults,
    counts: () => ({ answered: answered.size, repeated, reads }),
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
  gateway: LocalNode,
  call: Parameters<typeof rawCall>[1],
): Promise<RawAnswer | undefined> {
  // Longer than a gateway waits for a leader. A paused one keeps its sockets open and says nothing.
  const late = pause(14_000).then(() => undefined);
  const answer = rawCall({ baseUrl: gateway.url } as Venue, call).catch(() => undefined);
  return Promise.race([answer, late]);
}

/** In parts of 10^-8. */
function partsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0'));
}

/** All engines run, and have what the log has. */
async function everybodyAtEnd(cluster: LocalCluster): Promise<void> {
  for (const node of [...cluster.engines, ...cluster.gateways]) node.start();
  const nodes = [...cluster.engines, ...cluster.gateways];
  const last = async (): Promise<number> => (await entriesOfLog(cluster)).length;
  await cluster.untilLed();
  for (let tries = 0; tries < 200; tries++) {
    const logged = await last();
    if (nodes.every((node) => journalOf(node).length >= logged)) return;
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
  for (const engine of [...cluster.engines, ...cluster.gateways]) {
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
