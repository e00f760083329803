import type { IndexPrice } from '../domain/commands.ts';
import { decimalFromText } from '../domain/decimal.ts';
import { faultOfIndexPrice } from '../domain/index-price.ts';
import { USD_SCALE, type UsdPrice, usdPrice } from '../domain/units.ts';
import type { PriceSource, SourcePrices } from './price-source.ts';

/** What a source said longer ago than this is not fresh. */
const FRESH_MS = 10_000;
/** A source that keeps its own time and has not moved it for so long repeats old prices. */
const OWN_TIME_STILL_MS = 60_000;

type Heard = SourcePrices & {
  readonly source: PriceSource;
  readonly atMs: number;
  /** When its own time was first heard to be what it is. */
  readonly ownTimeSinceMs: number;
};

/** The last index price of an asset that the venue has accepted; 0 where any factor is allowed. */
export type LastAccepted = (asset: string) => bigint;

/** What a source said that cannot be an index price. */
export type NotTaken = {
  readonly source: string;
  readonly asset: string;
  readonly reason: string;
};

/**
 * The last word of every source, and what of it counts: fresh, of a source whose own time moves, and in
 * range. Of what counts the median is taken, if at least half of the sources have a say.
 */
export class HeardPrices {
  readonly #heard = new Map<PriceSource, Heard>();
  readonly #sourceCount: number;

  constructor(sourceCount: number) {
    this.#sourceCount = sourceCount;
  }

  hear(source: PriceSource, said: SourcePrices, atMs: number): void {
    const before = this.#heard.get(source);
    const isStill = before !== undefined && before.ownTime === said.ownTime;
    const ownTimeSinceMs = isStill ? before.ownTimeSinceMs : atMs;
    this.#heard.set(source, { ...said, source, atMs, ownTimeSinceMs });
  }

  /** Sources that answer, but with a time of their own that stands still. */
  stale(nowMs: number): string[] {
    return [...this.#heard.values()].flatMap((heard) =>
      isFresh(heard, nowMs) && isStill(heard, nowMs) ? [heard.source.name] : [],
    );
  }

  /** The prices of one round, and what was not taken of what was said. */
  round(
    assets: readonly string[],
    lastAccepted: LastAccepted,
    nowMs: number,
  ): { readonly prices: IndexPrice[]; readonly notTaken: NotTaken[] } {
    const counted = [...this.#heard.values()].filter(
      (heard) => isFresh(heard, nowMs) && !isStill(heard, nowMs),
    );
    const notTaken: NotTaken[] = [];
    const prices = assets.flatMap((asset): IndexPrice[] => {
      const said = counted.flatMap(({ source, prices: priceByAsset }) => {
        const text = priceByAsset.get(asset);
        if (text === undefined) return [];
        const last = source.isOperator === true ? 0n : lastAccepted(asset);
        const price = priceFromText(text);
        const reason =
          price === undefined ? `"${shortened(text)}" is no price` : faultOfIndexPrice(price, last);
        if (price !== undefined && reason === undefined) return [{ source, price }];
        notTaken.push({ source: source.name, asset, reason: reason ?? '' });
        return [];
      });
      const price = medianOf(
        said.map((one) => one.price),
        this.#sourceCount,
      );
      if (price === undefined) return [];
      const byOperator = said.every(({ source }) => source.isOperator === true);
      return [{ asset, price, ...(byOperator ? { byOperator: true } : {}) }];
    });
    return { prices, notTaken };
  }
}

const isFresh = ({ atMs }: Heard, nowMs: number): boolean => nowMs - atMs <= FRESH_MS;

const isStill = ({ ownTime, ownTimeSinceMs }: Heard, nowMs: number): boolean =>
  ownTime !== undefined && nowMs - ownTimeSinceMs >= OWN_TIME_STILL_MS;

const TEXT_MAX = 60;
const shortened = (text: string): string =>
  text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}...` : text;

/** Undefined when fewer than half of the sources name a price. The mean of the middle two if even. */
export function medianOf(named: readonly bigint[], sourceCount: number): UsdPrice | undefined {
  if (named.length === 0 || named.length * 2 < sourceCount) return undefined;
  const prices = [...named].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = prices.length >> 1;
  const upper = prices[middle] as bigint;
  const lower = prices.length % 2 === 1 ? upper : (prices[middle - 1] as bigint);
  return usdPrice((lower + upper) / 2n);
}

/** Outside prices may have more digits than the venue keeps: they are cut, not refused. */
export function priceFromText(text: string): bigint | undefined {
  const read = decimalFromText(text);
  if (read === undefined) return undefined;
  const { digits, scale } = read;
  return scale <= USD_SCALE
    ? digits * 10n ** BigInt(USD_SCALE - scale)
    : digits / 10n ** BigInt(scale - USD_SCALE);
}
