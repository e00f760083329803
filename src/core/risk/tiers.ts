import { ceilDiv, mulDivDown, mulDivUp } from '../../domain/decimal.ts';
import { lotsInParts } from '../../domain/market.ts';
import { exactNumber } from '../../domain/units.ts';
import type { MarginTier, Market } from '../state.ts';

/** The value of lots and the margin that a notional needs, tier by tier, in native parts. */

/** Bounds the rounding error of a margin: each tier may add one part (liquidation/review-margin.ts). */
export const TIERS_MAX = 32;

/** Lots at a price of 10^-8 USD, in native parts. Lots may be negative: down is toward minus infinity. */
export const valueUp = (market: Market, lots: number, price: bigint): bigint =>
  lots >= 0 ? sizeUp(market, lots, price) : 0n - sizeDown(market, -lots, price);

export const valueDown = (market: Market, lots: number, price: bigint): bigint =>
  lots >= 0 ? sizeDown(market, lots, price) : 0n - sizeUp(market, -lots, price);

function sizeUp(market: Market, lots: number, price: bigint): bigint {
  return mulDivUp(price, lotsInParts(market.valueNumerator, lots), market.valueDenominator);
}

function sizeDown(market: Market, lots: number, price: bigint): bigint {
  return mulDivDown(price, lotsInParts(market.valueNumerator, lots), market.valueDenominator);
}

/** Products of lots below this are summed in 64 bits. */
const LOT_VALUES_WIDE = 1n << 61n;
const LOTS_COUNTED_MAX = 2 ** 31 - 1;

/**
 * Sets the mark, and precomputes the value of one lot at it, in whole parts and a remainder: every order
 * needs half a dozen values at the mark, and a division takes longer than everything else in one.
 */
export function setMarkPrice(market: Market, mark: bigint): void {
  const { price, valueNumerator, valueDenominator } = market;
  price.mark = mark;
  price.lotParts = (mark * valueNumerator) / valueDenominator;
  price.lotRest = (mark * valueNumerator) % valueDenominator;
  const larger = price.lotParts < valueDenominator ? valueDenominator : price.lotParts + 1n;
  const lotsMax = LOT_VALUES_WIDE / larger;
  price.lotsCounted = lotsMax < LOTS_COUNTED_MAX ? exactNumber(lotsMax) : LOTS_COUNTED_MAX;
}

/** The same as `valueUp` at the mark. */
export function markValueUp(market: Market, lots: number): bigint {
  const { price } = market;
  if (Math.abs(lots) > price.lotsCounted) return valueUp(market, lots, price.mark);
  const whole = BigInt.asIntN(64, BigInt(lots | 0) * BigInt.asIntN(64, price.lotParts));
  if (price.lotRest === 0n) return whole;
  const divisor = BigInt.asIntN(64, market.valueDenominator);
  const rest = BigInt.asIntN(64, BigInt(lots | 0) * BigInt.asIntN(64, price.lotRest));
  // Division rounds toward zero, which is up for negative numbers.
  const top = lots < 0 ? rest : BigInt.asIntN(64, rest + BigInt.asIntN(64, divisor - 1n));
  return BigInt.asIntN(64, whole + BigInt.asIntN(64, top / divisor));
}

/** The same as `valueDown` at the mark. */
export function markValueDown(market: Market, lots: number): bigint {
  const { price } = market;
  if (Math.abs(lots) > price.lotsCounted) return valueDown(market, lots, price.mark);
  return BigInt.asIntN(64, -markValueUp(market, -lots));
}

/** The tier that holds a notional; beyond the last cap it is the last. */
function tierAt(market: Market, notional: bigint): MarginTier {
  const tiers = market.marginTiers;
  let at = 0;
  let tier = tiers[0];
  while (at < tiers.length - 1 && tier !== undefined && notional > tier.notionalCap) {
    tier = tiers[++at];
  }
  return tier ?? UNLEVERED;
}

export function initialMargin(market: Market, notional: bigint): bigint {
  return ceilDiv(notional, tierAt(market, notional).leverage);
}

/** Half the initial rate, less the amount that makes it continuous from tier to tier. */
export function maintenanceMargin(market: Market, notional: bigint): bigint {
  const tier = tierAt(market, notional);
  return ceilDiv(notional, tier.twiceLeverage) - tier.maintenanceAmount;
}

/** For a market without tiers, such as spot: the margin is the whole value. */
const UNLEVERED: MarginTier = {
  notionalCap: 0n,
  leverage: 1n,
  twiceLeverage: 2n,
  maintenanceAmount: 0n,
};

/** A market's tiers in the form that margin needs. */
export function marginTiersOf(spec: Market['spec']): MarginTier[] {
  const amounts = maintenanceAmounts(spec);
  return spec.tiers.map(({ leverage, notionalCap }, at) => ({
    notionalCap,
    leverage: BigInt(leverage),
    twiceLeverage: 2n * BigInt(leverage),
    maintenanceAmount: amounts[at] ?? 0n,
  }));
}

/** amount(n) = amount(n-1) + floor(n) x (rate(n) - rate(n-1)), rounded down, so margins round up. */
function maintenanceAmounts(spec: Market['spec']): bigint[] {
  const amounts: bigint[] = [];
  spec.tiers.forEach(({ leverage }, tier) => {
    const before = spec.tiers[tier - 1];
    if (before === undefined) {
      amounts.push(0n);
      return;
    }
    const rise = BigInt(before.leverage - leverage);
    const step = (before.notionalCap * rise) / (2n * BigInt(before.leverage) * BigInt(leverage));
    amounts.push((amounts[tier - 1] ?? 0n) + step);
  });
  return amounts;
}
