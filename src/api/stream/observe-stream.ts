import type { Registry } from 'prom-client';
import { addCounter, addGauge } from '../http/metrics.ts';
import type { ChannelHub } from './hub.ts';
import type { Stream } from './stream.ts';

/** Metrics of the stream's connections and channels. */
export function observeStream(metrics: Registry, stream: Stream, hub: ChannelHub): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    addGauge(metrics, { name, help, read });
  const counter = (name: string, help: string, read: () => number): void =>
    addCounter(metrics, { name, help, read });
  gauge('rialto_stream_connections', 'Open connections of the stream', () => stream.open);
  gauge('rialto_stream_channels', 'Channels that somebody listens to', () => hub.open);
  gauge('rialto_stream_lagging', 'Listeners that are spared messages', () => hub.lagging);
  counter('rialto_stream_opened_total', 'Connections opened', () => stream.counts.opened);
  counter('rialto_stream_received_total', 'Messages of clients', () => stream.counts.received);
  counter('rialto_stream_idle_total', 'Connections ended: silent', () => stream.counts.cutIdle);
  counter(
    'rialto_stream_slow_total',
    'Connections ended: they did not read',
    () => stream.counts.cutSlow + hub.cutSlow,
  );
}
