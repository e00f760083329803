import { randomBytes } from 'node:crypto';
import { Counter, type Histogram, type Registry } from 'prom-client';
import { REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { addGauge } from './metrics.ts';
import { observeVenue } from './observe-venue.ts';

/** "k3j9x2-1f": unique for this process by its counter, among processes by its prefix. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let counter = 0;
  return () => `${prefix}-${(++counter).toString(36)}`;
}

const BUCKET_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * What one endpoint has served. Plain numbers: the metrics library hashes labels on every observation, so it
 * is used only when somebody scrapes.
 */
export class Tally {
  readonly method: string;
  readonly path: string;
  readonly countByStatus = new Map<number, number>();
  readonly countByRejection = new Map<Rejection, number>();
  readonly bucketCounts = new Float64Array(BUCKET_SECONDS.length + 1);
  sumSeconds = 0;

  constructor(method: string, path: string) {
    this.method = method;
    this.path = path;
  }

  add(status: number, seconds: number): void {
    this.countByStatus.set(status, (this.countByStatus.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BUCKET_SECONDS.length && seconds > (BUCKET_SECONDS[bucket] as number)) bucket++;
    this.bucketCounts[bucket] = (this.bucketCounts[bucket] as number) + 1;
    this.sumSeconds += seconds;
  }

  addRefusal(rejected: Rejection): void {
    this.countByRejection.set(rejected, (this.countByRejection.get(rejected) ?? 0) + 1);
  }
}

/** Called for every order, amendment and cancel that is refused as an element of an answer. */
export type OnRefusedOrder = (rejected: Rejection) => void;

export type Observed = {
  readonly onRefusedOrder: OnRefusedOrder;
  /**
   * A tally that is scraped from now on; the same one for the same method and path, on either listener.
   * Unknown paths share one, so that labels stay few.
   */
  tally(method: string, path: string): Tally;
};

/** Served and refused requests. */
export function observeRequests(metrics: Registry): Observed {
  const tallies: Tally[] = [];
  const refusedOrders = new Map<Rejection, number>();
  registerRequests(metrics, tallies);
  registerRefusals(metrics, {
    name: 'rialto_refusals_total',
    help: 'Requests refused as a whole, by code and rule',
    counts: () => tallies.map(({ countByRejection }) => countByRejection),
  });
  registerRefusals(metrics, {
    name: 'rialto_order_refusals_total',
    help: 'Orders, amendments and cancels refused in their place in an answer, by code and rule',
    counts: () => [refusedOrders],
  });
  return {
    onRefusedOrder: (rejected) => {
      refusedOrders.set(rejected, (refusedOrders.get(rejected) ?? 0) + 1);
    },
    tally(method, path) {
      const known = tallies.find((tally) => tally.method === method && tally.path === path);
      if (known !== undefined) return known;
      const tally = new Tally(method, path);
      tallies.push(tally);
      return tally;
    },
  };
}

/** Metrics of the engine, its history and its disk. */
export function observeEngine(metrics: Registry, engine: Engine, history: History): void {
  gauge(
    metrics,
    'rialto_engine_sequence',
    'Newest command applied',
    () => engine.status().sequence,
  );
  gauge(
    metrics,
    'rialto_engine_waiting',
    'Commands not on disk yet',
    () => engine.status().waiting,
  );
  gauge(metrics, 'rialto_history_lag', 'Answered commands that history has not stored yet', () =>
    Math.max(0, engine.releasedSequence - history.sequence),
  );
  observeClock(metrics, engine);
  observeVenue(metrics, engine);
  gauge(
    metrics,
    'rialto_disk_free_bytes',
    'Free bytes on the disk of the journal; -1 unknown',
    () => {
      return engine.status().disk.freeBytes ?? -1;
    },
  );
  gauge(
    metrics,
    'rialto_disk_refusing_orders',
    '1 while new orders are refused for the disk',
    () => (engine.status().disk.refusing === undefined ? 0 : 1),
  );
}

function observeClock(metrics: Registry, engine: Engine): void {
  gauge(metrics, 'rialto_clock_ahead_ms', 'Wall clock minus engine time, in milliseconds', () => {
    const { wallMs, engineMs } = engine.status().clock;
    return wallMs - engineMs;
  });
  new Counter({
    name: 'rialto_clock_jumps_total',
    help: 'Jumps of the wall clock by more than 5 s, and forward ones that engine time has taken',
    labelNames: ['what'],
    registers: [metrics],
    collect() {
      const { jumpsForward, jumpsBackward, stepsTaken } = engine.status().clock;
      this.reset();
      this.inc({ what: 'forward' }, jumpsForward);
      this.inc({ what: 'backward' }, jumpsBackward);
      this.inc({ what: 'taken' }, stepsTaken);
    },
  });
}

function registerRequests(metrics: Registry, tallies: readonly Tally[]): void {
  new Counter({
    name: 'rialto_http_requests_total',
    help: 'Requests served, by path, method and status',
    labelNames: ['path', 'method', 'status'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const { path, method, countByStatus } of tallies) {
        for (const [status, count] of countByStatus) this.inc({ path, method, status }, count);
      }
    },
  });
  // The registry needs only the name of a metric and its current values.
  metrics.registerMetric({
    name: LATENCY,
    get: async () => ({
      name: LATENCY,
      help: 'Seconds from the request line to the answer handed to the socket',
      type: 'histogram',
      aggregator: 'sum',
      values: tallies.flatMap(latencyValues),
    }),
  } as unknown as Histogram<string>);
}

type RefusalCounter = {
  readonly name: string;
  readonly help: string;
  readonly counts: () => readonly ReadonlyMap<Rejection, number>[];
};

function registerRefusals(metrics: Registry, { name, help, counts }: RefusalCounter): void {
  new Counter({
    ...{ name, help, labelNames: ['code', 'rule'], registers: [metrics] },
    collect() {
      this.reset();
      for (const countByRejection of counts()) {
        for (const [rule, count] of countByRejection) {
          this.inc({ code: REJECTIONS[rule].code, rule }, count);
        }
      }
    },
  });
}

const LATENCY = 'rialto_http_request_seconds';

function latencyValues({ path, method, bucketCounts, sumSeconds }: Tally) {
  const labels = { path, method };
  let total = 0;
  const buckets = [...bucketCounts].map((count, index) => {
    total += count;
    const le = BUCKET_SECONDS[index] ?? '+Inf';
    return { labels: { ...labels, le }, value: total, metricName: `${LATENCY}_bucket` };
  });
  return [
    ...buckets,
    { labels, value: sumSeconds, metricName: `${LATENCY}_sum` },
    { labels, value: total, metricName: `${LATENCY}_count` },
  ];
}

const gauge = (metrics: Registry, name: string, help: string, read: () => number): void =>
  addGauge(metrics, { name, help, read });
