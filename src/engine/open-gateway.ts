import { randomBytes } from 'node:crypto';
import { directoryOf } from '../core/views/views.ts';
import { EngineClock, realClocks } from './clock.ts';
import { type ClusterOptions, STOP_WAIT_MS } from './cluster-node.ts';
import { isOrderEntry } from './codec.ts';
import { advance, COPY_GATHER_MOST_MS, requestStop } from './cursors.ts';
import { GatewayNode } from './gateway-node.ts';
import { LeaderConnection } from './leader-connection.ts';
import { isBare, LogFollower } from './log-follower.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import { type CopyLag, RemoteEngine } from './remote-engine.ts';
import { repairCopy } from './repair-copy.ts';
import { stampOf } from './stamp.ts';
import {
  type EngineOptions,
  type OpenEngine,
  openJournal,
  outcomeReader,
  type RunningEngine,
  recover,
  type Warm,
} from './start.ts';
import { refuseBeforeGate } from './upgrade.ts';

/**
 * The most outcomes in memory that the event log does not have yet; beyond that, the reader of the log waits.
 */
const OUTCOMES_MAX = 100_000;
const ROOM_MS = 20;
const CLOCK_DRAW_MS = 1_000;
/** How often its journal is fsynced: what a power cut loses is read from the log again. */
const SYNC_MS = 1_000;

/** Recovers its copy from disk, follows the log to its end, and finds the leader. */
export async function openGateway(
  options: EngineOptions,
  cluster: ClusterOptions,
): Promise<OpenEngine> {
  await refuseBeforeGate(options, cluster.log);
  const { local, older } = await openJournal(options, { isCopy: true });
  let close = (): Promise<void> => local.close();
  try {
    await repairCopy(options, local, cluster.log);
    const gatherMostMs = options.gatherMostMs ?? COPY_GATHER_MOST_MS;
    const warm = recover({ ...options, gatherMostMs, isCopy: true }, local, older);
    const { cursors, state } = warm;
    let listeners = (): number => 0;
    const lag: CopyLag = {
      catchUp: () => following?.catchUp(),
      isForbidden: () => listeners() > 0,
    };
    let following: LogFollower | undefined;
    const joined = join(warm, cluster, local.lastSequence, lag);
    // A failure is reported by the next append.
    const stopSyncing = cluster.every(SYNC_MS, () => void local.sync().catch(() => undefined));
    close = async () => {
      stopSyncing();
      joined.stop();
      requestStop(cursors);
      await warm.follower.ended;
      await local.close();
    };
    const { engine, replica } = joined;
    const clocks = options.clocks ?? realClocks;
    const { onFailure, onTrouble = () => undefined } = options;
    const follower = await LogFollower.open({
      ...{ log: cluster.log, local, state, replica, isBare: isBare(local) },
      nowMs: () => clocks.monotonicMs(),
      onStored: (sequence) => advance(cursors, 'journal', sequence),
    });
    replica.onMessage(follower);
    following = follower;
    const node = new GatewayNode({
      ...cluster,
      ...{ engine, follower, clocks, onFailure, onTrouble, listeners: () => listeners() },
      // Nothing that still waits for a leader will be accepted: it is answered now, and clients can send it
      // to the next version.
      onGate: (reason) => {
        engine.stop();
        cluster.onGate(reason);
      },
    });
    const stop = async (): Promise<void> => {
      await node.stop();
      await close();
    };
    const running: RunningEngine = {
      ...{ engine, cursors, clock: joined.clock, disk: warm.disk, recovered: warm.recovered, stop },
      retention: warm.follower.retention,
      cluster: {
        role: 'gateway',
        open: (_engine, of) => {
          listeners = of;
        },
        stopping: () => void cluster.after(STOP_WAIT_MS, () => engine.stop()),
        listeners: () => 0,
        troubles: () => [
          ...node.troubles,
          // Other gateways can serve its clients; this one ends when its copy cannot be written.
          ...(warm.disk.status.refusing === undefined ? [] : ['its disk is nearly full']),
        ],
        node: cluster.node,
        signals: cluster.log,
        reading: () => ({
          ...{ term: follower.term, place: follower.place, takeovers: follower.takeovers },
          ...{ lag: node.lag, ...joined.connection.counts },
        }),
      },
    };
    // Nothing is answered before the leader has said how far it is, and the copy has reached that sequence.
    const leading = begun(node, engine, onTrouble).then(() => running);
    // If something else is refused meanwhile, nobody waits for it; that refusal is what must be said.
    leading.catch(() => undefined);
    return {
      cursors,
      recovered: { ...warm.recovered, sequence: state.sequence },
      directory: directoryOf(state),
      leading,
      leader: () => undefined,
      stop,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

type Joined = {
  readonly engine: RemoteEngine;
  readonly connection: LeaderConnection;
  readonly clock: EngineClock;
  readonly replica: NonNullable<Parameters<typeof LogFollower.open>[0]['replica']>;
  stop(): void;
};

function join(warm: Warm, cluster: ClusterOptions, lastSequence: number, lag: CopyLag): Joined {
  const { options, state, cursors, disk, follower } = warm;
  const { log, node, every } = cluster;
  const clocks = options.clocks ?? realClocks;
  const nowMs = (): number => clocks.monotonicMs();
  const clock = new EngineClock({ clocks, notBeforeMs: state.timeMs });
  const recent = new RecentOutcomes({
    nextSequence: lastSequence + 1,
    readOlder: outcomeReader(options, cursors),
    limits: { lagMax: OUTCOMES_MAX },
  });
  follower.attach({ stored: (at) => recent.stored(at), nowMs: () => clock.nowMs() });
  const connection = new LeaderConnection({
    ...{ transport: log, node, nowMs, every, soon: setImmediate },
    inbox: `gate.${randomBytes(16).toString('hex')}`,
    stamp: stampOf(options.venueId),
    takesOutcomes: true,
    onRefused: (words) => options.onFailure(new Error(words)),
  });
  const engine = new RemoteEngine({
    ...{ state, connection, recent, clock, nowMs, every, disk, follower: follower.status, lag },
  });
  // It follows the machine's clock; a step that the venue accepts comes through the log.
  const stopDrawing = every(CLOCK_DRAW_MS, () => void clock.check());
  return {
    engine,
    connection,
    clock,
    replica: {
      onBytes: engine.onBytes,
      onEntry: engine.onEntry,
      onMessage: ({ leader, isHandedOver }) =>
        engine.moved(isHandedOver ? undefined : leader?.writer),
      room: () => (recent.isFull ? roomIn(recent, cluster) : undefined),
      lag: {
        mayWait: isOrderEntry,
        isAwaited: () => engine.isAwaited || lag.isForbidden(),
        after: cluster.after,
      },
    },
    stop: () => {
      stopDrawing();
      engine.stop();
    },
  };
}

async function roomIn(recent: RecentOutcomes, { after }: ClusterOptions): Promise<void> {
  while (recent.isFull) {
    await new Promise<void>((resolve) => void after(ROOM_MS, resolve));
  }
}

/** Waits until there is a leader: a gateway that listens must be able to answer. */
async function begun(
  node: GatewayNode,
  engine: RemoteEngine,
  onTrouble: (words: string) => void,
): Promise<void> {
  await node.begin();
  for (let tries = 1; ; tries++) {
    try {
      await engine.refreshed();
      return;
    } catch (cause) {
      if (engine.status().isStopped) throw cause;
      if (tries === 1) onTrouble('no engine leads: this gateway waits for one before it listens');
    }
  }
}
