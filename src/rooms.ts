import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Operators } from './api/server.ts';
import { type JoinCluster, LOST_LEAD_EXIT_CODE } from './cluster.ts';
import type { SnapshotKeeper } from './cluster-snapshots.ts';
import type { VenueConfig } from './config.ts';
import type { Genesis } from './domain/commands.ts';
import type { Clocks, EngineClock } from './engine/clock.ts';
import { COPY_GATHER_MOST_MS, type Cursors, want, watchThread } from './engine/cursors.ts';
import type { DiskWatch } from './engine/disk-watch.ts';
import type { Engine } from './engine/engine.ts';
import { openEngine } from './engine/open-node.ts';
import type { RetentionStatus } from './engine/retention.ts';
import type { EngineOptions, OpenEngine, Recovered, RunningEngine } from './engine/start.ts';
import type { Every } from './engine/ticker.ts';
import { Feed, randomOffset, workerUrl } from './feed.ts';
import { HistoryFailed, type OpenHistory, type Place } from './history/history.ts';
import { isOlderHistory, prepareHistory } from './history/open.ts';
import { openWithRetry } from './history/open-with-retry.ts';
import type { HistoryMessage, HistoryWork } from './history-worker.ts';
import {
  type Identity,
  identityOrNew,
  keepPrivate,
  noteStop,
  refuseOtherThanVenue,
  refuseServed,
  resetVenue,
  ServedVenue,
  settleIdentity,
} from './identity.ts';
import type { VenueLog } from './log.ts';
import { masterKeyOf, replaceMasterKey } from './master-key.ts';
import { forgetOperators, operatorsOrFirst } from './operators.ts';
import { checkParts, refuseShortened, refuseWrongKey } from './parts.ts';
import { afterRealTime } from './real-time.ts';
import { Fenced } from './replication/replicated-journal.ts';
import { DEMO_FAMILIES } from './sandbox/demo.ts';
import { type Seal, sealWith } from './seal.ts';
import { type HotWallets, ownWallets } from './standby-wallets.ts';
import { lockVenue } from './venue-lock.ts';

/** A living market: its seed, and how long a past a new venue has when it opens. */
export type MarketOptions = {
  readonly seed: number;
  readonly pastMs: number;
  /** The fraction of the past that has been played, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
};

export type VenueOptions = {
  readonly config: VenueConfig;
  /** A `dev` venue: its secrets may be shown. */
  readonly isDemo?: boolean;
  /** Initialises an empty venue; one that has begun is left as it is. */
  readonly genesis?: (seal: Seal) => Genesis;
  readonly allowClockBehind?: boolean;
  /** Forward jumps of the wall clock are accepted whatever their size, once they have lasted long enough. */
  readonly takesAnyClockJump?: boolean;
  /** Empties the data directory first. */
  readonly reset?: boolean;
  /** Creates a new master key although the old one is gone: every API key must then be revoked. */
  readonly forgetKeys?: boolean;
  /** Checks to run before a recovery that may take long: ports, certificates. */
  readonly beforeRecovery?: () => Promise<void>;
  /** Drives prices, ticks and clock checks; real timers by default. */
  readonly every?: Every;
  /** Calls once, later: for answers to wrong codes; real timers by default. */
  readonly after?: (delayMs: number, call: () => void) => void;
  /** Traders and prices of a demo venue; none unless set. */
  readonly market?: MarketOptions;
  /** The machine's clocks by default. */
  readonly clocks?: Clocks;
  /** How long follower and history may batch work while nobody waits; their own default unless set. */
  readonly gatherMostMs?: number;
  /** How often to check whether old segments may be retired; a minute by default. */
  readonly retainEveryMs?: number;
  /** Called with each gateway thread that was started; tests end them. */
  readonly onGatewayThread?: ((thread: Worker) => void) | undefined;
  /** Joins the log of a cluster; then the rooms are open once this node leads. */
  readonly cluster?: JoinCluster;
};

/** The rooms of a venue without the edge, connected and recovered. */
export type Rooms = {
  readonly identity: Identity;
  readonly engine: Engine;
  readonly clock: EngineClock;
  readonly disk: DiskWatch;
  readonly retention: () => RetentionStatus;
  readonly history: OpenHistory;
  readonly seal: Seal;
  readonly operators: Operators;
  /** The thread that builds the messages of the stream. */
  readonly feed: Feed;
  /** For threads with a copy of the venue. */
  readonly threads: ThreadParts;
  /** The cluster's log may lose acknowledged messages. */
  readonly isLogUnsafe: boolean;
  /** Of a node of a cluster. */
  readonly cluster: RunningEngine['cluster'];
  /** Of an engine of a cluster. */
  readonly snapshots: SnapshotKeeper | undefined;
  close(): Promise<void>;
};

export type ThreadParts = {
  readonly cursors: Cursors;
  readonly historyPlace: Place;
  readonly masterKey: Uint8Array;
  /** Subscribes to the progress of history. The returned function unsubscribes. */
  subscribeHistory(listener: (message: HistoryMessage) => void): () => void;
};

/** The lock is taken before anything in the directory is read, reset or written, and released last. */
export async function openRooms(options: VenueOptions, venueLog: VenueLog): Promise<Rooms> {
  const { data } = options.config;
  if (options.config.cluster !== undefined && options.cluster === undefined) {
    throw new Error(
      `the venue in ${data} is a node of a cluster, and its journal is the log's: only ` +
        'serve --role engine or gateway opens it; what changes a venue is asked of the leader while it runs',
    );
  }
  // Checked before the lock, so that no lock file is left in a folder that is not a venue's.
  if (options.reset === true) refuseOtherThanVenue(data);
  const unlock = await lockVenue(data);
  try {
    if (options.isDemo === true) refuseServed(data);
    if (options.reset === true) resetVenue(data);
    tryKeepPrivate(data, venueLog.log);
    if (options.forgetKeys === true) forgetMasterKey(options.config);
    checkParts(data, options.config, { isOfCluster: options.cluster !== undefined });
    await options.beforeRecovery?.();
    const rooms = await join(options, venueLog);
    return {
      ...rooms,
      close: async () => {
        await rooms.close();
        unlock();
      },
    };
  } catch (cause) {
    unlock();
    throw cause;
  }
}

/** What the lost key has sealed goes with it. */
function forgetMasterKey(config: VenueConfig): void {
  forgetOperators(config.data);
  replaceMasterKey(config);
}

/** Some file systems have no owners; a venue there is as private as its mount. */
function tryKeepPrivate(data: string, log: Logger): void {
  try {
    keepPrivate(data);
  } catch (cause) {
    log.warn({ err: cause }, `${data} could not be made private to its owner`);
  }
}

async function join(options: VenueOptions, venueLog: VenueLog): Promise<Rooms> {
  const { log } = venueLog;
  const { config, allowClockBehind = false, takesAnyClockJump = false } = options;
  const joined = await options.cluster?.(config, log);
  const identity = identityOrNew(config.data, options.isDemo === true, joined?.venueId);
  const { venueId } = identity;
  const masterKey = masterKeyOf(config);
  const seal = sealWith(masterKey);
  const place = historyPlace(config);
  // That of an earlier version is made anew only if the journal can be read: else that version has to go on with it.
  const isOlder = await isOlderHistory(place);
  const historyAt = isOlder ? 0 : await historySequence(place, venueId, log);
  let running: RunningEngine | undefined;
  const onFailure = failing(venueLog, () => running?.engine.releasedSequence ?? 0);
  const engineOptions: EngineOptions = {
    directory: config.data,
    venueId,
    allowClockBehind,
    takesAnyClockJump,
    historySequence: joined === undefined ? historyAt : 0,
    beginsAfter: joined?.beginsAfter ?? 0,
    snapshotEvery: config.cluster?.snapshots.everyCommands,
    snapshotEveryBytes: config.cluster?.snapshots.everyBytes,
    diskLimits: config.disk,
    gatherMostMs: options.gatherMostMs,
    retention: config.retention,
    retainEveryMs: options.retainEveryMs,
    ...(options.clocks === undefined ? {} : { clocks: options.clocks }),
    onFailure,
    onTrouble: (words) => log.error(words),
  };
  const opened = await openEngine(engineOptions, joined?.options);
  const { recovered, cursors, directory } = opened;
  logRecovery(log, recovered);
  let wallets: HotWallets = new Map();
  const operators = await orStop(opened, async () => {
    if (isOlder) await historySequence(place, venueId, log);
    // Later would be after it has taken the lead from an engine that serves them.
    if (joined?.options.role === 'engine') {
      wallets = await ownWallets(directory.networks(), config, seal);
    }
    refuseShortened(config.data, identity, recovered.sequence);
    refuseHistoryAhead(place, historyAt, recovered.sequence);
    if (options.forgetKeys !== true) refuseWrongKey(config, directory.keys(), seal);
    return operatorsOrFirst(config.data, seal, (words) => log.error(words));
  });
  const history = await openWithRetry({
    ...place,
    stamp: venueId,
    after: afterRealTime,
    want: (sequence) => want(cursors, sequence),
  });
  // Other writers of one history on a server would take one that batches longer for dead.
  const isOwnCopy = joined?.options.role === 'gateway' && 'file' in place;
  const projector = startProjector(
    {
      directory: config.data,
      place,
      stamp: venueId,
      cursors,
      gatherMostMs: options.gatherMostMs ?? (isOwnCopy ? COPY_GATHER_MOST_MS : undefined),
      archive: config.retention?.folder,
    },
    history,
    log,
  );
  const keeper = joined?.keepSnapshots(() => running !== undefined);
  const closeHistory = async (): Promise<void> => {
    await keeper?.stop();
    await projector.ended;
    await history.close();
    await joined?.close();
  };
  running = await (joined?.whileStandby(opened, closeHistory, wallets) ?? opened.leading);
  const { engine, stop } = running;
  const feed = new Feed(
    {
      ...{ directory: config.data, venueId, historyPlace: place, cursors },
      seqOffset: joined === undefined ? 0 : randomOffset(),
    },
    (reason) => log.error({ err: reason }, 'the thread of the stream failed'),
  );
  return {
    identity,
    engine,
    clock: running.clock,
    disk: running.disk,
    retention: running.retention,
    history,
    seal,
    operators,
    isLogUnsafe: joined?.isLogUnsafe ?? false,
    cluster: running.cluster,
    threads: { cursors, historyPlace: place, masterKey, subscribeHistory: projector.subscribe },
    snapshots: keeper,
    feed,
    close: async () => {
      await stop();
      await feed.ended();
      await closeHistory();
      noteStop(config.data, engine.releasedSequence);
    },
  };
}

/** A file beside the journal, unless a server is configured. */
export const historyPlace = ({ data, history }: Pick<VenueConfig, 'data' | 'history'>): Place =>
  history === undefined ? { file: resolve(data, 'history.db') } : { postgres: history };

/** Runs a check on a recovered venue, and stops the venue when it fails. */
async function orStop<Result>({ stop }: OpenEngine, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** Sends the first command to an empty venue. Returns whether it was empty. */
export async function begin(
  { engine, seal, identity }: Rooms,
  { config, genesis, isDemo = false }: VenueOptions,
): Promise<boolean> {
  const isEmpty = engine.status().sequence === 0;
  const demo = isDemo ? isOfDev(config.data, identity, engine) : identity.demo;
  if (isEmpty) {
    if (genesis === undefined) {
      throw new Error(
        `the venue in ${config.data} has not begun: rialto init gives it a catalogue`,
      );
    }
    const { outcome } = await engine.submit(genesis(seal));
    const refused = outcome.events.find((event) => event.kind === 'refused');
    if (refused !== undefined) throw new Error(refused.message);
  }
  settleIdentity(config.data, identity, { demo, begun: true });
  return isEmpty;
}

/** The first version did not record the kind of a venue: one of `dev` begins with its families. */
function isOfDev(data: string, identity: Identity, engine: Engine): true {
  if (identity.demo !== undefined || engine.status().sequence === 0) return true;
  const families = engine.directory.families();
  if (DEMO_FAMILIES.every((name, at) => families[at]?.name === name)) return true;
  throw new ServedVenue(data);
}

/**
 * The sequence of history, which the journal must have reached; 0 if it is not available now. Foreign and
 * damaged histories are refused.
 */
async function historySequence(place: Place, stamp: string, log: Logger): Promise<number> {
  try {
    return await prepareHistory({ ...place, stamp });
  } catch (cause) {
    if (!(cause instanceof HistoryFailed)) throw cause;
    log.error({ err: cause }, 'history is not available, trading goes on');
    return 0;
  }
}

/**
 * In a cluster the log decides, and the node has read it to its end. A server's history belongs to all nodes:
 * this one may be behind the others.
 */
function refuseHistoryAhead(place: Place, history: number, sequence: number): void {
  if ('postgres' in place || history <= sequence) return;
  throw new Error(`history is at ${history}, the log at ${sequence}: it is of another log`);
}

/** A failure of history stops its reads, not trading; each reason is logged once. */
function startProjector(
  work: HistoryWork,
  history: OpenHistory,
  log: Logger,
): { readonly ended: Promise<void>; readonly subscribe: ThreadParts['subscribeHistory'] } {
  const worker = new Worker(workerUrl('history-worker'), { workerData: work });
  const halt = (trouble: string, sequence?: number): void => {
    if (history.trouble !== trouble) log.error(`history does not go on, trading does: ${trouble}`);
    history.halted(trouble, sequence);
  };
  const listeners = new Set<(message: HistoryMessage) => void>();
  worker.on('message', (message: HistoryMessage) => {
    for (const listener of listeners) listener(message);
    if (typeof message !== 'number') halt(message.trouble, message.sequence);
    else {
      if (history.trouble !== undefined) log.warn('history goes on');
      history.advanced(message);
    }
  });
  const onEnd = (reason: Error): void => halt(reason.message);
  return {
    ended: watchThread(worker, 'history thread', work.cursors, onEnd),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function logRecovery(log: Logger, recovered: Recovered): void {
  const { sequence, fromSnapshot, replayed, remarks } = recovered;
  log.info({ sequence, fromSnapshot, replayed }, 'recovered');
  for (const remark of remarks) log.warn(remark);
}

/**
 * The journal failed, the follower disagrees, or history cannot be written. Waiting requests were answered
 * "outcome unknown"; a short delay lets those responses be sent, then the process ends: a venue that stops
 * can be repaired, one that continues with wrong state cannot.
 */
function failing({ log, notice }: VenueLog, sequence: () => number): (reason: Error) => void {
  let isFailing = false;
  return (reason) => {
    log.fatal({ err: reason }, `the venue stops: ${reason.message}`);
    // One failure often causes others.
    if (isFailing) return;
    isFailing = true;
    notice('closing');
    const exitCode = reason instanceof Fenced ? LOST_LEAD_EXIT_CODE : 1;
    process.exitCode = exitCode;
    setTimeout(() => {
      notice(`closed at sequence ${sequence()}`);
      process.exit(exitCode);
    }, 200);
  };
}
