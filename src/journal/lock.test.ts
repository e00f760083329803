import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JournalLocked } from './journal.ts';
import { takeLock } from './lock.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), 'lock-'));
  path = join(directory, 'lock');
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const LOCK_MODULE = new URL('lock.ts', import.meta.url).href;

/** Starts another program that uses the lock; resolves when it has printed a line. */
async function started(script: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import fs from 'node:fs'; import { takeLock } from '${LOCK_MODULE}'; ${script}`,
      path,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

const HOLDING = `takeLock(process.argv[1]); console.log('held'); setInterval(() => {}, 1000);`;

test('a lock excludes a second taker of the same process and of another, and names its holder', async () => {
  const release = takeLock(path);
  expect(() => takeLock(path)).toThrow(JournalLocked);
  expect(() => takeLock(path)).toThrow(`is held by process ${process.pid} on `);
  release();
  release();
  const holder = await started(HOLDING);
  expect(() => takeLock(path)).toThrow(`is held by process ${holder.pid} on `);
  holder.kill('SIGKILL');
  await new Promise((resolve) => holder.once('exit', resolve));
  takeLock(path)();
});

test.skipIf(process.platform !== 'linux')(
  'a killed holder that nobody has reaped holds nothing',
  async () => {
    const holder = await started(HOLDING);
    process.kill(holder.pid as number, 'SIGKILL');
    // This never returns to the event loop, so nobody reaps the killed process.
    const stateOf = (): string | undefined =>
      fs.readFileSync(`/proc/${holder.pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
    // The first thread can be dead while others are still ending, and the last of them closes the files.
    const threadsLeft = (): number => fs.readdirSync(`/proc/${holder.pid}/task`).length;
    const isDead = (): boolean => stateOf() === 'Z' && threadsLeft() === 1;
    const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    for (let tries = 0; !isDead() && tries < 20_000; tries++) pause();
    expect(isDead()).toBe(true);
    const release = takeLock(path);
    expect(stateOf()).toBe('Z');
    release();
  },
);

test('in races of many processes one holds the lock at a time', async () => {
  // The lock holder creates a file that must not exist yet, and removes it before the release.
  const racers = await Promise.all(
    Array.from({ length: 6 }, () =>
      started(`
        console.log('ready');
        await new Promise((resolve) => process.stdin.once('data', resolve));
        let won = 0;
        for (let round = 0; won < 50 && round < 100_000; round++) {
          let release;
          try { release = takeLock(process.argv[1]); } catch (cause) {
            if (cause.name !== 'JournalLocked') throw cause;
            continue;
          }
          fs.closeSync(fs.openSync(process.argv[1] + '.inside', 'wx'));
          fs.unlinkSync(process.argv[1] + '.inside');
          release();
          won++;
        }
        process.exit(won === 50 ? 0 : 2);
      `),
    ),
  );
  const codes = racers.map(
    (racer) => new Promise<number | null>((resolve) => racer.once('exit', resolve)),
  );
  for (const racer of racers) racer.stdin?.write('go\n');
  expect(await Promise.all(codes)).toEqual(racers.map(() => 0));
});

test('a directory in which no lock can be made is refused with the reason', () => {
  expect(() => takeLock(join(directory, 'none', 'lock'))).toThrow(
    /none.lock cannot be opened: ENOENT/,
  );
});
