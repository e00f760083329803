import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PROGRAM } from '../../scripts/started-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-lock-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `dev` and resolves with its output: that it is open, or why it is not. */
async function dev(data: string, ...more: string[]) {
  const args = [PROGRAM, 'dev', '--port', '0', '--data', data, '--market', 'off', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  const baseUrl = await new Promise<string | undefined>((resolve) => {
    const collect = (text: Buffer): void => {
      output += text.toString();
      const open = /Rialto is open: (\S+)/.exec(output)?.[1];
      if (open !== undefined) resolve(open);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('exit', () => resolve(undefined));
  });
  return { child, baseUrl, output };
}

const stopped = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });

test('a running venue is neither reset nor started twice', async () => {
  const data = join(folder, 'running');
  const { child, baseUrl } = await dev(data);
  const identity = readFileSync(join(data, 'venue.json'), 'utf8');
  const [reset, second] = await Promise.all([dev(data, '--reset'), dev(data)]);
  for (const refused of [reset, second]) {
    expect(refused.baseUrl).toBeUndefined();
    expect(refused.output).toContain(`venue.lock is held by process ${child.pid} on `);
  }
  expect(readFileSync(join(data, 'venue.json'), 'utf8')).toBe(identity);
  expect((await fetch(`${baseUrl}/v3/time`)).status).toBe(200);
  expect(await stopped(child)).toBe(0);
});

test('a venue started in the moment after kill -9 is open', async () => {
  const data = join(folder, 'killed');
  let venue = await dev(data);
  for (let kill = 0; kill < 3; kill++) {
    // Does not wait for the killed process: the next is started while it dies.
    venue.child.kill('SIGKILL');
    venue = await dev(data);
    expect(venue.baseUrl, venue.output).toBeDefined();
  }
  expect(await stopped(venue.child)).toBe(0);
});
