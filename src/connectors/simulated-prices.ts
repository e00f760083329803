import { startPrices } from '../defaults/catalogue.ts';
import { textFromParts } from '../domain/decimal.ts';
import { USD_SCALE } from '../domain/units.ts';
import type { Engine } from '../engine/engine.ts';
import type { PriceSource } from './price-source.ts';

/** Stable coins do not move; everything else walks randomly. */
const STEADY: ReadonlySet<string> = new Set(['USDT', 'USDC']);

/**
 * A random walk from the start prices: each round a step of up to `stepMillionths` either way. Seeded, so
 * that the same seed gives the same prices. Integers only.
 */
export function simulatedPrices(
  options: { readonly seed: number; readonly stepMillionths: number },
  start: readonly (readonly [string, bigint])[] = startPrices().map(({ asset, price }) => [
    asset,
    price,
  ]),
): PriceSource {
  const next = xorshift(options.seed);
  const current = new Map(start);
  const span = BigInt(2 * options.stepMillionths + 1);
  return {
    name: 'simulated',
    prices: async () => {
      for (const [asset, price] of current) {
        if (STEADY.has(asset)) continue;
        const step = (BigInt(next()) % span) - BigInt(options.stepMillionths);
        const moved = price + (price * step) / 1_000_000n;
        current.set(asset, moved > 0n ? moved : 1n);
      }
      return { prices: asText([...current]) };
    },
  };
}

/** The venue's own prices: the initial ones, or those that an operator has set since. */
export function standingPrices(engine: Engine): PriceSource {
  const now = () => ({ prices: asText(pricesOf(engine)) });
  return { name: 'start', prices: async () => now(), now };
}

/** The venue's current prices. */
export const pricesOf = (engine: Engine): (readonly [string, bigint])[] =>
  engine
    .indexPrices()
    .filter(({ price }) => price > 0n)
    .map(({ asset, price }) => [engine.directory.asset(asset).code, price]);

const asText = (prices: readonly (readonly [string, bigint])[]): ReadonlyMap<string, string> =>
  new Map(prices.map(([asset, price]) => [asset, textFromParts(price, USD_SCALE)]));

function xorshift(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
