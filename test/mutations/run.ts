import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { PlannedRun } from '../simulation/ci-runs.ts';
import { checkByRuns, checkByTests, type Verdict } from './checks.ts';
import { MUTATIONS } from './list.ts';
import type { Mutation } from './mutation.ts';
import { Workshop } from './workshop.ts';

/**
 * npm run mutate -- [--only TEXT] [--checks runs,tests,long] [--seeds 20] [--steps 300] [--workers 2]
 *
 * Tries every deliberate fault of the core with the simulator's runs, then with the fast suites, then with
 * longer runs of the simulator, and prints which found it first. Fails if one is missed.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    checks: { type: 'string', default: 'runs,tests,long' },
    seeds: { type: 'string', default: '20' },
    steps: { type: 'string', default: '300' },
    workers: { type: 'string', default: '2' },
    details: { type: 'boolean', default: false },
  },
});

/** Long runs begin with another seed, so that they do not repeat the short ones. */
const FIRST_LONG_SEED = 101;
const SECONDS_MAX = 300;

const longRuns = Array.from(
  { length: Number(values.seeds) },
  (_, index): PlannedRun => ({ seed: FIRST_LONG_SEED + index, steps: Number(values.steps) }),
);
const checks: Readonly<Record<string, (folder: string) => Promise<Verdict>>> = {
  runs: (folder) => checkByRuns(folder, SECONDS_MAX),
  tests: (folder) => checkByTests(folder, SECONDS_MAX),
  long: (folder) => checkByRuns(folder, SECONDS_MAX + longRuns.length * 20, longRuns),
};

const chosen = MUTATIONS.filter(({ name, rule }) =>
  values.only.some((text) => name.includes(text) || rule.includes(text)),
);
const project = resolve(import.meta.dirname, '../..');
const workers = Math.min(2, Number(values.workers), chosen.length);
const workshops = Array.from({ length: workers }, () => new Workshop(project));
const removeAll = (): void => {
  for (const workshop of workshops) workshop.remove();
};
process.once('exit', removeAll);
// Not `once`: a second signal must not interrupt the cleanup.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const startedAt = performance.now();
const queue = [...chosen];
const rows: { readonly mutation: Mutation; readonly verdict: Verdict }[] = [];
await Promise.all(workshops.map(workThrough));
report();

async function workThrough(workshop: Workshop): Promise<void> {
  for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
    const restore = workshop.apply(mutation);
    const verdict = await judge(workshop.folder);
    restore();
    rows.push({ mutation, verdict });
    console.log(`${rows.length}/${chosen.length} ${rowText(mutation, verdict)}`);
  }
}

async function judge(folder: string): Promise<Verdict> {
  for (const name of values.checks.split(',')) {
    const verdict = await checks[name]?.(folder);
    if (verdict === undefined) throw new Error(`there is no check called ${name}`);
    if (verdict.kind !== 'missed') return verdict;
  }
  return { kind: 'missed' };
}

function rowText({ name, rule }: Mutation, verdict: Verdict): string {
  const where = verdict.kind === 'found' ? verdict.where : verdict.kind.toUpperCase();
  const showsDetail = verdict.kind === 'broken' || (verdict.kind === 'found' && values.details);
  return `${rule} | ${name} | ${where}${showsDetail ? ` | ${verdict.detail}` : ''}`;
}

function report(): void {
  console.log('\nrule | mutation | found by');
  for (const mutation of chosen) {
    const row = rows.find((one) => one.mutation === mutation);
    if (row !== undefined) console.log(rowText(mutation, row.verdict));
  }
  const notFound = rows.filter(({ verdict }) => verdict.kind !== 'found').length;
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`\n${rows.length} mutations in ${seconds} s, ${notFound} not found`);
  if (notFound > 0 || rows.length === 0) process.exitCode = 1;
}
