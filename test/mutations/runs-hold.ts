import { CI_RUNS, CRISIS_SEEDS, CRISIS_STEPS, type PlannedRun } from '../simulation/ci-runs.ts';
import { crisis } from '../simulation/crisis.ts';
import { simulate } from '../simulation/simulate.ts';

/**
 * Started by `run.ts` in a copy of the project that has a fault: makes the simulator's runs of every test
 * run, or those listed in its argument, until one of them finds something, and prints which on its last line.
 */
const listed = process.argv[2];
if (listed !== undefined) await makeRuns(JSON.parse(listed) as readonly PlannedRun[]);
else {
  for (let seed = CRISIS_SEEDS.first; seed <= CRISIS_SEEDS.least; seed++) {
    const { failure } = crisis(seed, CRISIS_STEPS);
    if (failure !== undefined) found(`crisis ${seed}, command ${failure.at}`, failure.differences);
  }
  await makeRuns(CI_RUNS);
}

async function makeRuns(runs: readonly PlannedRun[]): Promise<void> {
  for (const run of runs) {
    const { failure } = await simulate(run);
    if (failure === undefined) continue;
    found(`seed ${run.seed}, step ${failure.step}`, failure.differences);
  }
}

function found(where: string, differences: readonly string[]): never {
  console.log(JSON.stringify({ where, differences: differences.slice(0, 3) }));
  process.exit(1);
}
