import { readFile } from 'node:fs/promises';
import type { VenueConfig } from './config.ts';
import { filePrices } from './connectors/file-prices.ts';
import { httpPrices } from './connectors/http-prices.ts';
import type { PriceSource } from './connectors/price-source.ts';
import { pricesOf, simulatedPrices, standingPrices } from './connectors/simulated-prices.ts';
import type { Engine } from './engine/engine.ts';

/** The sources that the configuration names. */
export function sourcesOf({ sources }: VenueConfig, engine: Engine): PriceSource[] {
  return sources.map((source) => {
    if (source === 'start') return standingPrices(engine);
    if ('paths' in source) return httpPrices(source, fetchText);
    if ('file' in source) return filePrices(source.file, (file) => readFile(file, 'utf8'));
    return simulatedPrices(source, pricesOf(engine));
  });
}

/** A source that does not respond within five seconds has no prices this round. */
async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.text();
}
