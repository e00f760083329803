import { expect, test } from 'vitest';
import { printedMarginRatio, printedRiskRatio } from './ratios.ts';

const of = (maintenanceMargin: bigint, collateral: bigint, marginRatio = 0n) => ({
  ...{ maintenanceMargin, collateral, marginRatio, initialMargin: 2n * maintenanceMargin },
});

test('printed ratios are the nearest', () => {
  const view = of(60_500n, 2_890_005n);
  expect([printedMarginRatio(view), printedRiskRatio(view)]).toEqual([2_093_422n, 23_884_339n]);
});

test('a bound is printed only once it is reached', () => {
  const much = 10n ** 12n;
  expect(printedMarginRatio(of(much, 2n * much + 1n))).toBe(49_999_999n);
  expect(printedMarginRatio(of(much, 2n * much))).toBe(50_000_000n);
  expect(printedMarginRatio(of(much, 2n * much - 1n))).toBe(50_000_000n);
  expect(printedMarginRatio(of(much, much + 1n))).toBe(99_999_999n);
  expect(printedMarginRatio(of(much, much))).toBe(100_000_000n);
  expect(printedRiskRatio(of(much, 2n * much - 1n))).toBe(999_999n);
  expect(printedRiskRatio(of(much, 2n * much))).toBe(1_000_000n);
});

test('other whole numbers are no bounds', () => {
  const much = 10n ** 13n;
  expect(printedMarginRatio(of(3n * much - 1n, 2n * much))).toBe(150_000_000n);
  expect(printedRiskRatio(of(much, 4n * much - 1n))).toBe(2_000_000n);
});

test('where there is no quotient the view says it', () => {
  expect(printedMarginRatio(of(1n, 0n, 999_999_000_000n))).toBe(999_999_000_000n);
  expect(printedMarginRatio(of(0n, 5n))).toBe(0n);
  expect(printedRiskRatio(of(0n, 5n))).toBe(0n);
});
