import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import { refuse } from '../../domain/rejections.ts';
import { CLOCKS_DIFFER_MS, timeText } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { ENDPOINTS } from '../../wire/endpoints.ts';
import { failureText } from '../../wire/errors.ts';
import { openapiDocument } from '../../wire/openapi.ts';
import { STREAM_PATH } from '../../wire/stream.ts';
import type { Served } from './mount.ts';
import type { Page } from './page.ts';
import { CONSOLE, type Site, sitePages, TRADING } from './site.ts';

const JSON_TYPE = ['Content-Type', 'application/json', 'Cache-Control', 'no-store'];

const json = (status: number, body: object): Served => ({
  status,
  body: JSON.stringify(body),
  headers: JSON_TYPE,
});

/** On the main listener: the venue's internals are for operators, not for everybody. */
export function publicPages(engine: Engine, version: string, site?: Site): Page[] {
  const openapi = JSON.stringify(openapiDocument(ENDPOINTS, version));
  return [
    ...(site === undefined ? [toDocs] : sitePages(site, TRADING)),
    { path: '/openapi.json', serve: () => ({ status: 200, body: openapi, headers: JSON_TYPE }) },
    { path: '/health', serve: () => json(200, { status: statusOf(engine) }) },
    { path: STREAM_PATH, serve: () => upgradeRequired() },
  ];
}

/** Without a trading page, `/` leads to the documentation. */
const toDocs: Page = {
  path: '/',
  serve: () => ({ status: 302, body: '', headers: ['Location', '/docs'] }),
};

/** A websocket begins with an upgrade request; this one was plain. */
const upgradeRequired = (): Served => ({
  status: 426,
  body: failureText(refuse('REQUEST_UNEXPECTED', `${STREAM_PATH} is a websocket`)),
  headers: [...JSON_TYPE, 'Upgrade', 'websocket'],
});

export type ManagementPageOptions = {
  readonly engine: Engine;
  readonly history: History;
  readonly metrics: Registry;
  readonly venueId: string;
  /** The main listener accepts connections. */
  readonly isListening: () => boolean;
  /** Other problems. */
  readonly troubles?: (() => readonly string[]) | undefined;
  readonly market?: MarketRunning | undefined;
  /** Threads that serve traders. */
  readonly gateways?: { readonly serving: number; readonly metrics: SummedMetrics } | undefined;
  /** With the console for operators. */
  readonly site?: Site | undefined;
};

/** Metrics of other threads, to be summed with those of this one. */
export type SummedMetrics = () => Promise<readonly MetricsOfThread[]>;
export type MetricsOfThread = readonly MetricObjectWithValues<MetricValue<string>>[];

/** A living market, and what it was seeded with. */
export type MarketRunning = { readonly on: boolean; readonly seed: number };

export function managementPages(options: ManagementPageOptions): Page[] {
  const { engine, history, metrics, venueId, market, site, gateways } = options;
  const whyNotReady = readiness(options);
  return [
    {
      path: '/health',
      serve: () =>
        json(200, {
          status: statusOf(engine),
          venueId,
          engine: engine.status(),
          history: { sequence: history.sequence },
        }),
    },
    {
      path: '/ready',
      serve: () => {
        const reasons = whyNotReady();
        return reasons.length === 0
          ? json(200, {
              ready: true,
              ...limitedBy(engine),
              ...(market === undefined ? {} : { market }),
              ...(gateways === undefined ? {} : { gateways: gateways.serving }),
            })
          : json(503, { ready: false, reasons });
      },
    },
    {
      path: '/metrics',
      serve: async () => ({
        status: 200,
        body: await summed(metrics, gateways?.metrics),
        headers: ['Content-Type', metrics.contentType],
      }),
    },
    ...(site === undefined ? [] : [toConsole, ...sitePages(site, CONSOLE)]),
  ];
}

/** A scrape of a venue whose threads each have their own counters. */
async function summed(metrics: Registry, others?: SummedMetrics): Promise<string> {
  if (others === undefined) return metrics.metrics();
  const all = [await metrics.getMetricsAsJSON(), ...(await others())];
  return AggregatorRegistry.aggregate(all).metrics();
}

/** For people who open the listener's address in a browser. */
const toConsole: Page = {
  path: '/',
  serve: () => ({ status: 302, body: '', headers: ['Location', '/console'] }),
};

/**
 * Not unready: a load balancer that sends nobody here would take cancels and reads away as well.
 */
function limitedBy(engine: Engine): { readonly limited?: readonly string[] } {
  const { refusing } = engine.status().disk;
  return refusing === undefined ? {} : { limited: [refusing] };
}

const statusOf = (engine: Engine): 'ok' | 'stopped' =>
  engine.status().isStopped ? 'stopped' : 'ok';

/**
 * Ready from the moment history has caught up with what was recovered, until the venue stops; not while the
 * clocks differ, because callers are then refused for their time. Returns the problems.
 */
function readiness({
  engine,
  history,
  isListening,
  troubles = () => [],
}: ManagementPageOptions): () => string[] {
  const recoveredSequence = engine.releasedSequence;
  return () => {
    const { isStopped, clock } = engine.status();
    const reasons: string[] = [...troubles()];
    if (!isListening()) reasons.push('the venue does not listen');
    if (isStopped) reasons.push('the engine has stopped');
    // An unreachable history does not prevent trading: reads of it report that.
    if (history.trouble === undefined && history.sequence < recoveredSequence) {
      reasons.push(`history is at ${history.sequence}, the journal was at ${recoveredSequence}`);
    }
    if (Math.abs(clock.wallMs - clock.engineMs) > CLOCKS_DIFFER_MS) {
      reasons.push(
        `the clocks differ: engine ${timeText(clock.engineMs)}, wall clock ${timeText(clock.wallMs)}`,
      );
    }
    return reasons;
  };
}
