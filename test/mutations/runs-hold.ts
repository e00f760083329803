import type { PlannedRun } from '../simulation/ci-runs.ts';
import { simulate } from '../simulation/simulate.ts';

/**
 * Started by `run.ts` in a copy of the project that has a fault: makes the runs of the simulator that
 * its argument lists, and says on its last line which of them found something, if one did.
 */
const runs = JSON.parse(process.argv[2] ?? '[]') as readonly PlannedRun[];
for (const { seed, steps } of runs) {
  const { failure } = await simulate({ seed, steps });
  if (failure === undefined) continue;
  const { step, differences } = failure;
  console.log(JSON.stringify({ seed, step, differences: differences.slice(0, 3) }));
  process.exit(1);
}
