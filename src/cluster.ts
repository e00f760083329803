import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  joinFromSnapshot,
  type LogOfVenue,
  openSnapshotStore,
  removeUnfinished,
  SnapshotKeeper,
} from './cluster-snapshots.ts';
import type { VenueConfig } from './config.ts';
import type { ClusterConfig } from './config-cluster.ts';
import { type ClusterOptions, StandbyStopped } from './engine/cluster-node.ts';
import type { GateReached } from './engine/gate.ts';
import type { OpenEngine, RunningEngine } from './engine/start.ts';
import { identityOf } from './identity.ts';
import { textIn } from './journal/file-faults.ts';
import { OperatorRelay } from './operator-relay.ts';
import { announceManagement, withdrawManagement } from './operators.ts';
import { urlOf } from './ports.ts';
import { afterRealTime, everyRealTime } from './real-time.ts';
import { LogUnavailable, type Signals, type Transport } from './replication/log.ts';
import type { NatsLog } from './replication/nats-log.ts';
import { openOperatorListener, openTraderListener } from './standby-listener.ts';
import { agreeWithLeader, type HotWallets, OtherWallets } from './standby-wallets.ts';

/**
 * The exit code of a leader that was replaced or asked to hand over: started again, it is a standby. Units
 * restart it (ops/cluster); it is EX_TEMPFAIL of sysexits.
 */
export const LOST_LEAD_EXIT_CODE = 75;

export type JoinOptions = {
  readonly role: ClusterOptions['role'];
  /** Experiments only: a log that may lose acknowledged messages. */
  readonly isUnsafeLogAllowed: boolean;
  readonly onHandOver: () => void;
  readonly onGate: (reason: GateReached) => void;
  /** Ends a standby; a leader is stopped by the venue's own stop. */
  readonly signal: AbortSignal;
};

export type JoinedCluster = {
  readonly options: ClusterOptions;
  readonly venueId: string;
  /** The log may lose acknowledged messages: every answer says so. */
  readonly isLogUnsafe: boolean;
  /** The files of this node begin after this sequence; 0 if they are complete. */
  readonly beginsAfter: number;
  /** Publishes snapshots for all nodes; undefined for a gateway. */
  keepSnapshots(isLeader: () => boolean): SnapshotKeeper | undefined;
  /** Answers with the leader's address until this node leads. */
  whileStandby(
    engine: OpenEngine,
    close: () => Promise<void>,
    wallets: HotWallets,
  ): Promise<RunningEngine>;
  close(): Promise<void>;
};
export type JoinCluster = (config: VenueConfig, log: Logger) => Promise<JoinedCluster>;

/** Connects to the log and checks that it belongs to this venue and loses nothing. */
export const joinCluster =
  (options: JoinOptions): JoinCluster =>
  async (config, log) => {
    const cluster = clusterIn(config);
    refuseMissingFiles(cluster);
    refuseNewSecrets(config);
    const nats = await openLog(cluster, (words) => log.warn(words), options.signal);
    try {
      const described = await streamOf(nats, cluster);
      refuseOtherVenue(config, cluster, described.venueId);
      const { info, venueId } = described;
      const isLogUnsafe = await checkSafety(cluster, info, options.isUnsafeLogAllowed, log);
      refuseSmallMessages(config, nats.messageBytesMax);
      const historyFile = historyFileOf(config);
      const hasHistoryFile = historyFile !== undefined;
      const of = logOfVenue(nats, cluster, described);
      const { data } = config;
      await removeUnfinished(data);
      const onAway = (words: string): void => log.warn(words);
      const store = await withRetry(() => openSnapshotStore(of), onAway, options.signal);
      const onNotice = (words: string): void => log.info(words);
      const isGateway = options.role === 'gateway';
      const joining = { ...of, data, store, hasHistoryFile, isGateway, onNotice };
      const join = (): Promise<number> => joinFromSnapshot(joining);
      const beginsAfter = await withRetry(join, onAway, options.signal).catch(
        async (cause: unknown) => {
          await store.close();
          throw cause;
        },
      );
      if (isGateway) await store.close();
      return {
        venueId,
        beginsAfter,
        keepSnapshots: (isLeader) =>
          isGateway
            ? undefined
            : new SnapshotKeeper({
                ...{ data, cluster, venueId, store, isLeader, every: everyRealTime, onNotice },
                historyFile,
                onTrouble: (words) => log.warn(words),
              }),
        isLogUnsafe,
        options: {
          log: nats,
          role: options.role,
          node: cluster.node,
          url: cluster.url,
          every: everyRealTime,
          after: afterRealTime,
          onHandOver: options.onHandOver,
          onGate: options.onGate,
        },
        whileStandby: (engine, close, wallets) =>
          (isGateway ? getReady : standBy)(engine, {
            ...{ config, log, close, options, venueId, transport: nats, wallets },
          }),
        close: async () => {
          await store.close();
          await nats.close();
        },
      };
    } catch (cause) {
      await nats.close();
      throw cause;
    }
  };

/** Distinguishes this log from another one with the same name. */
export function logOfVenue(
  log: NatsLog,
  cluster: ClusterConfig,
  { venueId, info }: { readonly venueId: string; readonly info: Described['info'] },
): LogOfVenue {
  const { created, config } = info;
  return { log, cluster, venueId, madeAt: String(created), replicas: config.num_replicas };
}

export function clusterIn({ cluster, data }: VenueConfig): ClusterConfig {
  if (cluster !== undefined) return cluster;
  throw new Error(
    `the configuration of ${data} has no cluster: it needs cluster.node, cluster.servers and ` +
      'cluster.monitors (docs/CLUSTER.md)',
  );
}

/** After a start of the servers there may be no answer for seconds. */
const OPEN_TRIES = 60;
const OPEN_PAUSE_MS = 1_000;

/** The log's client is loaded here, so that a venue on one machine does not load it. */
export async function openLog(
  { servers, stream, node, credentialsFile, tls }: ClusterConfig,
  onTrouble: (words: string) => void,
  signal?: AbortSignal,
  triesMax = OPEN_TRIES,
): Promise<NatsLog> {
  const { openNatsLog } = await import('./replication/nats-log.ts');
  const log = await withRetry(
    () => openNatsLog({ servers, stream, name: node, credentialsFile, tls }),
    onTrouble,
    signal,
    triesMax,
  );
  await withRetry(() => log.describe(), onTrouble, signal, triesMax).catch(
    async (cause: unknown) => {
      await log.close();
      throw cause;
    },
  );
  return log;
}

/** The history file of this node; undefined if history is on a server. */
export const historyFileOf = ({ data, history }: VenueConfig): string | undefined =>
  history === undefined ? join(data, 'history.db') : undefined;

/** Retries for a minute while the servers do not answer. */
export async function withRetry<Result>(
  work: () => Promise<Result>,
  onTrouble: (words: string) => void,
  signal?: AbortSignal,
  triesMax = OPEN_TRIES,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (cause) {
      if (signal?.aborted === true) throw new StandbyStopped('this node was stopped');
      if (!(cause instanceof LogUnavailable) || tries === triesMax) throw cause;
      if (tries === 1) onTrouble(`${cause.message}; waiting for it`);
      await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS));
    }
  }
}

export async function streamOf(
  log: NatsLog,
  { stream }: ClusterConfig,
): Promise<{ readonly venueId: string; readonly info: Described['info'] }> {
  const described = await log.describe();
  if (described === undefined) {
    throw new Error(
      `the log servers have no stream ${stream}: on the machine that has the venue, run ` +
        'rialto cluster create --config FILE; if they had it and have lost it, on the one with the longest journal ' +
        '(rialto verify --data DIR)',
    );
  }
  const { venueId, info } = described;
  if (venueId !== undefined) return { venueId, info };
  throw new Error(`stream ${stream} was not made by rialto cluster create: use another name`);
}
type Described = NonNullable<Awaited<ReturnType<NatsLog['describe']>>>;

function refuseOtherVenue({ data }: VenueConfig, { stream }: ClusterConfig, venueId: string): void {
  if (!existsSync(join(data, 'venue.json'))) return;
  const own = identityOf(data).venueId;
  if (own === venueId) return;
  throw new Error(
    `stream ${stream} is of venue ${venueId}, ${data} of ${own}: set cluster.stream, or data, to the ` +
      'one that fits',
  );
}

/** Otherwise it would seem as if no server answered. */
export function refuseMissingFiles({ credentialsFile, tls }: ClusterConfig): void {
  const files = Object.entries({ credentialsFile, ...tls });
  for (const [, file] of files) if (file !== undefined) textIn(file);
}

/** A node without data of its own cannot create new secrets: it needs those of the venue. */
export function refuseNewSecrets({ data, masterKeyFile, masterKeyText }: VenueConfig): void {
  const missing = [
    ...(masterKeyText === undefined && !existsSync(masterKeyFile) ? [masterKeyFile] : []),
    ...(existsSync(join(data, 'operators.json')) ? [] : [join(data, 'operators.json')]),
  ];
  if (missing.length === 0) return;
  throw new Error(
    `${missing.join(' and ')} must be brought from another node of the cluster first: all nodes ` +
      'have the same master key and the same operators',
  );
}

async function checkSafety(
  cluster: ClusterConfig,
  info: Described['info'],
  isUnsafeAllowed: boolean,
  log: Logger,
): Promise<boolean> {
  const { openToAnybody, unsafeReasons } = await import('./replication/nats-safety.ts');
  const open = openToAnybody(cluster);
  if (open !== undefined) log.warn(open);
  const reasons = await unsafeReasons(info, cluster.monitors);
  if (reasons.length === 0) return false;
  const words = `this log may lose what it has acknowledged: ${reasons.join('; ')}`;
  if (!isUnsafeAllowed) throw new Error(`${words}. For experiments: --unsafe-log`);
  log.warn(`${words}. It is used because of --unsafe-log`);
  return true;
}

/** The largest command that a body can hold must fit into a message, with its overhead. */
function refuseSmallMessages({ bodyLimitBytes = 0 }: VenueConfig, messageBytesMax: number): void {
  if (bodyLimitBytes * 2 <= messageBytesMax) return;
  throw new Error(
    `bodyLimitBytes is ${bodyLimitBytes}, the log takes messages up to ${messageBytesMax} bytes: ` +
      'set max_payload of the log servers to twice bodyLimitBytes',
  );
}

type Standing = {
  readonly config: VenueConfig;
  readonly log: Logger;
  readonly close: () => Promise<void>;
  readonly options: JoinOptions;
  readonly venueId: string;
  readonly transport: Transport & Signals;
  /** Of this node. */
  readonly wallets: HotWallets;
};

/** A gateway does not listen before it is at the end of the log and knows the leader. */
async function getReady(
  engine: OpenEngine,
  { log, close, options }: Standing,
): Promise<RunningEngine> {
  log.info({ sequence: engine.recovered.sequence }, 'gateway, at the end of the log');
  const stop = (): void => void engine.stop();
  options.signal.addEventListener('abort', stop, { once: true });
  if (options.signal.aborted) stop();
  try {
    return await engine.leading;
  } catch (cause) {
    await engine.stop();
    await close();
    throw options.signal.aborted ? new StandbyStopped('this gateway was stopped') : cause;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

/** A standby listens where the venue will, says who leads, and passes on what operators ask. */
async function standBy(
  engine: OpenEngine,
  { config, log, close, options, venueId, transport, wallets }: Standing,
): Promise<RunningEngine> {
  const { data, host, port, managementHost, managementPort } = config;
  const leadingWriter = (): string | undefined => engine.leader()?.writer;
  const relay = new OperatorRelay({ transport, leadingWriter, after: afterRealTime });
  const management = { host: managementHost, port: managementPort };
  const listeners = await Promise.all([
    openTraderListener({ engine, host, port }),
    openOperatorListener({ engine, ...management, data, venueId, relay }),
  ]);
  // Commands of operators on this machine are told who leads, instead of that nothing runs here.
  announceManagement(data, urlOf(managementHost, listeners[1].port));
  log.info({ sequence: engine.recovered.sequence }, 'standby, at the end of the log');
  let stopped: Promise<void> | undefined;
  const stop = (): void => {
    stopped = engine.stop();
  };
  options.signal.addEventListener('abort', stop, { once: true });
  if (options.signal.aborted) stop();
  const refusal = agreeWithLeader({ data, node: clusterIn(config).node }, wallets, transport);
  try {
    return await Promise.race([engine.leading, refusal]);
  } catch (cause) {
    if (cause instanceof OtherWallets) stop();
    // It leaves a snapshot when it ends, as every engine does that is asked to stop.
    await stopped;
    await close();
    throw cause;
  } finally {
    options.signal.removeEventListener('abort', stop);
    withdrawManagement(data);
    relay.close();
    await Promise.all(listeners.map((one) => one.close()));
  }
}
