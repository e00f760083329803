import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { type ApiServer, createServer, type EdgeOptions, type Operators } from './api/server.ts';
import { backUpOf } from './backup.ts';
import type { VenueConfig } from './config.ts';
import { startIndexPrices } from './connectors/index-prices.ts';
import { docsFiles } from './docs-files.ts';
import { apiConfig } from './edge-config.ts';
import { startClockWatch } from './engine/clock-watch.ts';
import type { Engine } from './engine/engine.ts';
import { FreshEngine } from './engine/fresh-engine.ts';
import { announceGuarded } from './engine/guarded-keys.ts';
import type { ClusterSide } from './engine/start.ts';
import { type Every, startTicker } from './engine/ticker.ts';
import { feedOpener } from './feed.ts';
import type { GatewayThreads } from './gateway-threads.ts';
import { type Outside, receiveReports, sendReports } from './leader-reports.ts';
import { observeLog, openLog, type VenueLog } from './log.ts';
import { type Money, openMoney } from './money.ts';
import {
  observeCluster,
  observeGateways,
  observeIdle,
  observePrices,
  observeProgram,
  observeRetention,
  observeSnapshots,
} from './observe-program.ts';
import { serveRelayed } from './operator-relay.ts';
import { announceManagement, withdrawManagement } from './operators.ts';
import { createPasswords } from './passwords.ts';
import { listenersOf, refuseTakenPort, urlOf } from './ports.ts';
import { sourcesOf } from './price-sources.ts';
import { afterRealTime, everyRealTime } from './real-time.ts';
import { begin, openRooms, type Rooms, type VenueOptions } from './rooms.ts';
import { clocksFor, openRunningMarket, type RunningMarket } from './running-market.ts';
import { keyMaker, newToken, type Seal } from './seal.ts';
import { openSite } from './site.ts';
import { readTls, type TlsPair } from './tls.ts';

export type { MarketOptions, VenueOptions } from './rooms.ts';

/** A running venue, as the command line uses it. */
export type Venue = {
  readonly engine: Engine;
  readonly seal: Seal;
  readonly operators: Operators;
  readonly port: number;
  /** Where this machine reaches metrics and the operator interface. */
  readonly managementUrl: string;
  /** For `dev`. */
  readonly sandboxToken: string | undefined;
  readonly log: Logger;
  /** It was just created: its secrets have not been shown yet. */
  readonly isNew: boolean;
  /** The seed of the living market, if one runs. */
  readonly marketSeed?: number;
  /** Reads the TLS files again; if they are invalid, that is logged and the old certificate stays. */
  reloadTls(): void;
  /** Ends without a clean stop, and logs the last sequence. */
  abandon(): void;
  /** Stops accepting requests, responds to those in flight, closes everything in reverse order. */
  stop(): Promise<void>;
};

/** Config -> recover -> join rooms -> listen. */
export async function startVenue(options: VenueOptions): Promise<Venue> {
  const { config, every = everyRealTime } = options;
  const venueLog = openLog(config.logLevel);
  const beforeRecovery = (): Promise<void> => checkEdge(config);
  const past = clocksFor(options);
  const clocks = past === undefined ? {} : { clocks: past };
  const rooms = await openRooms({ ...options, beforeRecovery, ...clocks }, venueLog);
  try {
    const isNew = await begin(rooms, options);
    const { market, after, isDemo = false } = options;
    const living =
      market && (await openRunningMarket(rooms, { ...options, ...market }, isNew, past));
    const { onGatewayThread } = options;
    return await run({
      ...{ rooms, config, venueLog, isNew, isDemo, every, after, living, onGatewayThread },
    });
  } catch (cause) {
    await rooms.close();
    throw cause;
  }
}

/** Both listeners and the certificate, before anything is recovered. */
async function checkEdge(config: VenueConfig): Promise<void> {
  if (config.tls !== undefined) readTls(config.tls);
  for (const listening of listenersOf(config)) await refuseTakenPort(listening);
}

type Joined = {
  readonly rooms: Rooms;
  readonly config: VenueConfig;
  readonly venueLog: VenueLog;
  readonly isNew: boolean;
  readonly isDemo: boolean;
  readonly every: Every;
  readonly after: VenueOptions['after'];
  readonly living: RunningMarket | undefined;
  readonly onGatewayThread: VenueOptions['onGatewayThread'];
};

async function run(joined: Joined): Promise<Venue> {
  const { rooms, config, venueLog, isNew, isDemo, every, after, living } = joined;
  const { log, notice, sink } = venueLog;
  const { seal } = rooms;
  const metrics = new Registry();
  observeLog(metrics, sink);
  // Set once there is a server; before that nobody can listen.
  let listeners = (): number => 0;
  const hasListeners = (): boolean => listeners() > 0;
  const driven = { log, metrics, every, isDemo, hasListeners, living };
  const isGateway = rooms.cluster?.role === 'gateway';
  const work = isGateway ? gatewayWork(rooms, every) : await startWork(rooms, config, driven);
  const { engine } = work;
  observeRetention(metrics, rooms.retention);
  observeProgram(metrics, config.data);
  if (rooms.cluster !== undefined) observeCluster(metrics, rooms.cluster);
  const { snapshots } = rooms;
  if (snapshots !== undefined) {
    observeSnapshots(metrics, () => snapshots.reading(rooms.engine.releasedSequence));
  }
  const { money } = work;
  const isSandbox = isDemo && money !== undefined;
  const sandbox = isSandbox
    ? { token: newToken(), chains: money.sandboxChains, marketSeed: living?.seed }
    : undefined;
  const tls = config.tls === undefined ? undefined : readTls(config.tls);
  const gateways = await gatewaysOf(joined, work, { sandbox, tls, metrics });
  const site = openSite((words) => log.warn(words));
  const server = createServer({
    engine,
    history: rooms.history,
    config: {
      ...apiConfig(config, tls, (words) => log.warn(words)),
      ...(rooms.isLogUnsafe ? UNSAFE_LOG : {}),
    },
    log,
    metrics,
    keys: keyMaker(seal),
    passwords: createPasswords(),
    operators: rooms.operators,
    ...work.outside,
    isGateway,
    gateways,
    ...(rooms.cluster === undefined ? {} : clusterParts(rooms.cluster)),
    backUp: backUpOf(rooms, config),
    sandbox,
    venueId: rooms.identity.venueId,
    every,
    openFeed: feedOpener((port) => rooms.feed.join(port)),
    ...(after === undefined ? {} : { after }),
    ...(living === undefined ? {} : { market: { on: true, seed: living.seed } }),
    site,
    docs: docsFiles,
  });
  listeners = () => server.listeners;
  const { cluster } = rooms;
  const stopGuarding = cluster && announceGuarded(cluster, () => server.guarded, every);
  rooms.cluster?.open(engine, listeners);
  const { port, managementPort } = await listenOrStop(server, work);
  const managementUrl = urlOf(config.managementHost, managementPort);
  announceManagement(config.data, managementUrl);
  const { relay } = rooms.cluster ?? {};
  const stopRelaying = relay && serveRelayed(relay.transport, relay.writer, managementUrl);
  if (!LOOPBACK.test(config.managementHost)) {
    log.warn(`the management listener at ${config.managementHost} is not on a loopback address`);
  }
  const closed = (): void => notice(`closed at sequence ${engine.releasedSequence}`);
  return {
    engine,
    seal,
    operators: rooms.operators,
    port,
    managementUrl,
    sandboxToken: sandbox?.token,
    log,
    isNew,
    ...(living === undefined ? {} : { marketSeed: living.seed }),
    reloadTls: () => void reloadTls(config, server, { log, notice }),
    abandon: closed,
    stop: async () => {
      notice('closing');
      rooms.cluster?.stopping();
      await work.stop();
      withdrawManagement(config.data);
      stopRelaying?.();
      site.close();
      await server.close();
      stopGuarding?.();
      await rooms.close();
      closed();
      await sink.flush();
    },
  };
}

/** Loaded only if there are any: a venue without gateway threads does not load their code. */
async function gatewaysOf(
  { rooms, config, venueLog, every, onGatewayThread }: Joined,
  { engine, outside }: Work,
  { sandbox, tls, metrics }: GatewayNeeds,
): Promise<GatewayThreads | undefined> {
  if (config.gateways === 0) return undefined;
  const { GatewayThreads } = await import('./gateway-threads.ts');
  const { depositAddress, chainStatus } = outside;
  const gateways = new GatewayThreads({
    ...{ rooms, config, engine, tls, venueLog, every, onThread: onGatewayThread },
    outside: {
      ...(depositAddress === undefined ? {} : { depositAddress }),
      readHeight: (network) => chainStatus?.().find((one) => one.network === network)?.height,
      sandbox,
    },
    after: afterRealTime,
  });
  observeGateways(metrics, gateways);
  return gateways;
}

type GatewayNeeds = Pick<EdgeOptions, 'sandbox'> & {
  readonly tls: TlsPair | undefined;
  readonly metrics: Registry;
};

const clusterParts = ({ node, signals, troubles }: ClusterSide) => ({
  troubles,
  limitChannel: {
    node,
    send: (text: string) => signals.send('limits', text),
    receive: (onText: (text: string) => void) => signals.subscribe('limits', onText),
  },
});

/** The port was taken after all: what already runs is stopped. */
async function listenOrStop(server: ApiServer, work: Work): ReturnType<ApiServer['listen']> {
  try {
    return await server.listen();
  } catch (cause) {
    await work.stop();
    throw cause;
  }
}

/** Experiments with --unsafe-log must not be taken for a venue. */
const UNSAFE_LOG = { everyAnswer: 'X-Rialto-Log: unsafe' };

const DISK_CHECK_MS = 1_000;

type Work = {
  /** For everybody but the background work: an idle venue is brought up to the current second first. */
  readonly engine: Engine;
  /** Absent in a gateway: the leading engine handles chains and prices. */
  readonly money: Money | undefined;
  readonly outside: Outside;
  stop(): Promise<void>;
};

/**
 * A gateway only watches its disk: everything else that the venue does by itself is done and reported by the
 * leading engine.
 */
function gatewayWork({ engine, disk, cluster }: Rooms, every: Every): Work {
  disk.check();
  const stopDiskWatch = every(DISK_CHECK_MS, () => disk.check());
  return {
    engine,
    money: undefined,
    outside: cluster === undefined ? {} : receiveReports(cluster, REPORT_CLOCKS),
    stop: async () => stopDiskWatch(),
  };
}

const REPORT_CLOCKS = { nowMs: () => performance.now(), after: afterRealTime };

type Driven = {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly every: Every;
  readonly isDemo: boolean;
  readonly hasListeners: () => boolean;
  readonly living: RunningMarket | undefined;
};

/** Background work of the venue: prices, ticks, checks of the clock and the disk. */
async function startWork(
  rooms: Rooms,
  config: VenueConfig,
  { log, metrics, every, isDemo, hasListeners, living }: Driven,
): Promise<Work> {
  const { engine, clock, disk } = rooms;
  // Listeners of the stream need time and prices, too.
  const hasAnyListener = (): boolean => hasListeners() || (rooms.cluster?.listeners() ?? 0) > 0;
  const isIdle = (): boolean => engine.isIdle() && !hasAnyListener();
  // Prices from before the start do not count: every market waits for the first round. In a cluster, prices
  // that are still fresh stay so: a takeover closes no market.
  if (config.cluster === undefined) await engine.submit({ kind: 'restart' });
  const prices = await startIndexPrices({
    engine,
    sources: living === undefined ? sourcesOf(config, engine) : [living.source],
    every,
    nowMs: () => engine.nowMs(),
    isIdle,
    onTrouble: (trouble) => log.warn(trouble),
  });
  observePrices(metrics, prices);
  const ticker = startTicker({
    engine,
    every,
    isIdle,
    afterPause: () => prices.wake(),
    onFailure: (reason) => log.error({ err: reason }, 'no more ticks are written'),
  });
  observeIdle(metrics, { isIdle, prices, ticker });
  const clockWatch = startClockWatch({
    clock,
    engine,
    every,
    onNotice: (words) => log.warn(words),
  });
  const market = living?.start(every, log);
  const stopTime = (): void => {
    market?.stop();
    prices.stop();
    ticker.stop();
    clockWatch.stop();
  };
  const money = await openMoney({ rooms, config, log, metrics, every, isDemo }).catch((cause) => {
    stopTime();
    throw cause;
  });
  disk.check();
  const stopDiskWatch = every(DISK_CHECK_MS, () => disk.check());
  const outside: Outside = {
    depositAddress: money.depositAddress,
    chainStatus: money.chainStatus,
    sourcePrices: () => prices.reports(),
    rescan: (network, fromHeight) => void money.wallets.rescan(network, fromHeight),
  };
  const stopReports = rooms.cluster && sendReports(rooms.cluster, outside, every);
  return {
    engine: new FreshEngine({ engine, isIdle, keepers: [prices, ticker] }),
    money,
    outside,
    stop: async () => {
      stopTime();
      stopDiskWatch();
      stopReports?.();
      await money.wallets.stop();
    },
  };
}

async function reloadTls(
  { tls }: VenueConfig,
  server: ApiServer,
  { log, notice }: Pick<VenueLog, 'log' | 'notice'>,
): Promise<void> {
  if (tls === undefined) {
    notice('no TLS certificate to reload');
    return;
  }
  try {
    const pair = readTls(tls);
    await server.setTls(pair);
    notice(`TLS certificate reloaded, valid to ${new X509Certificate(pair.cert).validTo}`);
  } catch (cause) {
    log.error({ err: cause }, 'TLS certificate not reloaded, the old one stays');
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** The same without the edge, for commands that prepare or change a stopped venue. */
export async function withStoppedVenue<Result>(
  options: VenueOptions,
  work: (engine: Engine, seal: Seal, rooms: Rooms) => Promise<Result>,
): Promise<Result> {
  const rooms = await openRooms(options, openLog('error'));
  try {
    await begin(rooms, options);
    return await work(rooms.engine, rooms.seal, rooms);
  } finally {
    await rooms.close();
  }
}
