import { ceilDiv, mulDivDown, mulDivUp } from '../../domain/decimal.ts';
import { lotsInParts } from '../../domain/market.ts';
import type { Market } from '../state.ts';

/** The value of lots and the margin that a notional needs, tier by tier, in native parts. */

/** Bounds the rounding error of a margin: each tier may add one part (liquidation/examine-margin.ts). */
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

/** The tier that holds a notional; beyond the last cap it is the last. */
function tierAt(market: Market, notional: bigint): number {
  const { tiers } = market.spec;
  let tier = 0;
  while (tier < tiers.length - 1 && notional > (tiers[tier]?.notionalCap ?? 0n)) tier++;
  return tier;
}

export function initialMargin(market: Market, notional: bigint): bigint {
  const tier = market.spec.tiers[tierAt(market, notional)];
  return ceilDiv(notional, BigInt(tier?.leverage ?? 1));
}

/** Half the initial rate, less the amount that makes it continuous from tier to tier. */
export function maintenanceMargin(market: Market, notional: bigint): bigint {
  const tier = tierAt(market, notional);
  const leverage = BigInt(market.spec.tiers[tier]?.leverage ?? 1);
  return ceilDiv(notional, 2n * leverage) - (market.maintenanceAmounts[tier] ?? 0n);
}

/** amount(n) = amount(n-1) + floor(n) x (rate(n) - rate(n-1)), rounded down, so margins round up. */
export function maintenanceAmounts(spec: Market['spec']): bigint[] {
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
