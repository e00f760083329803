import { parseExact } from './exact-json.ts';
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
      const found = parseExact(await readText(file));
      if (typeof found !== 'object' || found === null) throw new Error('not a JSON object');
      // What is neither text nor a number is passed on as it is written, and then refused as no price.
      const entries = Object.entries(found).map(([asset, price]): [string, string] => [
        asset,
        typeof price === 'string' ? price : JSON.stringify(price),
      ]);
      if (entries.length === 0) throw new Error('the file names no price');
      return { prices: new Map(entries) };
    },
  };
}
