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
    : nearest(100n * view.maintenanceMargin, view.collateral, MARGIN_BOUNDS);

/** Collateral / initial margin as it is printed, in 10^-6; 0 without positions. */
export const printedRiskRatio = (view: {
  readonly collateral: bigint;
  readonly initialMargin: bigint;
}): bigint =>
  view.initialMargin === 0n ? 0n : nearest(view.collateral, view.initialMargin, RISK_BOUNDS);

/** Where something happens: orders end at 50, a liquidation begins at 100; below 1 nothing may be added. */
const MARGIN_BOUNDS: readonly bigint[] = [50n * RATIO_ONE, 100n * RATIO_ONE];
const RISK_BOUNDS: readonly bigint[] = [RATIO_ONE];

/** The nearest, but a bound only once it is reached: what is printed as 50 is not below it. */
function nearest(dividend: bigint, divisor: bigint, bounds: readonly bigint[]): bigint {
  const below = floorDiv(dividend * RATIO_ONE, divisor);
  const isNearer = 2n * (dividend * RATIO_ONE - below * divisor) >= divisor;
  return isNearer && !bounds.includes(below + 1n) ? below + 1n : below;
}
