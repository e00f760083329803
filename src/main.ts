import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import pino, { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { connectionLimits } from './api/config.ts';
import { type ApiConfig, createServer, DEFAULT_API_CONFIG, type Operator } from './api/server.ts';
import type { VenueConfig } from './config.ts';
import { filePrices } from './connectors/file-prices.ts';
import { httpPrices } from './connectors/http-prices.ts';
import { startIndexPrices } from './connectors/index-prices.ts';
import type { PriceSource } from './connectors/price-source.ts';
import { simulatedPrices, standingPrices } from './connectors/simulated-prices.ts';
import type { Genesis } from './domain/commands.ts';
import type { EngineClock } from './engine/clock.ts';
import { startClockWatch } from './engine/clock-watch.ts';
import { watchThread } from './engine/cursors.ts';
import type { Engine } from './engine/engine.ts';
import { type RunningEngine, startEngine } from './engine/start.ts';
import { type Every, startTicker } from './engine/ticker.ts';
import { type OpenHistory, openHistory } from './history/history.ts';
import { prepareHistory } from './history/open.ts';
import type { HistoryWork } from './history-worker.ts';
import { identityOrNew, refuseOtherThanVenue, resetVenue } from './identity.ts';
import { announceManagement, operatorsOrFirst, withdrawManagement } from './operators.ts';
import { keyMaker, masterKeyFrom, masterKeyFromText, type Seal, sealWith } from './seal.ts';
import { lockVenue } from './venue-lock.ts';

/** A venue that runs: what the commands for people hold in their hands. */
export type Venue = {
  readonly engine: Engine;
  readonly seal: Seal;
  readonly port: number;
  /** Where this machine reaches metrics and the operator interface. */
  readonly managementUrl: string;
  readonly log: Logger;
  /** Stops taking requests, answers what was taken, closes everything in reverse. */
  stop(): Promise<void>;
};

export type VenueOptions = {
  readonly config: VenueConfig;
  /** Opens an empty venue; a venue that has begun is left as it is. */
  readonly genesis?: (seal: Seal) => Genesis;
  readonly allowClockBehind?: boolean;
  /** Forward jumps of the wall clock are taken whatever their size, once they have stood. */
  readonly takesAnyClockJump?: boolean;
  /** Forgets what is in the data directory first. */
  readonly reset?: boolean;
  /** What prices, ticks and the watch on the clock are driven by; real time unless handed in. */
  readonly every?: Every;
};

/** Config -> recover -> join rooms -> listen. */
export async function startVenue(options: VenueOptions): Promise<Venue> {
  const { config, genesis, every = everyRealTime } = options;
  const log = pino({ level: config.logLevel, base: null });
  const rooms = await openLocked(options, log);
  try {
    await open(rooms.engine, rooms.seal, genesis);
    const server = createServer({
      engine: rooms.engine,
      history: rooms.history,
      config: apiConfig(config, log),
      log,
      metrics: new Registry(),
      keys: keyMaker(rooms.seal),
      operators: rooms.operators,
      venueId: rooms.venueId,
    });
    const { engine } = rooms;
    // Prices from before the start do not count: every market waits for the first round.
    await engine.submit({ kind: 'restart' });
    const prices = await startIndexPrices({
      engine,
      sources: sourcesOf(config),
      every,
      nowMs: () => engine.nowMs(),
      onTrouble: (trouble) => log.warn(trouble),
    });
    const ticker = startTicker(engine, every, (reason) =>
      log.error({ err: reason }, 'time stands still'),
    );
    const clockWatch = startClockWatch({
      clock: rooms.clock,
      engine,
      every,
      onNews: (words) => log.warn(words),
    });
    const { port, managementPort } = await server.listen();
    const managementUrl = urlOf(config.managementHost, managementPort);
    announceManagement(config.data, managementUrl);
    return {
      engine: rooms.engine,
      seal: rooms.seal,
      port,
      managementUrl,
      log,
      stop: async () => {
        prices.stop();
        ticker.stop();
        clockWatch.stop();
        withdrawManagement(config.data);
        await server.close();
        await rooms.close();
      },
    };
  } catch (cause) {
    await rooms.close();
    throw cause;
  }
}

/** A listener on every address is reached on the loopback one. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const everyRealTime: Every = (periodMs, run) => {
  const timer = setInterval(run, periodMs);
  return () => clearInterval(timer);
};

function sourcesOf({ sources }: VenueConfig): PriceSource[] {
  return sources.map((source) => {
    if (source === 'start') return standingPrices();
    if ('paths' in source) return httpPrices(source, fetchText);
    if ('file' in source) return filePrices(source.file, (file) => readFile(file, 'utf8'));
    return simulatedPrices(source);
  });
}

/** A source that does not answer within five seconds is silent this round. */
async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.text();
}

/** The same without the edge, for commands that prepare or change a stopped venue. */
export async function withStoppedVenue<Result>(
  options: VenueOptions,
  work: (engine: Engine, seal: Seal) => Promise<Result>,
): Promise<Result> {
  const log = pino({ level: 'error', base: null });
  const rooms = await openLocked(options, log);
  try {
    await open(rooms.engine, rooms.seal, options.genesis);
    return await work(rooms.engine, rooms.seal);
  } finally {
    await rooms.close();
  }
}

type Rooms = {
  readonly venueId: string;
  readonly engine: Engine;
  readonly clock: EngineClock;
  readonly history: OpenHistory;
  readonly seal: Seal;
  readonly operators: readonly Operator[];
  close(): Promise<void>;
};

/** The lock comes before anything in the directory is read, reset or written, and goes last. */
async function openLocked(options: VenueOptions, log: Logger): Promise<Rooms> {
  const { data } = options.config;
  // Only a look, so that not even a lock file is left in a folder that holds something else.
  if (options.reset === true) refuseOtherThanVenue(data);
  const unlock = await lockVenue(data);
  try {
    if (options.reset === true) resetVenue(data);
    const rooms = await openRooms(options, log);
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

async function openRooms(options: VenueOptions, log: Logger): Promise<Rooms> {
  const { config, allowClockBehind = false, takesAnyClockJump = false } = options;
  const { venueId } = identityOrNew(config.data);
  const seal = sealWith(
    config.masterKeyText === undefined
      ? masterKeyFrom(config.masterKeyFile)
      : masterKeyFromText(config.masterKeyText, 'RIALTO_MASTER_KEY'),
  );
  const operators = operatorsOrFirst(config.data, seal);
  const file = join(config.data, 'history.db');
  const running = await startEngine({
    directory: config.data,
    venueId,
    allowClockBehind,
    takesAnyClockJump,
    historySequence: prepareHistory({ file, stamp: venueId }),
    onFailure: (reason) => fail(log, reason),
  });
  tellRecovery(log, running);
  const history = openHistory({
    file,
    stamp: venueId,
    after: (delayMs, call) => {
      const timer = setTimeout(call, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const projector = startProjector(
    { directory: config.data, file, stamp: venueId, cursors: running.cursors },
    history,
    (reason) => fail(log, reason),
  );
  return {
    venueId,
    engine: running.engine,
    clock: running.clock,
    history,
    seal,
    operators,
    close: async () => {
      await running.stop();
      await projector.ended;
      history.close();
    },
  };
}

async function open(engine: Engine, seal: Seal, genesis: VenueOptions['genesis']): Promise<void> {
  if (genesis === undefined || engine.status().sequence > 0) return;
  const { outcome } = await engine.submit(genesis(seal));
  const refused = outcome.events.find((event) => event.kind === 'refused');
  if (refused !== undefined) throw new Error(refused.message);
}

function startProjector(
  work: HistoryWork,
  history: OpenHistory,
  onFailure: (reason: Error) => void,
): { readonly ended: Promise<void> } {
  const worker = new Worker(new URL('./history-worker.ts', import.meta.url), { workerData: work });
  worker.on('message', (sequence: number) => history.advanced(sequence));
  return { ended: watchThread(worker, 'history thread', work.cursors, onFailure) };
}

function tellRecovery(log: Logger, { recovered }: RunningEngine): void {
  const { sequence, fromSnapshot, replayed, remarks } = recovered;
  log.info({ sequence, fromSnapshot, replayed }, 'recovered');
  for (const remark of remarks) log.warn(remark);
}

/**
 * The journal failed, the follower disagrees, or history cannot be written. Everything that waits
 * has been answered "outcome unknown"; a short moment lets those answers leave, then the process
 * ends: a venue that stops is repaired, one that goes on wrong is not.
 */
function fail(log: Logger, reason: Error): void {
  log.fatal({ err: reason }, `the venue stops: ${reason.message}`);
  process.exitCode = 1;
  setTimeout(() => process.exit(1), 200);
}

/** What is not set keeps the edge's own default. */
function apiConfig(config: VenueConfig, log: Logger): ApiConfig {
  const base = DEFAULT_API_CONFIG;
  return {
    ...base,
    host: config.host,
    port: config.port,
    managementHost: config.managementHost,
    managementPort: config.managementPort,
    limits: { ...base.limits, isOn: config.limits },
    connections: connectionLimits(config, (message) => log.warn(message)),
    trustProxy: config.trustProxy,
    emptyUnauthorizedBodies: config.emptyUnauthorizedBodies,
    isStrict: config.strict,
    hostAliases: [...base.hostAliases, ...(config.hostAliases ?? [])],
    bodyLimitBytes: config.bodyLimitBytes ?? base.bodyLimitBytes,
    timestampToleranceMs: config.timestampToleranceMs ?? base.timestampToleranceMs,
    ...(config.tls === undefined ? {} : { tls: config.tls }),
  };
}
