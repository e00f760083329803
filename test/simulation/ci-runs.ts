/** A run of the simulator: which one, and how long. */
export type PlannedRun = { readonly seed: number; readonly steps: number };

/** The runs that every test run makes; `npm run mutate` lets each mutation loose on them first. */
export const TRADING_RUNS: readonly PlannedRun[] = [1, 3].map((seed) => ({ seed, steps: 200 }));
export const FAILING_RUNS: readonly PlannedRun[] = Array.from({ length: 12 }, (_, index) => ({
  seed: 35 + index,
  steps: 150,
}));
export const CI_RUNS: readonly PlannedRun[] = [...TRADING_RUNS, ...FAILING_RUNS.slice(0, 4)];
