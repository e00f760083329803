import { Counter, Gauge, type Registry } from 'prom-client';
import type { ActivityView } from '../../domain/operator-views.ts';
import type { Engine } from '../../engine/engine.ts';

/** What traders do, and whether they can: from one view of the core for all metrics of a scrape. */
export function observeVenue(metrics: Registry, engine: Engine): void {
  let pending: Promise<ActivityView | undefined> | undefined;
  const activity = (): Promise<ActivityView | undefined> => {
    pending ??= engine.view('activity', {}).catch(() => undefined);
    setImmediate(() => {
      pending = undefined;
    });
    return pending;
  };
  const registers = [metrics];
  new Counter({
    ...{
      name: 'rialto_orders_total',
      help: 'Orders ever placed, refused ones left out',
      registers,
    },
    async collect() {
      const found = await activity();
      this.reset();
      this.inc(found?.orders ?? 0);
    },
  });
  new Counter({
    ...{ name: 'rialto_matches_total', help: 'Matches ever made, by market', registers },
    labelNames: ['market'],
    async collect() {
      const found = await activity();
      this.reset();
      for (const { marketCode, matches } of found?.markets ?? []) {
        this.inc({ market: marketCode }, matches);
      }
    },
  });
  new Gauge({
    ...{ name: 'rialto_orders_open', help: 'Orders open now', registers },
    async collect() {
      this.set((await activity())?.openOrders ?? 0);
    },
  });
  new Gauge({
    ...{ name: 'rialto_accounts_liquidating', help: 'Accounts in liquidation now', registers },
    async collect() {
      this.set((await activity())?.liquidating ?? 0);
    },
  });
  new Gauge({
    ...{ name: 'rialto_market_open', help: '1 while the market takes orders', registers },
    labelNames: ['market'],
    async collect() {
      for (const { marketCode, isOpen } of (await activity())?.markets ?? []) {
        this.set({ market: marketCode }, isOpen ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'rialto_price_age_seconds',
    help: "Age of the index price of the market's base asset; -1 while there is none",
    registers,
    labelNames: ['market'],
    async collect() {
      const found = await activity();
      for (const { marketCode, indexAtMs } of found?.markets ?? []) {
        const ageMs = indexAtMs === 0 ? -1_000 : Math.max(0, engine.nowMs() - indexAtMs);
        this.set({ market: marketCode }, ageMs / 1_000);
      }
    },
  });
  observeJournal(metrics, engine);
}

function observeJournal(metrics: Registry, engine: Engine): void {
  new Gauge({
    name: 'rialto_journal_sync_seconds',
    help: 'How long the journal took to make a group of commands durable, of the last 512 groups',
    registers: [metrics],
    labelNames: ['quantile'],
    collect() {
      const { sync } = engine.status();
      if (sync === undefined) return;
      this.set({ quantile: '0.5' }, sync.medianMs / 1_000);
      this.set({ quantile: '0.99' }, sync.p99Ms / 1_000);
    },
  });
  new Gauge({
    name: 'rialto_audit_age_seconds',
    help: 'Since the second copy has checked every invariant; -1 before the first time',
    registers: [metrics],
    collect() {
      const atMs = engine.status().follower?.audit?.atMs;
      this.set(atMs === undefined ? -1 : Math.max(0, engine.nowMs() - atMs) / 1_000);
    },
  });
}
