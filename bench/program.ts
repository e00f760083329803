import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../scripts/started-program.ts';
import type { Handout } from '../src/cli/handout.ts';

export type Venue = {
  readonly child: ChildProcess;
  readonly handout: Handout;
  readonly port: number;
  readonly directory: string;
};

/**
 * Orders before the first figure, in steps: half of the cost of the first 20,000 is compilation, and a
 * signature is valid for only a minute.
 */
export const WARM_UP = { orders: 10_000, steps: 8 };

/** The start script gives a benchmark the runtime's flags that it gives the program. */
export const runtimeFlags = (): string[] => process.execArgv;

/** The program, as users start it, with an empty venue in a temporary directory. */
export async function startVenue(
  nodeFlags: readonly string[] = [],
  args: readonly string[] = [],
  folder = tmpdir(),
): Promise<Venue> {
  const directory = mkdtempSync(join(folder, 'rialto-bench-'));
  const file = join(directory, 'handout.json');
  const options = ['--port', '0', '--data', join(directory, 'data'), '--handout', file];
  const child = spawn(
    process.execPath,
    [
      ...[...runtimeFlags(), ...nodeFlags, PROGRAM, 'dev', ...options],
      ...['--market', 'off', '--log', 'error', ...args],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  for (let waitedMs = 0; !existsSync(file); waitedMs += 50) {
    if (waitedMs > 30_000 || child.exitCode !== null) throw new Error('the venue did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const handout = JSON.parse(readFileSync(file, 'utf8')) as Handout;
  return { child, handout, port: Number(new URL(handout.baseUrl).port), directory };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** CPU time of the process so far, user and system, all threads; NaN except on Linux. */
export function cpuMicroseconds({ pid }: { readonly pid?: number | undefined }): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The name in brackets may contain spaces; utime and stime are the 14th and 15th field.
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time of its main thread, which serves everybody; NaN if the kernel does not report it. */
export function mainThreadMs({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  if (!existsSync(file)) return Number.NaN;
  return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
}
