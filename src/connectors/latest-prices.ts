import type { IndexPrice } from '../domain/commands.ts';
import { decimalFromText } from '../domain/decimal.ts';
import { faultOfIndexPrice } from '../domain/index-price.ts';
import { USD_SCALE, type UsdPrice, usdPrice } from '../domain/units.ts';
import type { PriceSource, SourcePrices } from './price-source.ts';

/** Prices received longer ago than this are not fresh. */
const FRESH_MS = 10_000;
/** A source whose own time has not moved for this long repeats old prices. */
const STALE_AFTER_MS = 60_000;

type ReceivedPrices = SourcePrices & {
  readonly source: PriceSource;
  readonly atMs: number;
  /** Numbers the answers of all sources. */
  readonly number: number;
  /** Since when its own time has this value. */
  readonly ownTimeSinceMs: number;
};

/** The last index price of an asset that the venue accepted; 0 if any factor is allowed. */
export type LastAccepted = (asset: string) => bigint;

/** The last answer of a source. */
export type SourceReport = {
  readonly source: string;
  readonly atMs: number;
  readonly counts: boolean;
  readonly prices: ReadonlyMap<string, string>;
};

/** A price that cannot be an index price. */
export type RejectedPrice = {
  readonly source: string;
  readonly asset: string;
  readonly reason: string;
};

/**
 * The last prices of every source, and the index prices computed from them. A price counts if it is fresh, in
 * range, and from a source whose own time moves. The index price is the median of those that count, if at
 * least half of the sources have one.
 */
export class LatestPrices {
  readonly #latest = new Map<PriceSource, ReceivedPrices>();
  readonly #sourceCount: number;
  /** How many answers there were: the number of the newest. */
  received = 0;

  constructor(sourceCount: number) {
    this.#sourceCount = sourceCount;
  }

  receive(source: PriceSource, prices: SourcePrices, atMs: number): void {
    const before = this.#latest.get(source);
    const isUnchanged = before !== undefined && before.ownTime === prices.ownTime;
    const ownTimeSinceMs = isUnchanged ? before.ownTimeSinceMs : atMs;
    this.#latest.set(source, { ...prices, source, atMs, number: ++this.received, ownTimeSinceMs });
  }

  /** Sources that respond, but whose own time has stopped. */
  stale(nowMs: number): string[] {
    return [...this.#latest.values()].flatMap((received) =>
      isFresh(received, nowMs) && isStale(received, nowMs) ? [received.source.name] : [],
    );
  }

  /** What each source answered last, for display. */
  reports(nowMs: number): SourceReport[] {
    return [...this.#latest.values()].map((received) => ({
      source: received.source.name,
      atMs: received.atMs,
      counts: isFresh(received, nowMs) && !isStale(received, nowMs),
      prices: received.prices,
    }));
  }

  /**
   * The prices of one round, and those that were rejected. Of an asset in `usedUpTo`, only answers with a
   * higher number count.
   */
  round(
    assets: readonly string[],
    lastAccepted: LastAccepted,
    usedUpTo: ReadonlyMap<string, number>,
    nowMs: number,
  ): { readonly prices: IndexPrice[]; readonly rejected: RejectedPrice[] } {
    const counted = [...this.#latest.values()].filter(
      (received) => isFresh(received, nowMs) && !isStale(received, nowMs),
    );
    const rejected: RejectedPrice[] = [];
    const prices = assets.flatMap((asset): IndexPrice[] => {
      const candidates = counted.flatMap(({ source, number, prices: priceByAsset }) => {
        const text = priceByAsset.get(asset);
        if (text === undefined || number <= (usedUpTo.get(asset) ?? 0)) return [];
        const last = source.isOperator === true ? 0n : lastAccepted(asset);
        const price = priceFromText(text);
        const reason =
          price === undefined ? `"${shortened(text)}" is no price` : faultOfIndexPrice(price, last);
        if (price !== undefined && reason === undefined) return [{ source, price }];
        rejected.push({ source: source.name, asset, reason: reason ?? '' });
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
    return { prices, rejected };
  }
}

const isFresh = ({ atMs }: ReceivedPrices, nowMs: number): boolean => nowMs - atMs <= FRESH_MS;

const isStale = ({ ownTime, ownTimeSinceMs }: ReceivedPrices, nowMs: number): boolean =>
  ownTime !== undefined && nowMs - ownTimeSinceMs >= STALE_AFTER_MS;

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
