import type { Options } from './simulate.ts';

/** A run of the simulator: which one, how long, and its theme (drawn by its seed if omitted). */
export type PlannedRun = Pick<Options, 'seed' | 'steps' | 'theme' | 'halfAnHour'>;

/** Runs of core and model alone, in a falling market: by seed, as many as needed, but at least some. */
export const CRISIS_STEPS = 150;
export const CRISIS_SEEDS = { first: 1, least: 4, most: 40 };

/** The runs of every test run; `npm run mutate` tries each mutation with them first. */
export const TRADING_RUNS: readonly PlannedRun[] = [
  { seed: 1, steps: 200, theme: 'everything' },
  { seed: 4, steps: 150, theme: 'stops' },
  { seed: 5, steps: 150, theme: 'reducers' },
  { seed: 6, steps: 150, theme: 'operators' },
  { seed: 7, steps: 250, theme: 'wallet' },
];
/** One after another, until accounts have failed in every way. */
export const FAILING_RUNS: readonly PlannedRun[] = Array.from({ length: 16 }, (_, index) => ({
  seed: 35 + index,
  steps: 150,
  theme: index % 2 === 0 ? 'failing' : 'everything',
}));

/** An hour that is measured for `seconds`, after positions have been opened. */
export const fundingRun = (seed: number, seconds: number): PlannedRun => ({
  seed,
  steps: 55,
  theme: 'funding',
  halfAnHour: { atStep: 50, seconds },
});
export const FUNDING_SEEDS = [8, 9, 10, 11, 12, 13] as const;

export const CI_RUNS: readonly PlannedRun[] = [
  ...TRADING_RUNS,
  ...FAILING_RUNS.slice(0, 4),
  fundingRun(FUNDING_SEEDS[0], 1_800),
  fundingRun(FUNDING_SEEDS[0], 1_799),
];
