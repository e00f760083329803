import type { ModelMarket } from './state.ts';

/** Prices, quantities and their values. Every asset of the catalogue has eight decimals. */
const SCALE = 8n;
const ONE = 10n ** SCALE;
/** Native units per dollar: perpetuals are settled in native. */
const NATIVE_PER_USD = 100n;

/** Price x quantity in parts of the settlement asset: the counter, or native for a perpetual. */
export function valueAt(market: ModelMarket, priceTicks: number, lots: number): bigint {
  return exact(
    BigInt(priceTicks) * tickSize(market) * BigInt(lots) * lotSize(market) * multiplier(market),
    ONE,
  );
}

/** Lots as parts of the base asset. */
export const partsOfLots = (market: ModelMarket, lots: number): bigint =>
  BigInt(lots) * lotSize(market);

/** Lots at a mark, in native parts, rounded as the figure requires. */
export const markValueUp = (market: ModelMarket, lots: number, mark: bigint): bigint =>
  divideUp(BigInt(lots) * lotSize(market) * mark * multiplier(market), ONE);
export const markValueDown = (market: ModelMarket, lots: number, mark: bigint): bigint =>
  divideDown(BigInt(lots) * lotSize(market) * mark * multiplier(market), ONE);

/** Value / quantity in 10^-8, half to even; the quantity is a fraction of lots. */
export const averagePrice = (
  market: ModelMarket,
  value: bigint,
  lots: { readonly above: bigint; readonly below: bigint },
): bigint =>
  divideHalfEven(value * ONE * lots.below, lots.above * lotSize(market) * multiplier(market));

/** A tick, and a lot, in 10^-8. */
export const tickSize = ({ spec }: ModelMarket): bigint =>
  spec.tickParts * 10n ** (SCALE - BigInt(spec.priceScale));
const lotSize = ({ spec }: ModelMarket): bigint =>
  spec.lotParts * 10n ** (SCALE - BigInt(spec.quantityScale));
const multiplier = ({ spec }: ModelMarket): bigint =>
  spec.type === 'FUTURE' ? NATIVE_PER_USD : 1n;

export function divideDown(dividend: bigint, divisor: bigint): bigint {
  const rest = ((dividend % divisor) + divisor) % divisor;
  return (dividend - rest) / divisor;
}

export const divideUp = (dividend: bigint, divisor: bigint): bigint =>
  -divideDown(-dividend, divisor);

export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const down = divideDown(dividend, divisor);
  const rest = dividend - down * divisor;
  if (2n * rest === divisor) return down % 2n === 0n ? down : down + 1n;
  return 2n * rest < divisor ? down : down + 1n;
}

function exact(dividend: bigint, divisor: bigint): bigint {
  if (dividend % divisor !== 0n) throw new Error('a match is worth a whole number of parts');
  return dividend / divisor;
}

export const bigMin = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const bigMax = (a: bigint, b: bigint): bigint => (a > b ? a : b);
