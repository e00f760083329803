import type { PriceSource } from './price-source.ts';

/**
 * An operator's own prices: a JSON file of asset codes and prices in USD, read again in each round, so that
 * editing the file sets the price. `{"BTC": "60000", "OX": "0.01"}`.
 */
export function filePrices(file: string, readText: (file: string) => Promise<string>): PriceSource {
  return {
    name: `operator (${file})`,
    isOperator: true,
    prices: async () => {
      const found = JSON.parse(await readText(file)) as unknown;
      if (typeof found !== 'object' || found === null) throw new Error('not a JSON object');
      // Text only: parsing a JSON number may already have lost digits.
      const entries = Object.entries(found).filter(([, price]) => typeof price === 'string');
      if (entries.length === 0) throw new Error('the file names no price as text');
      return { prices: new Map(entries as [string, string][]) };
    },
  };
}
