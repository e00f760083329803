import { assert } from './assert.ts';

/** Integers of different units, which must not be mixed. A price of 3 ticks is not a size of 3 lots. */
declare const unit: unique symbol;
type Count<Name extends string> = number & { readonly [unit]: Name };
type Parts<Name extends string> = bigint & { readonly [unit]: Name };

/** A price in ticks. A number, because books are stored in typed arrays. */
export type Ticks = Count<'ticks'>;
/** A size in lots. Never negative: the side is the direction. */
export type Lots = Count<'lots'>;
/** Milliseconds since the Unix epoch. */
export type TimeMs = Count<'timeMs'>;
/** The position of a command in the journal, counted from 1. */
export type Sequence = Count<'sequence'>;
/** A quantity of one asset, in that asset's smallest part. May be negative. */
export type Amount = Parts<'amount'>;
/** A price in USD, in parts of 10^-8 USD: index and mark prices, comparable across markets. */
export type UsdPrice = Parts<'usdPrice'>;

/** Small integers in place of long names inside the engine; text is resolved once, at the edge. */
export type AccountIndex = Count<'account'>;
export type FamilyIndex = Count<'family'>;
export type AssetIndex = Count<'asset'>;
export type NetworkIndex = Count<'network'>;
export type MarketIndex = Count<'market'>;
export type KeyIndex = Count<'key'>;
/** One holder's balance of one asset in the ledger. */
export type Purse = Count<'purse'>;

export const ticks = (count: number): Ticks => whole(count, 'ticks') as Ticks;
export const lots = (count: number): Lots => whole(count, 'lots') as Lots;
export const timeMs = (count: number): TimeMs => whole(count, 'milliseconds') as TimeMs;
export const sequence = (count: number): Sequence => whole(count, 'sequence') as Sequence;
export const amount = (parts: bigint): Amount => parts as Amount;
export const usdPrice = (parts: bigint): UsdPrice => parts as UsdPrice;

/** Every amount and balance stays below this, so that 64-bit sums of two cannot wrap. */
export const AMOUNT_LIMIT = 2n ** 62n;
/** Marks and band edges go up to here: larger ones are capped, and nobody trades there. */
export const TICKS_MAX = 2 ** 52;
/** Index and mark prices are in units of 10^-USD_SCALE of a US dollar. */
export const USD_SCALE = 8;
/** A perpetual is quoted in USD and settled in the native asset: 1 USD of value is 100 of it. */
export const NATIVE_PER_USD = 100n;

/** A bigint that is known to be small, as a number. The only place that converts, with a check. */
export function exactNumber(value: bigint): number {
  const number = Number(value);
  assert(Number.isSafeInteger(number), 'a bigint becomes a number only when that is exact');
  return number;
}

export const smaller = (a: Lots, b: Lots): Lots => (a < b ? a : b);

function whole(count: number, unitName: string): number {
  assert(
    count >= 0 && Number.isSafeInteger(count),
    `a count of ${unitName} is whole, exact and not negative`,
  );
  return count;
}
