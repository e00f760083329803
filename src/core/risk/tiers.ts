import { ceilDiv, mulDivDown, mulDivUp } from '../../domain/decimal.ts';
import { lotsInParts } from '../../domain/market.ts';
import type { Market } from '../state.ts';

/** What a number of lots is worth, and the margin a worth asks for, tier by tier. Native parts. */

/** A market has at most so many: each may cost a part by rounding, which the watch allows for. */
export const TIERS_MAX = 32;

/** Lots at a price of 10^-8 USD, in native parts. Lots may be negative: down is then away from zero. */
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
  const at = tierAt(market, notional);
  const leverage = BigInt(market.spec.tiers[at]?.leverage ?? 1);
  return ceilDiv(notional, 2n * leverage) - (market.maintenanceAmounts[at] ?? 0n);
}

/** amount(n) = amount(n-1) + floor(n) x (rate(n) - rate(n-1)), rounded down: the margin is then up. */
export function maintenanceAmounts(spec: Market['spec']): bigint[] {
  const amounts: bigint[] = [];
  spec.tiers.forEach(({ leverage }, at) => {
    const before = spec.tiers[at - 1];
    if (before === undefined) {
      amounts.push(0n);
      return;
    }
    const rise = BigInt(before.leverage - leverage);
    const step = (before.notionalCap * rise) / (2n * BigInt(before.leverage) * BigInt(leverage));
    amounts.push((amounts[at - 1] ?? 0n) + step);
  });
  return amounts;
}
