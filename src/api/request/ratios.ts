import { floorDiv } from '../../domain/decimal.ts';

/** Ratios are printed with this many digits. */
export const RATIO_SCALE = 6;
const RATIO_ONE = 10n ** BigInt(RATIO_SCALE);

type Figures = { readonly collateral: bigint; readonly maintenanceMargin: bigint };

/**
 * 100 x maintenance margin / collateral as it is printed, in 10^-6. The view's own, which is cut, where that is
 * no quotient: 0 without positions, 999999 without collateral.
 */
export const printedMarginRatio = (view: Figures & { readonly marginRatio: bigint }): bigint =>
  view.maintenanceMargin === 0n || view.collateral <= 0n
    ? view.marginRatio
    : nearest(100n * view.maintenanceMargin, view.collateral, 50n);

/** Collateral / initial margin as it is printed, in 10^-6; 0 without positions. */
export const printedRiskRatio = (view: {
  readonly collateral: bigint;
  readonly initialMargin: bigint;
}): bigint => (view.initialMargin === 0n ? 0n : nearest(view.collateral, view.initialMargin, 1n));

/** The nearest, but a multiple of `bound` only once it is reached: what is printed as 50 is not below it. */
function nearest(dividend: bigint, divisor: bigint, bound: bigint): bigint {
  const below = floorDiv(dividend * RATIO_ONE, divisor);
  const isNearer = 2n * (dividend * RATIO_ONE - below * divisor) >= divisor;
  return isNearer && (below + 1n) % (bound * RATIO_ONE) !== 0n ? below + 1n : below;
}
