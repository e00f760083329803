import { clusterIn, openLog, streamOf } from './cluster.ts';
import type { VenueConfig } from './config.ts';
import { type Beat, beatFrom } from './engine/beat.ts';
import { stampOf } from './engine/stamp.ts';
import { identityOf } from './identity.ts';
import { openSegments } from './journal/segments.ts';
import { type AppendedJournal, appendJournal } from './replication/append-journal.ts';
import type { NatsLog } from './replication/nats-log.ts';
import { unsafeReasons } from './replication/nats-safety.ts';
import { lockVenue } from './venue-lock.ts';

/** What people do to a cluster from the command line; the nodes themselves are in cluster.ts. */
export type ClusterStatus = {
  readonly stream: string;
  readonly venueId: string;
  readonly messages: number;
  readonly unsafe: readonly string[];
  readonly nodes: readonly Beat[];
};

/** Nodes say where they are every 250 ms. */
const LISTEN_MS = 1_000;
const HAND_OVER_MS = 10_000;
const REPLICAS = 3;

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

export async function withLog<Result>(
  config: VenueConfig,
  work: (log: NatsLog) => Promise<Result>,
): Promise<Result> {
  const log = await openLog(clusterIn(config), (words) => console.error(words));
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

export async function beatsOf(log: NatsLog, forMs = LISTEN_MS): Promise<Beat[]> {
  const beats = new Map<string, Beat>();
  log.hear('beat', (text) => {
    const beat = beatFrom(text);
    if (beat !== undefined) beats.set(beat.node, beat);
  });
  await pause(forMs);
  return [...beats.values()].sort((one, other) => one.node.localeCompare(other.node));
}

export const clusterStatus = (config: VenueConfig): Promise<ClusterStatus> =>
  withLog(config, async (log) => {
    const cluster = clusterIn(config);
    const { venueId, info } = await streamOf(log, cluster);
    return {
      stream: cluster.stream,
      venueId,
      messages: info.state.last_seq,
      unsafe: await unsafeReasons(info, cluster.monitors),
      nodes: await beatsOf(log),
    };
  });

/** Asks the leader to let another one lead; who leads then. */
export const handOver = (
  config: VenueConfig,
): Promise<{ readonly from: string; readonly to: string }> =>
  withLog(config, async (log) => {
    const beats = await beatsOf(log);
    const leader = beats.find(({ role }) => role === 'leader');
    if (leader === undefined) throw new Error('no node leads: there is nothing to hand over');
    if (beats.length === 1) throw new Error(`${leader.node} is alone: no standby could take over`);
    let next: string | undefined;
    log.hear('beat', (text) => {
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

/** Makes the stream of a venue that has run on one machine, with everything in its journal. */
export const createCluster = (
  config: VenueConfig,
  isUnsafeLogAllowed: boolean,
): Promise<AppendedJournal> =>
  withLog(config, async (log) => {
    const { venueId } = identityOf(config.data);
    const { stream } = clusterIn(config);
    const described = await log.describe();
    if (described === undefined) {
      await log.create(venueId, isUnsafeLogAllowed ? 1 : REPLICAS);
    } else if (described.venueId !== venueId || described.info.state.last_seq > 0) {
      throw new Error(
        `stream ${stream} is there already, with ${described.info.state.last_seq} messages of venue ` +
          `${described.venueId ?? '(none)'}: choose another cluster.stream, or use it as it is`,
      );
    }
    return appendOwn(config, log);
  });

/** The log has lost its end: this node's journal, which must be the longest, gives it back. */
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

async function appendOwn(config: VenueConfig, log: NatsLog): Promise<AppendedJournal> {
  const unlock = await lockVenue(config.data);
  try {
    const { venueId } = identityOf(config.data);
    const directory = `${config.data}/journal`;
    const local = await openSegments({ directory, stamp: stampOf(venueId) });
    try {
      const firstSequence = Math.max(1, local.opened.firstSequence);
      const { node } = clusterIn(config);
      return await appendJournal({ log, local, firstSequence, node, pause: () => pause(50) });
    } finally {
      await local.close();
    }
  } finally {
    unlock();
  }
}
