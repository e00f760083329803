import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannedRun } from '../simulation/ci-runs.ts';

/** The result of a check on a faulty venue: where the fault was found, or that it was not. */
export type Verdict =
  | { readonly kind: 'found'; readonly where: string; readonly detail: string }
  | { readonly kind: 'missed' }
  /** It is not a fault of a rule: the program does not even load. */
  | { readonly kind: 'broken'; readonly detail: string };

/** Suites of the core that take a second or two each. */
const FAST_SUITES = [
  'src/core/book/book.test.ts',
  'src/core/book/match.test.ts',
  'src/core/book/stops.test.ts',
  'src/core/commands',
  'src/core/liquidation',
  'src/core/memory',
  'src/core/risk',
  'src/core/trading',
  'src/core/wallet',
  'src/core/views/views.test.ts',
  'src/core/venue.property.test.ts',
  'test/idle',
  'test/simulation',
  'test/risk',
];
const REPORT = 'report.json';

/** Runs the simulator in the copy: the given runs, or those of every test run, until one finds the fault. */
export async function checkByRuns(
  folder: string,
  secondsMax: number,
  runs?: readonly PlannedRun[],
): Promise<Verdict> {
  const args = [
    'test/mutations/runs-hold.ts',
    ...(runs === undefined ? [] : [JSON.stringify(runs)]),
  ];
  const { status, output } = await run(folder, args, secondsMax);
  if (status === 0) return { kind: 'missed' };
  if (status === undefined) return endless(secondsMax);
  const found = foundByRun(output);
  if (found === undefined || isLoadFault(found.differences[0] ?? '')) {
    return { kind: 'broken', detail: (found?.differences[0] ?? output).slice(-500) };
  }
  return { kind: 'found', where: found.where, detail: oneLine(found.differences) };
}

type Found = { readonly where: string; readonly differences: readonly string[] };

function foundByRun(output: string): Found | undefined {
  const last = output.trim().split('\n').at(-1) ?? '';
  return last.startsWith('{"where"') ? (JSON.parse(last) as Found) : undefined;
}

/** Runs the fast suites in the copy, until a test fails. */
export async function checkByTests(folder: string, secondsMax: number): Promise<Verdict> {
  rmSync(join(folder, REPORT), { force: true });
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', ...FAST_SUITES];
  const report = ['--reporter', 'json', '--outputFile', REPORT, '--maxWorkers', '1'];
  const { status, output } = await run(folder, [...vitest, ...report], secondsMax);
  if (status === 0) return { kind: 'missed' };
  if (status === undefined) return endless(secondsMax);
  const failed = failedTest(folder);
  if (failed === undefined || isLoadFault(failed.message)) {
    return { kind: 'broken', detail: (failed?.message ?? output).slice(-500) };
  }
  return { kind: 'found', where: failed.name, detail: oneLine([failed.message]) };
}

type Report = {
  readonly testResults: readonly {
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

function failedTest(
  folder: string,
): { readonly name: string; readonly message: string } | undefined {
  const { testResults } = JSON.parse(readFileSync(join(folder, REPORT), 'utf8')) as Report;
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  if (failed === undefined) return undefined;
  return { name: `"${failed.fullName}"`, message: failed.failureMessages[0] ?? '' };
}

const endless = (secondsMax: number): Verdict => ({
  kind: 'found',
  where: 'it does not end',
  detail: `stopped after ${secondsMax} s`,
});

/** A mutation that does not fit into the code proves nothing. */
const isLoadFault = (message: string): boolean => /\b(Syntax|Reference)Error\b/.test(message);

const oneLine = (differences: readonly string[]): string =>
  differences.join(' ').replaceAll(/\s+/g, ' ').slice(0, 300);

/** An undefined status: it took too long and was killed. */
function run(
  folder: string,
  args: readonly string[],
  secondsMax: number,
): Promise<{ readonly status: number | undefined; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const stopper = setTimeout(() => child.kill('SIGKILL'), secondsMax * 1_000);
    const stop = (): void => {
      child.kill('SIGKILL');
    };
    process.once('exit', stop);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(stopper);
      process.off('exit', stop);
      resolve({ status: code ?? undefined, output });
    });
  });
}
