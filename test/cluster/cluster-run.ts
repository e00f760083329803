import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LocalCluster,
  type LocalNode,
  startLocalCluster,
} from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { RULES_VERSION } from '../../src/core/snapshot.ts';
import { newState } from '../../src/core/state.ts';
import { decodeEntry } from '../../src/engine/codec.ts';
import { joinedAt } from '../../src/engine/join-snapshot.ts';
import { layoutOf } from '../../src/engine/layout.ts';
import { replay } from '../../src/engine/recovery.ts';
import { numberedFrom } from '../../src/journal/journal.ts';
import { openSegmentReader } from '../../src/journal/segment-reader.ts';
import { tearCopy } from '../../src/journal/torn-copy.fixture.ts';
import { LogCursor } from '../../src/replication/log-cursor.ts';
import { openNatsLog } from '../../src/replication/nats-log.ts';
import { placeGuarded } from './guarded.ts';
import { startLoad, until } from './load.ts';

export type ClusterReport = {
  readonly kills: number;
  readonly answered: number;
  readonly repeated: number;
  /** Reads through a gateway other than the one that answered last. */
  readonly reads: number;
  /** How long nothing was answered after each fault. */
  readonly gapsMs: Readonly<Record<string, readonly number[]>>;
  readonly faults: readonly string[];
};

export const FAULTS = [
  'kill engine',
  'kill gateway',
  'gateway loses power',
  'replace gateway',
  'kill log server',
  'cut off engine',
  'pause engine',
  'cut off gateway',
  'hand-over',
  'engine receives nothing',
  'kill engine and gateway',
  'engine reaches nobody',
  'kill both',
  'pause gateway',
  'kill all',
] as const;
export type Fault = (typeof FAULTS)[number];

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/**
 * Continuous signed transfers through gateways, each sent with the same bytes until it is answered, while
 * nodes and log servers are killed, paused and cut off. Meanwhile every read through any gateway must show
 * what any of them has answered. At the end: each answered request is in the log once, there is no gap, and
 * all journals equal the log.
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
    const stillGuarded = await placeGuarded(cluster);
    const load = await startLoad(cluster);
    const gapsMs: Record<string, number[]> = {};
    await load.moreAnswers(50);
    for (const fault of faultsWanted) {
      // So that the fault is measured, not how fast a busy machine starts programs.
      await cluster.untilAllUp();
      say(`all nodes are up, then: ${fault}`);
      load.restartGap();
      const mend = await strike(cluster, fault, random);
      await load.moreAnswers(60);
      gapsMs[fault] = [...(gapsMs[fault] ?? []), load.longestGapMs()];
      say(`${fault}: nothing was answered for ${load.longestGapMs()} ms`);
      await mend();
      await pause(1_500 * random());
    }
    await load.stop();
    say('no more requests');
    await everybodyAtEnd(cluster);
    say('all nodes have the log');
    const faults = [
      ...load.faults,
      ...(await check(cluster, load.answered)),
      ...(await operatorsServed(cluster)),
      // If all nodes are killed at once, nobody remembers which connections there were.
      ...(faultsWanted.includes('kill all') ? [] : await stillGuarded()),
    ];
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

/** For a soak: `count` faults of all kinds, in a random order. */
export function runClusterKills(count: number, random: () => number): Promise<ClusterReport> {
  const faults = Array.from(
    { length: count },
    (_, at) => FAULTS[at < FAULTS.length ? at : Math.floor(random() * FAULTS.length)] as Fault,
  );
  return runCluster(faults, random, (words) => console.error(`  ${words}`));
}

/** Causes the fault; the returned function restores what is down. */
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
    'engine reaches nobody': () => cutOff(leader, ['out']),
    'engine receives nothing': () => cutOff(leader, ['in']),
    'cut off gateway': () => cutOff(gateway, ['out', 'in']),
  };
  const cut = cuts[fault]?.();
  if (cut !== undefined) {
    return async () => {
      cut.cut([]);
      // A replaced leader notices, ends, and comes back as a standby.
      if (cut === leader) await until(() => leader.exits.length > 0, 10_000);
    };
  }
  if (fault === 'kill gateway') {
    await gateway.kill();
    return async () => gateway.start();
  }
  if (fault === 'gateway loses power') {
    await gateway.kill();
    tearCopy(layoutOf(gateway.data).journal);
    return async () => gateway.start();
  }
  if (fault === 'replace gateway') {
    await gateway.kill();
    return async () => {
      gateway.wipe();
      gateway.start();
    };
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
      // It notices that another one leads, ends, and comes back as a standby.
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

/** Every node serves operators through the leader: an unsigned request must be refused with 401. */
async function operatorsServed(cluster: LocalCluster): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, managementUrl } of [...cluster.engines, ...cluster.gateways]) {
    const ask = async (): Promise<number> =>
      (await fetch(`${managementUrl}/operator/v1/overview`).catch(() => undefined))?.status ?? 0;
    let status = await ask();
    // A node has the whole log some moments before it listens.
    for (let tries = 0; status !== 401 && tries < 100; tries++) {
      await pause(100);
      status = await ask();
    }
    if (status !== 401) faults.push(`an operator who does not sign gets ${status} at ${name}`);
  }
  return faults;
}

/** All engines run, and have everything in the log. */
async function everybodyAtEnd(cluster: LocalCluster): Promise<void> {
  for (const node of [...cluster.engines, ...cluster.gateways]) node.start();
  const nodes = [...cluster.engines, ...cluster.gateways];
  const last = async (): Promise<number> => (await entriesOfLog(cluster)).length;
  await cluster.untilLed();
  for (let tries = 0; tries < 200; tries++) {
    const logged = await last();
    if (nodes.every((node) => endOf(journalOf(node)) >= logged)) return;
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

type OwnJournal = {
  /** For a node that began with a snapshot of the cluster, at any start: its files do not have what came before. */
  readonly beginsAfter: number;
  readonly entries: readonly Uint8Array[];
};
const endOf = ({ beginsAfter, entries }: OwnJournal): number => beginsAfter + entries.length;

function journalOf({ data }: LocalNode): OwnJournal {
  const beginsAfter = joinedAt(data);
  const reader = openSegmentReader({ directory: join(data, 'journal') });
  const entries: Uint8Array[] = [];
  try {
    for (const { bytes } of reader.read(beginsAfter + 1, Number.MAX_SAFE_INTEGER))
      entries.push(bytes.slice());
  } catch {
    // The end of a journal that is still being written.
  } finally {
    reader.close();
  }
  return { beginsAfter, entries };
}

async function check(cluster: LocalCluster, answered: ReadonlySet<string>): Promise<string[]> {
  const faults: string[] = [];
  const entries = await entriesOfLog(cluster);
  const numbered = numberedFrom(1, entries);
  // Throws if a digest in the log is not the result of its commands.
  replay(newState(), numbered);
  const times = new Map<string, number>();
  for (const entry of numbered) {
    const { command } = decodeEntry(entry, RULES_VERSION).stamped;
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
  for (const node of [...cluster.engines, ...cluster.gateways]) {
    const own = journalOf(node);
    if (endOf(own) < entries.length) {
      faults.push(`${node.name} ends at ${endOf(own)} of ${entries.length} entries`);
    }
    const differs = own.entries.findIndex((bytes, at) => {
      const logged = entries[own.beginsAfter + at];
      return logged !== undefined && Buffer.compare(bytes, logged) !== 0;
    });
    if (differs < 0) continue;
    faults.push(`${node.name}: entry ${own.beginsAfter + differs + 1} is not the log's`);
  }
  if (answered.size === 0) faults.push('nothing was answered');
  return faults;
}
