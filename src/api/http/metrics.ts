import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics that are computed when they are scraped, and cost nothing otherwise. */
type Metric = {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
  /** How the values of several threads are combined; their sum unless set. */
  readonly aggregator?: 'max';
};

export function addGauge(metrics: Registry, { name, help, read, aggregator }: Metric): void {
  new Gauge({
    name,
    help,
    ...(aggregator === undefined ? {} : { aggregator }),
    registers: [metrics],
    collect() {
      this.set(read());
    },
  });
}

export function addCounter(metrics: Registry, { name, help, read }: Metric): void {
  new Counter({
    name,
    help,
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
