import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { IndexPrices } from './connectors/index-prices.ts';
import { VERSION } from './domain/version.ts';
import type { RetentionStatus } from './engine/retention.ts';
import type { ClusterSide } from './engine/start.ts';
import type { Ticker } from './engine/ticker.ts';

/** Metrics of the program around the engine: what it is, how it keeps up, what it does by itself. */
export function observeProgram(metrics: Registry, dataDirectory: string): void {
  const built = new Gauge({
    name: 'rialto_build_info',
    help: '1; its labels say which version runs, and on which Node.js',
    labelNames: ['version', 'node'],
    registers: [metrics],
  });
  built.set({ version: VERSION, node: process.version }, 1);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  new Gauge({
    name: 'rialto_event_loop_delay_seconds',
    help: 'How late timers of the main thread were since the last scrape',
    labelNames: ['quantile'],
    registers: [metrics],
    collect() {
      this.set({ quantile: '0.5' }, delay.percentile(50) / 1e9);
      this.set({ quantile: '0.99' }, delay.percentile(99) / 1e9);
      delay.reset();
    },
  });
  new Gauge({
    name: 'rialto_snapshot_age_seconds',
    help: 'Since the newest snapshot was written; -1 while there is none',
    registers: [metrics],
    collect() {
      this.set(snapshotAgeSeconds(join(dataDirectory, 'snapshots')));
    },
  });
}

function snapshotAgeSeconds(folder: string): number {
  try {
    const times = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    return times.length === 0 ? -1 : (Date.now() - Math.max(...times)) / 1_000;
  } catch {
    // None was written yet, or one is being removed.
    return -1;
  }
}

export function observeRetention(metrics: Registry, status: () => RetentionStatus): void {
  new Gauge({
    name: 'rialto_retention_failing',
    help: '1 while old segments could not be archived or deleted; tried again every minute',
    registers: [metrics],
    collect() {
      this.set(status().trouble === undefined ? 0 : 1);
    },
  });
  new Counter({
    name: 'rialto_segments_retired_total',
    help: 'Segments of journal and event log archived or deleted since the start',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(status().retired);
    },
  });
}

/** Of a standby: that it is one, and how far it has followed. */
export function observeStandby(metrics: Registry, sequence: () => number): void {
  observeRole(metrics, 'standby');
  new Gauge({
    name: 'rialto_engine_sequence',
    help: 'The newest command of the log that this standby has stored',
    registers: [metrics],
    collect() {
      this.set(sequence());
    },
  });
}

function observeRole(metrics: Registry, role: ClusterSide['role'] | 'standby'): void {
  const roles = new Gauge({
    name: 'rialto_cluster_role',
    help: '1; its label says what the node is: leader, standby or gateway',
    labelNames: ['role'],
    registers: [metrics],
  });
  roles.set({ role }, 1);
}

/** Of a node of a cluster that serves. */
export function observeCluster(
  metrics: Registry,
  { role, reading }: Pick<ClusterSide, 'role' | 'reading'>,
): void {
  const gauge = (name: string, help: string, of: () => number): void => {
    new Gauge({
      ...{ name, help, registers: [metrics] },
      collect() {
        this.set(of());
      },
    });
  };
  observeRole(metrics, role);
  gauge(
    'rialto_cluster_term',
    'Place of the newest takeover in the log; equal on all nodes',
    () => reading().term,
  );
  gauge('rialto_cluster_place', 'Newest message of the log that was read', () => reading().place);
  gauge('rialto_cluster_lag', 'Messages of the log not read yet', () => reading().lag);
  const counter = (name: string, help: string, of: () => number): void => {
    new Counter({
      ...{ name, help, registers: [metrics] },
      collect() {
        this.reset();
        this.inc(of());
      },
    });
  };
  counter(
    'rialto_cluster_takeovers_total',
    'Takeovers seen since the start',
    () => reading().takeovers,
  );
  counter(
    'rialto_cluster_batches_total',
    'Batches of commands: from gateways at a leader, to the leader at a gateway',
    () => reading().batches,
  );
  counter(
    'rialto_cluster_resent_total',
    'Commands that a gateway has sent more than once',
    () => reading().resent,
  );
}

/** Metrics of gateway threads. */
export function observeGateways(
  metrics: Registry,
  gateways: { readonly serving: number; readonly deaths: number },
): void {
  new Gauge({
    name: 'rialto_gateways',
    help: 'Gateway threads that take connections now',
    registers: [metrics],
    collect() {
      this.set(gateways.serving);
    },
  });
  new Counter({
    name: 'rialto_gateway_deaths_total',
    help: 'Gateway threads that ended without being asked; each was started again',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(gateways.deaths);
    },
  });
}

/** For a leading engine: the snapshots that all nodes can reach. */
export function observeSnapshots(
  metrics: Registry,
  reading: () => { readonly intervals: number; readonly failures: number },
): void {
  new Gauge({
    name: 'rialto_cluster_snapshot_intervals',
    help: 'Commands since the newest snapshot that all nodes can reach, in intervals of cluster.snapshots.everyCommands',
    registers: [metrics],
    collect() {
      this.set(reading().intervals);
    },
  });
  new Counter({
    name: 'rialto_cluster_snapshot_failures_total',
    help: 'Attempts of this engine to put a snapshot where all nodes can reach it that failed',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(reading().failures);
    },
  });
}

type Idle = {
  readonly isIdle: () => boolean;
  readonly prices: IndexPrices;
  readonly ticker: Ticker;
};

export function observeIdle(metrics: Registry, { isIdle, prices, ticker }: Idle): void {
  new Gauge({
    name: 'rialto_idle',
    help: '1 while nothing depends on time and prices, so that none are written',
    registers: [metrics],
    collect() {
      this.set(isIdle() ? 1 : 0);
    },
  });
  new Counter({
    name: 'rialto_own_commands_total',
    help: 'Commands that the venue itself has submitted since its start: ticks, price rounds',
    labelNames: ['kind'],
    registers: [metrics],
    collect() {
      this.reset();
      this.inc({ kind: 'tick' }, ticker.ticks);
      this.inc({ kind: 'set-index-prices' }, prices.rounds);
    },
  });
}

export function observePrices(metrics: Registry, prices: IndexPrices): void {
  new Gauge({
    name: 'rialto_price_source_up',
    help: '1 while prices of the source count',
    labelNames: ['source'],
    registers: [metrics],
    collect() {
      for (const { source, counts } of prices.reports()) this.set({ source }, counts ? 1 : 0);
    },
  });
  new Counter({
    name: 'rialto_prices_not_taken_total',
    help: 'Prices that were out of range or none, by the source that said them',
    labelNames: ['source'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const [source, count] of prices.rejected()) this.inc({ source }, count);
    },
  });
}
