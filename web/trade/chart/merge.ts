import type { LiveCandle } from '../live-state.ts';

/**
 * Merges candles with the venue's history of the same time: bars that the stream skipped, and the final state
 * of the others. The newest is left to the stream. Returns the same list if nothing differs.
 */
export function mergeCandles(
  all: readonly LiveCandle[],
  read: readonly LiveCandle[],
): readonly LiveCandle[] {
  const newest = all.at(-1);
  if (newest === undefined) return read;
  const byTime = new Map(all.map((candle) => [candle.openedAtMs, candle]));
  let isSame = true;
  for (const candle of read) {
    const { openedAtMs } = candle;
    if (openedAtMs >= newest.openedAtMs || areEqual(byTime.get(openedAtMs), candle)) continue;
    byTime.set(openedAtMs, candle);
    isSame = false;
  }
  if (isSame) return all;
  return [...byTime.values()].sort((one, other) => one.openedAtMs - other.openedAtMs);
}

const areEqual = (one: LiveCandle | undefined, other: LiveCandle): boolean =>
  one !== undefined &&
  one.open === other.open &&
  one.high === other.high &&
  one.low === other.low &&
  one.close === other.close &&
  one.volume === other.volume;
