import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { clusterIn, historyFileOf, logOfVenue, openLog, streamOf, withRetry } from './cluster.ts';
import { openSnapshotStore, SnapshotKeeper } from './cluster-snapshots.ts';
import type { VenueConfig } from './config.ts';
import type { ClusterConfig } from './config-cluster.ts';
import { type Beat, beatFrom } from './engine/beat.ts';
import { stampOf } from './engine/stamp.ts';
import { findOlder, refuseOlder } from './engine/upgrade.ts';
import { historyCursor } from './history/open.ts';
import { identityOf } from './identity.ts';
import { openSegments } from './journal/segments.ts';
import { peekSnapshots } from './journal/snapshots.ts';
import { type AppendedJournal, appendJournal } from './replication/append-journal.ts';
import { LogUnavailable } from './replication/log.ts';
import { gateBehind } from './replication/log-cursor.ts';
import { decodeMessage, encodeMessage } from './replication/message.ts';
import type { NatsLog } from './replication/nats-log.ts';
import { silentServers, unsafeReasons } from './replication/nats-safety.ts';
import type { SnapshotStore } from './replication/snapshot-store.ts';
import { lockVenue } from './venue-lock.ts';

/** Operations on a cluster from the command line; the nodes themselves are in cluster.ts. */
export type ClusterStatus = {
  readonly stream: string;
  readonly venueId: string;
  readonly messages: number;
  readonly unsafe: readonly string[];
  /** Log servers that do not answer, in words. */
  readonly silent: readonly string[];
  /** The log is closed for a data layout, and nothing has followed the gate yet. */
  readonly gate?: Gate;
  readonly nodes: readonly Beat[];
};

/** Nodes announce their position every 250 ms. */
const LISTEN_MS = 1_000;
const HAND_OVER_MS = 10_000;
/** Whoever asks how it is wants to know soon, and not only once it is well. */
const STATUS_TRIES = 3;
const GATE_MS = 30_000;
const REPLICAS = 3;
/** A bucket that was just created may have no leader yet. */
const SNAPSHOT_TRIES = 10;
const SNAPSHOT_PAUSE_MS = 1_000;

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

export async function withLog<Result>(
  config: VenueConfig,
  work: (log: NatsLog) => Promise<Result>,
  triesMax?: number,
): Promise<Result> {
  const say = (words: string): void => console.error(words);
  const log = await openLog(clusterIn(config), say, undefined, triesMax);
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

export async function beatsOf(log: NatsLog, forMs = LISTEN_MS): Promise<Beat[]> {
  const beats = new Map<string, Beat>();
  log.subscribe('beat', (text) => {
    const beat = beatFrom(text);
    if (beat !== undefined) beats.set(beat.node, beat);
  });
  await pause(forMs);
  return [...beats.values()].sort((one, other) => one.node.localeCompare(other.node));
}

export async function clusterStatus(config: VenueConfig): Promise<ClusterStatus> {
  const silent = await silentServers(clusterIn(config).monitors);
  try {
    const status = await withLog(config, (log) => statusIn(log, clusterIn(config)), STATUS_TRIES);
    return { ...status, silent };
  } catch (cause) {
    if (!(cause instanceof LogUnavailable) || silent.length === 0) throw cause;
    throw new Error(`${cause.message}; ${silent.join('; ')}: most of the log servers must run`);
  }
}

async function statusIn(
  log: NatsLog,
  cluster: ClusterConfig,
): Promise<Omit<ClusterStatus, 'silent'>> {
  const { venueId, info } = await streamOf(log, cluster);
  const gate = await gateAtEnd(log);
  return {
    ...(gate === undefined ? {} : { gate }),
    stream: cluster.stream,
    venueId,
    messages: info.state.last_seq,
    unsafe: await unsafeReasons(info, cluster.monitors),
    nodes: await beatsOf(log),
  };
}

/** Asks the leader to hand over; returns who leads then. */
export const handOver = (
  config: VenueConfig,
): Promise<{ readonly from: string; readonly to: string }> =>
  withLog(config, async (log) => {
    const leader = leaderToReplace(await beatsOf(log));
    let next: string | undefined;
    log.subscribe('beat', (text) => {
      const beat = beatFrom(text);
      if (beat?.role === 'leader' && beat.node !== leader.node) next = beat.node;
    });
    log.send('hand-over', leader.node);
    for (let waitedMs = 0; waitedMs < HAND_OVER_MS; waitedMs += 50) {
      if (next !== undefined) return { from: leader.node, to: next };
      await pause(50);
    }
    throw new Error(`${leader.node} was asked, and nobody else leads after ${HAND_OVER_MS} ms`);
  });

/** Gateways follow the log too, and never lead: without a standby the venue would only pause. */
export function leaderToReplace(beats: readonly Pick<Beat, 'node' | 'role'>[]): Pick<Beat, 'node'> {
  const leader = beats.find(({ role }) => role === 'leader');
  if (leader === undefined) throw new Error('no node leads: there is nothing to hand over');
  if (beats.some(({ role }) => role === 'standby')) return leader;
  throw new Error(`${leader.node} is alone: no standby could take over`);
}

export type Gate = { readonly layout: string; readonly sequence: number };

/** Closes the log for the leader's data layout; all nodes with that layout end there. */
export const closeGate = (config: VenueConfig): Promise<Gate> =>
  withLog(config, async (log) => {
    const leader = (await beatsOf(log)).find(({ role }) => role === 'leader');
    if (leader === undefined) {
      throw new Error('no node leads: only the engine that leads can close the log');
    }
    log.send('gate', leader.node);
    for (let waitedMs = 0; waitedMs < GATE_MS; waitedMs += 100) {
      const gate = await gateAtEnd(log);
      if (gate !== undefined) return gate;
      await pause(100);
    }
    throw new Error(
      `${leader.node} was asked, and the log is not closed after ${GATE_MS} ms: see rialto cluster status, and ask again`,
    );
  });

/** Reopens the log for the layout it was closed for, if nothing has followed the gate. */
export const liftGate = (config: VenueConfig): Promise<Gate> =>
  withLog(config, async (log) => {
    const leader = (await beatsOf(log)).find(({ role }) => role === 'leader');
    if (leader !== undefined) throw new Error(`${leader.node} leads: stop it first`);
    const gate = await gateAtEnd(log);
    if (gate === undefined) {
      throw new Error('the log is not closed, or has entries behind the gate: nothing was changed');
    }
    const { lastPlace } = await log.end();
    const message = encodeMessage({
      ...{ kind: 'lift', node: clusterIn(config).node, entries: [] },
      ...{ writer: randomBytes(16).toString('hex'), firstSequence: gate.sequence + 1 },
    });
    const answer = await log.append(message, lastPlace);
    if (answer === 'stored') return gate;
    throw new Error('the log has not taken it, or another node writes: see rialto cluster status');
  });

async function gateAtEnd(log: NatsLog): Promise<Gate | undefined> {
  const { firstPlace, lastPlace } = await log.end();
  const last = lastPlace < firstPlace ? undefined : await log.at(lastPlace);
  if (last === undefined) return undefined;
  const { firstSequence, entries } = decodeMessage(lastPlace, last.bytes);
  if (entries.length > 0) return undefined;
  const gate = await gateBehind(log, firstSequence - 1);
  return gate && { layout: gate.layout, sequence: firstSequence - 1 };
}

/** Servers that have just been started, or are busy, may leave a question unanswered. */
const patiently = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
  withRetry(ask, (words) => console.error(words));

/** Creates the stream of a venue that has run on one machine, with everything in its journal. */
export const createCluster = (
  config: VenueConfig,
  isUnsafeLogAllowed: boolean,
): Promise<AppendedJournal> =>
  withLog(config, async (log) => {
    const { venueId } = identityOf(config.data);
    const { stream } = clusterIn(config);
    const described = await patiently(() => log.describe());
    if (
      described !== undefined &&
      (described.venueId !== venueId || described.info.state.last_seq > 0)
    ) {
      throw new Error(
        `stream ${stream} is there already, with ${described.info.state.last_seq} messages of venue ` +
          `${described.venueId ?? '(none)'}: choose another cluster.stream, or use it as it is`,
      );
    }
    const appended = await appendOwn(config, log, async (firstSequence) => {
      await refuseWithoutBeginning(config, firstSequence);
      if (described !== undefined) return;
      await patiently(() => log.create(venueId, isUnsafeLogAllowed ? 1 : REPLICAS));
      // Those that hold it elect their own leader first.
      await patiently(() => log.end());
    });
    if (appended.fromSequence > 1) await storeOwnSnapshot(config, log);
    return appended;
  });

/**
 * If the log does not begin with the venue's first entry, because earlier entries have an earlier layout or
 * are not on this node, the other nodes start from a snapshot that the log and history have reached. Without
 * one, nothing is created.
 */
async function refuseWithoutBeginning(config: VenueConfig, firstSequence: number): Promise<void> {
  if (firstSequence === 1) return;
  const { data } = config;
  const file = historyFileOf(config);
  const upTo = file === undefined ? Number.POSITIVE_INFINITY : await historyCursor({ file });
  const stamp = stampOf(identityOf(data).venueId);
  const isThere = peekSnapshots(join(data, 'snapshots')).some(
    (one) => one.stamp === stamp && one.sequence >= firstSequence && one.sequence <= upTo,
  );
  if (isThere) return;
  throw new Error(
    `the log would begin at sequence ${firstSequence}, and ${data} has no snapshot behind that which its history has ` +
      'reached: no node could join. Nothing was made; run it once more without "cluster" for a minute (rialto serve), ' +
      'stop it, and try again',
  );
}

/** Publishes the newest snapshot of this node for the others. */
async function storeOwnSnapshot(config: VenueConfig, log: NatsLog): Promise<void> {
  const cluster = clusterIn(config);
  const of = logOfVenue(log, cluster, await streamOf(log, cluster));
  const store = await patiently(() => openSnapshotStore(of));
  let trouble: string | undefined;
  try {
    for (let tries = 1; tries <= SNAPSHOT_TRIES; tries++) {
      trouble = await storeSnapshotOnce(config, store);
      if (trouble === undefined) break;
      await pause(SNAPSHOT_PAUSE_MS);
    }
  } finally {
    await store.close();
  }
  if (trouble === undefined) return;
  throw new Error(
    `the log is made, but for a snapshot with which the others can begin: ${trouble}. Give them a backup of ` +
      'this node (rialto backup, rialto restore)',
  );
}

/** Returns what went wrong. */
async function storeSnapshotOnce(
  config: VenueConfig,
  store: SnapshotStore,
): Promise<string | undefined> {
  const { data } = config;
  let trouble: string | undefined;
  const keeper = new SnapshotKeeper({
    ...{ data, cluster: clusterIn(config), venueId: identityOf(data).venueId, store },
    ...{ isLeader: () => false, every: () => () => undefined, onNotice: () => undefined },
    historyFile: historyFileOf(config),
    onTrouble: (words) => {
      trouble = words;
    },
  });
  await keeper.storeIfDue();
  return trouble;
}

/** The log has lost its end: this node's journal, which must be the longest, restores it. */
export const repairCluster = (config: VenueConfig): Promise<AppendedJournal> =>
  withLog(config, async (log) => {
    const { venueId } = await streamOf(log, clusterIn(config));
    const own = identityOf(config.data).venueId;
    if (own !== venueId)
      throw new Error(`the log is of venue ${venueId}, ${config.data} of ${own}`);
    const leader = (await beatsOf(log)).find(({ role }) => role === 'leader');
    if (leader !== undefined) throw new Error(`${leader.node} leads: stop all nodes first`);
    return appendOwn(config, log);
  });

async function appendOwn(
  config: VenueConfig,
  log: NatsLog,
  beforehand: (firstSequence: number) => Promise<void> = async () => undefined,
): Promise<AppendedJournal> {
  const unlock = await lockVenue(config.data);
  try {
    const { venueId } = identityOf(config.data);
    const place = { directory: config.data, venueId };
    refuseOlder(place);
    // Entries of an earlier version are contained in the upgraded snapshot, and are not for this log.
    const { stamps: olderStamps, boundary } = findOlder(place);
    const directory = join(config.data, 'journal');
    const local = await openSegments({ directory, stamp: stampOf(venueId), olderStamps });
    try {
      const firstSequence = Math.max(1, local.opened.firstSequence, boundary + 1);
      const { node } = clusterIn(config);
      await beforehand(firstSequence);
      return await appendJournal({ log, local, firstSequence, node, pause: () => pause(50) });
    } finally {
      await local.close();
    }
  } finally {
    unlock();
  }
}
