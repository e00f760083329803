import { expect, test } from 'vitest';
import { CRISIS_SEEDS, CRISIS_STEPS } from './ci-runs.ts';
import { crisis } from './crisis.ts';

/** Everything that can happen to a failing account. */
const LINES = [
  'liquidation-started',
  'liquidation-step nobody',
  'liquidation-step book',
  'liquidation-step backstop',
  'liquidation-step insured',
  'liquidation-step adl',
  'collateral-sold nobody',
  'collateral-sold book',
  'collateral-sold fund',
  'collateral-sold taken-over',
  'collateral-sold paid-out',
  'liquidation-ended',
  'mark beside the index',
];

test('in a market that falls accounts fail by the rules, in every way there is, and it ends', () => {
  const missing = new Set(LINES);
  // Which seed causes what changes with every change of the run: as many as needed.
  const { first, least, most } = CRISIS_SEEDS;
  for (let seed = first; seed <= most && (seed <= least || missing.size > 0); seed++) {
    const { seen, failure } = crisis(seed, CRISIS_STEPS);
    expect(failure?.differences, `seed ${seed}, command ${failure?.at}`).toBeUndefined();
    for (const line of seen.keys()) missing.delete(line);
  }
  expect([...missing]).toEqual([]);
});
