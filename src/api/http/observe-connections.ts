import { Counter, type Registry } from 'prom-client';
import type { ConnectionCounts, Connections } from './connections.ts';
import { addGauge } from './metrics.ts';

const REFUSED: readonly [reason: string, name: keyof ConnectionCounts][] = [
  ['total', 'refusedTotal'],
  ['address', 'refusedPerAddress'],
];
const CUT: readonly [reason: string, name: keyof ConnectionCounts][] = [
  ['unread', 'cutUnread'],
  ['slow', 'cutSlow'],
];

/** Metrics of the main listener's connections, including refused ones. */
export function observeConnections(metrics: Registry, connections: Connections): void {
  const counter = (name: string, help: string, rows: typeof REFUSED): void => {
    new Counter({
      name,
      help,
      labelNames: ['reason'],
      registers: [metrics],
      collect() {
        this.reset();
        for (const [reason, of] of rows) this.inc({ reason }, connections.counts[of]);
      },
    });
  };
  const gauge = (name: string, help: string, read: () => number): void =>
    addGauge(metrics, { name, help, read });
  counter('rialto_http_connections_refused_total', 'Connections closed at once: too many', REFUSED);
  counter('rialto_http_connections_cut_total', 'Connections cut: answers were not read', CUT);
  counter('rialto_http_requests_turned_away_total', 'Requests refused for what is held already', [
    ['in-flight', 'tooManyRequests'],
    ['body', 'noRoomForBody'],
  ]);
  gauge('rialto_http_connections', 'Open connections', () => connections.open);
  addGauge(metrics, {
    name: 'rialto_http_connections_max',
    help: 'How many there may be',
    read: () => connections.limits.maxConnections,
    aggregator: 'max',
  });
  gauge(
    'rialto_http_unfinished_bytes',
    'Bytes of bodies that are not whole yet',
    () => connections.unfinished.usedBytes,
  );
  gauge(
    'rialto_http_unread_bytes',
    'Bytes of answers that nobody has read yet',
    () => connections.unread.usedBytes,
  );
}
