import type { IndexPrice } from '../domain/commands.ts';
import { decimalFromText } from '../domain/decimal.ts';
import { faultOfIndexPrice } from '../domain/index-price.ts';
import { USD_SCALE, type UsdPrice, usdPrice } from '../domain/units.ts';
import type { PriceSource, SourcePrices } from './price-source.ts';

/** Prices received longer ago than this are not fresh. */
const FRESH_MS = 10_000;
/** A source whose own time has not moved for this long repeats old prices. */
const OWN_TIME_STILL_MS = 60_000;

type Heard = SourcePrices & {
  readonly source: PriceSource;
  readonly atMs: number;
  /** Since when its own time has this value. */
  readonly ownTimeSinceMs: number;
};

/** The last index price of an asset that the venue accepted; 0 if any factor is allowed. */
export type LastAccepted = (asset: string) => bigint;

/** The last answer of a source. */
export type SourceSaid = {
  readonly source: string;
  readonly atMs: number;
  readonly counts: boolean;
  readonly prices: ReadonlyMap<string, string>;
};

/** A price that cannot be an index price. */
export type NotTaken = {
  readonly source: string;
  readonly asset: string;
  readonly reason: string;
};

/**
 * The last prices of every source, and the index prices computed from them. A price counts if it is fresh, in
 * range, and from a source whose own time moves. The index price is the median of those that count, if at
 * least half of the sources have one.
 */
export class HeardPrices {
  readonly #heard = new Map<PriceSource, Heard>();
  readonly #sourceCount: number;

  constructor(sourceCount: number) {
    this.#sourceCount = sourceCount;
  }

  receive(source: PriceSource, received: SourcePrices, atMs: number): void {
    const before = this.#heard.get(source);
    const isStill = before !== undefined && before.ownTime === received.ownTime;
    const ownTimeSinceMs = isStill ? before.ownTimeSinceMs : atMs;
    this.#heard.set(source, { ...received, source, atMs, ownTimeSinceMs });
  }

  /** Sources that respond, but whose own time has stopped. */
  stale(nowMs: number): string[] {
    return [...this.#heard.values()].flatMap((heard) =>
      isFresh(heard, nowMs) && isStill(heard, nowMs) ? [heard.source.name] : [],
    );
  }

  /** What each source answered last, for display. */
  said(nowMs: number): SourceSaid[] {
    return [...this.#heard.values()].map((heard) => ({
      source: heard.source.name,
      atMs: heard.atMs,
      counts: isFresh(heard, nowMs) && !isStill(heard, nowMs),
      prices: heard.prices,
    }));
  }

  /** The prices of one round, and those that were rejected. */
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
      const candidates = counted.flatMap(({ source, prices: priceByAsset }) => {
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
        candidates.map((one) => one.price),
        this.#sourceCount,
      );
      if (price === undefined) return [];
      const byOperator = candidates.every(({ source }) => source.isOperator === true);
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

/** Undefined if fewer than half of the sources have a price. The mean of the middle two if their number is even. */
export function medianOf(named: readonly bigint[], sourceCount: number): UsdPrice | undefined {
  if (named.length === 0 || named.length * 2 < sourceCount) return undefined;
  const prices = [...named].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = prices.length >> 1;
  const upper = prices[middle] as bigint;
  const lower = prices.length % 2 === 1 ? upper : (prices[middle - 1] as bigint);
  return usdPrice((lower + upper) / 2n);
}

/** Outside prices may have more digits than the venue stores: they are truncated, not refused. */
export function priceFromText(text: string): bigint | undefined {
  const read = decimalFromText(text);
  if (read === undefined) return undefined;
  const { digits, scale } = read;
  return scale <= USD_SCALE
    ? digits * 10n ** BigInt(USD_SCALE - scale)
    : digits / 10n ** BigInt(scale - USD_SCALE);
}
