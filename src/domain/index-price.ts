import { textFromParts } from './decimal.ts';
import { USD_SCALE } from './units.ts';

/**
 * Which outside prices can be index prices. A price out of range is rejected, so that everything computed
 * from index prices stays within known bounds.
 */

/** 10^9 USD. */
export const INDEX_PRICE_MAX = 10n ** BigInt(9 + USD_SCALE);
/** A price must be within 1/20 to 20 times the last accepted one: beyond that an operator must set it. */
const INDEX_FACTOR_MAX = 20n;

/** A jump of more than 10 % waits for the next round to confirm it. */
export function isJump(from: bigint, to: bigint): boolean {
  const difference = to > from ? to - from : from - to;
  return difference * 10n > from;
}

/** Why a price is rejected; undefined if it is accepted. `last` is 0 if the factor is not checked. */
export function faultOfIndexPrice(price: bigint, last: bigint): string | undefined {
  const text = (parts: bigint): string => textFromParts(parts, USD_SCALE);
  if (price <= 0n) return `price ${text(price)} is not above 0`;
  if (price > INDEX_PRICE_MAX) {
    return `price ${text(price)} > maximum ${text(INDEX_PRICE_MAX)}`;
  }
  if (last === 0n) return undefined;
  if (price > last * INDEX_FACTOR_MAX) {
    return `price ${text(price)} > ${INDEX_FACTOR_MAX} times the last accepted ${text(last)}`;
  }
  if (price * INDEX_FACTOR_MAX < last) {
    return `price ${text(price)} < 1/${INDEX_FACTOR_MAX} of the last accepted ${text(last)}`;
  }
  return undefined;
}
