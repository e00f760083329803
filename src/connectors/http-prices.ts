import { parseExact } from './exact-json.ts';
import type { PriceSource } from './price-source.ts';

/** One address, and the path of each asset's price in its response: `{"BTC": "data.0.last"}`. */
export type HttpPrices = {
  readonly name: string;
  readonly url: string;
  readonly paths: Readonly<Record<string, string>>;
  /** The path of the source's own time in the response, in any format: once it stops moving, prices are old. */
  readonly timePath?: string;
};

/**
 * Polls an address that returns JSON. Numbers are taken from the source text, so that no digit is lost;
 * anything else at a path is ignored.
 */
export function httpPrices(
  { name, url, paths, timePath }: HttpPrices,
  fetchText: (url: string) => Promise<string>,
): PriceSource {
  return {
    name,
    prices: async () => {
      const response = parseExact(await fetchText(url));
      const found = new Map<string, string>();
      for (const [asset, path] of Object.entries(paths)) {
        const value = textAt(response, path);
        if (value !== undefined && NUMBER.test(value)) found.set(asset, value);
      }
      if (found.size === 0) throw new Error(`${name} returned no price`);
      if (timePath === undefined) return { prices: found };
      const ownTime = textAt(response, timePath);
      if (ownTime === undefined) throw new Error(`${name} has no time at ${timePath}`);
      return { prices: found, ownTime };
    },
  };
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function textAt(value: unknown, path: string): string | undefined {
  let found: unknown = value;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[step];
  }
  return typeof found === 'string' ? found : undefined;
}
