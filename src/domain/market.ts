import { assert } from './assert.ts';
import { greatestCommonDivisor, textFromParts } from './decimal.ts';
import type { MarketState, MarketType } from './terms.ts';
import { AMOUNT_LIMIT, NATIVE_PER_USD, USD_SCALE } from './units.ts';

/** A fraction such as a loan-to-value or a margin rate, counted in parts of 10^-9. */
export const RATE_SCALE = 9;
export const RATE_ONE = 10n ** BigInt(RATE_SCALE);

/** What may be held. Its scale is the number of decimals in the ledger. */
export type AssetSpec = {
  readonly code: string;
  readonly scale: number;
  /** Parts of 10^-9; 0 if the asset is not collateral. */
  readonly loanToValue: bigint;
};

/** A network by which assets are deposited and withdrawn. */
export type NetworkSpec = {
  readonly name: string;
  /** The connector that serves it: `simulated` until another is configured. */
  readonly chain: string;
  readonly confirmations: number;
  readonly needsMemo: boolean;
  /** How its addresses are written; any printable text if absent. */
  readonly addressFormat?: AddressFormat;
  /** The asset in which transaction fees are paid. */
  readonly coin?: string;
  readonly assets: readonly NetworkAsset[];
};

export type AddressFormat = 'evm' | 'bitcoin' | 'solana' | 'xrpl';

export type NetworkAsset = {
  readonly asset: string;
  readonly tokenId: string | undefined;
  readonly transactionPrecision: number;
  /** In the asset's parts. */
  readonly minDeposit: bigint;
  readonly minWithdrawal: bigint;
  /** What the token itself burns with every withdrawal. */
  readonly burnFee?: bigint;
  /** The venue pays the network; the user does not. */
  readonly isFeeFree?: true;
};

/** Up to `notionalCap` (native parts) a position may have a leverage of `leverage`. */
export type LeverageTier = { readonly leverage: number; readonly notionalCap: bigint };

/**
 * A market's terms. Ticks and lots are given as parts: a tick of 0.01 at price scale 2 is 1 part. The
 * specification has a version; a command in ticks and lots names the version for which it was made.
 */
export type MarketSpec = {
  readonly code: string;
  readonly name: string;
  readonly referencePair: string;
  readonly type: MarketType;
  readonly base: string;
  readonly counter: string;
  /** Decimals of a printed price, and the tick in units of the last of them. */
  readonly priceScale: number;
  readonly tickParts: bigint;
  /** Decimals of a printed quantity, and the lot in units of the last of them. */
  readonly quantityScale: number;
  readonly lotParts: bigint;
  readonly maxOrderLots: number;
  /** How far a price may be from the mark: parts of 10^-9. */
  readonly band: bigint;
  /**
   * Native parts: the notional whose average sell and buy prices (impact prices) determine a perpetual's
   * mark. 0 on spot.
   */
  readonly impactNotional: bigint;
  /** Perpetuals only; empty on spot. */
  readonly tiers: readonly LeverageTier[];
  readonly state: MarketState;
};

/** The valid prices of a market: multiples of its tick. */
export type PriceGrid = Pick<MarketSpec, 'priceScale' | 'tickParts'>;

/** A market's terms with an earlier price grid, as stored in history. */
export const withGrid = (spec: MarketSpec, { priceScale, tickParts }: PriceGrid): MarketSpec =>
  spec.priceScale === priceScale && spec.tickParts === tickParts
    ? spec
    : { ...spec, priceScale, tickParts };

/** A tick in units of 10^-8; the catalogue keeps priceScale within USD_SCALE. */
export const tickSize = ({ priceScale, tickParts }: PriceGrid): bigint =>
  tickParts * 10n ** BigInt(USD_SCALE - priceScale);

/** The largest tick, in units of 10^-8: a price of one tick is printed and stored like any amount. */
export const TICK_SIZE_MAX = AMOUNT_LIMIT - 1n;

/**
 * What one tick times one lot is worth in the smallest part of its settlement asset: the counter asset on
 * spot, the native asset (100 to the dollar) on a perpetual. Undefined if that is not an integer, because
 * then trades could not be settled exactly.
 */
export function partsPerTickLot(spec: MarketSpec, settleScale: number): bigint | undefined {
  const product = spec.tickParts * spec.lotParts * (spec.type === 'FUTURE' ? NATIVE_PER_USD : 1n);
  const surplus = spec.priceScale + spec.quantityScale - settleScale;
  if (surplus <= 0) return product * 10n ** BigInt(-surplus);
  const divisor = 10n ** BigInt(surplus);
  return product % divisor === 0n ? product / divisor : undefined;
}

/** What one lot is in the base asset's smallest parts; undefined if that is not an integer. */
export function partsPerLot(spec: MarketSpec, baseScale: number): bigint | undefined {
  const surplus = spec.quantityScale - baseScale;
  if (surplus <= 0) return spec.lotParts * 10n ** BigInt(-surplus);
  const divisor = 10n ** BigInt(surplus);
  return spec.lotParts % divisor === 0n ? spec.lotParts / divisor : undefined;
}

/**
 * lots x price (in 10^-8) x numerator / denominator is a value in the settlement asset's parts. In lowest
 * terms, so that the product stays small.
 */
export function valueRatio(
  spec: MarketSpec,
  settleScale: number,
): { readonly valueNumerator: bigint; readonly valueDenominator: bigint } {
  const multiplier = spec.type === 'FUTURE' ? NATIVE_PER_USD : 1n;
  const top = spec.lotParts * multiplier * 10n ** BigInt(settleScale);
  const bottom = 10n ** BigInt(spec.quantityScale + USD_SCALE);
  const common = greatestCommonDivisor(top, bottom);
  return { valueNumerator: top / common, valueDenominator: bottom / common };
}

/**
 * The only place where ticks and lots are multiplied: the product may exceed 2^53, so the result is in parts.
 * Usual sizes are multiplied in 64 bits.
 */
export function tickLotsInParts(perTickLot: bigint, ticks: number, lots: number): bigint {
  return isNarrow(perTickLot, ticks, lots)
    ? narrowTickLots(perTickLot, ticks, lots)
    : BigInt(ticks) * BigInt(lots) * perTickLot;
}

/**
 * Whether ticks x lots certainly are fewer than 2^62 parts. What is computed a million times a second asks this
 * first and then multiplies by itself: a bigint that may come from either of two branches is allocated on the
 * heap, one that comes from this one is a number of the machine.
 */
export function isNarrow(perTickLot: bigint, ticks: number, lots: number): boolean {
  if (ticks !== (ticks | 0) || lots !== (lots | 0) || perTickLot >= PER_TICK_LOT_NARROW)
    return false;
  const product = ticks * lots;
  return product < TICK_LOTS_NARROW && product > -TICK_LOTS_NARROW;
}
const TICK_LOTS_NARROW = 2 ** 40;
const PER_TICK_LOT_NARROW = 1n << 22n;

/** The same as tickLotsInParts if it is narrow. A BigInt of `count | 0` costs nothing. */
export function narrowTickLots(perTickLot: bigint, ticks: number, lots: number): bigint {
  const tickLots = BigInt.asIntN(64, BigInt(ticks | 0) * BigInt(lots | 0));
  return BigInt.asIntN(64, tickLots * BigInt.asIntN(64, perTickLot));
}

/** Writes ticks x lots, in parts, to `amounts`: for sums that the caller knows to be below 2^62. */
export function putTickLots(
  amounts: BigInt64Array,
  at: number,
  perTickLot: bigint,
  ticks: number,
  lots: number,
): void {
  if (isNarrow(perTickLot, ticks, lots)) amounts[at] = narrowTickLots(perTickLot, ticks, lots);
  else amounts[at] = amountOf(BigInt(ticks) * BigInt(lots) * perTickLot);
}

/** A size in the smallest parts of the base asset. */
export function lotsInParts(perLot: bigint, lots: number): bigint {
  return areNarrow(perLot, lots) ? narrowLots(perLot, lots) : BigInt(lots) * perLot;
}

/** The same, written to `amounts`, if it is below 2^62. */
export function putLots(amounts: BigInt64Array, at: number, perLot: bigint, lots: number): void {
  if (areNarrow(perLot, lots)) amounts[at] = narrowLots(perLot, lots);
  else amounts[at] = amountOf(BigInt(lots) * perLot);
}

const areNarrow = (perLot: bigint, lots: number): boolean =>
  lots === (lots | 0) && perLot < PER_LOT_NARROW;
const narrowLots = (perLot: bigint, lots: number): bigint =>
  BigInt.asIntN(64, BigInt(lots | 0) * BigInt.asIntN(64, perLot));
const PER_LOT_NARROW = 1n << 31n;

function amountOf(parts: bigint): bigint {
  const isAmount = parts < AMOUNT_LIMIT && parts > -AMOUNT_LIMIT;
  assert(isAmount, 'the value of a match stays below 2^62 parts');
  return parts;
}

/** A price as text, e.g. "60000.5", with at least `digitsMin` decimals. */
export const priceText = (spec: MarketSpec, priceTicks: number, digitsMin = 0): string =>
  textFromParts(BigInt(priceTicks) * spec.tickParts, spec.priceScale, digitsMin);

/** A quantity as text. */
export const quantityText = (spec: MarketSpec, sizeLots: number, digitsMin = 0): string =>
  textFromParts(BigInt(sizeLots) * spec.lotParts, spec.quantityScale, digitsMin);
