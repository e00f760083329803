import { expect, test, vi } from 'vitest';
import { EngineStopped } from '../engine/engine.ts';
import { openLog } from '../log.ts';
import { explained, orExplain, stopperOf } from './run.ts';

function stopped(stop: () => Promise<void>) {
  const done: string[] = [];
  const clock = { nowMs: 5_000 };
  const { log } = openLog('silent');
  const venue = {
    log,
    stop: () => {
      done.push('stop');
      return stop();
    },
    abandon: () => void done.push('abandon'),
  };
  const signal = stopperOf(
    venue,
    () => clock.nowMs,
    (code) => void done.push(`exit ${code}`),
  );
  return { signal, clock, done };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('one request to stop may come as several signals; a later one does not wait', async () => {
  let finish = (): void => undefined;
  const { signal, clock, done } = stopped(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  signal();
  clock.nowMs += 999;
  signal();
  expect(done).toEqual(['stop']);
  clock.nowMs += 1;
  signal();
  expect(done).toEqual(['stop', 'abandon', 'exit 130']);
  finish();
  await turn();
  expect(done.at(-1)).toBe('exit 0');
});

test('a stop that fails ends the process with 1', async () => {
  const { signal, done } = stopped(() => Promise.reject(new Error('no')));
  signal();
  await turn();
  expect(done).toEqual(['stop', 'exit 1']);
});

test('a command that a full disk ends says so, and not only that the engine has stopped', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ended = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const full = new Error('ENOSPC: no space left on device, write');
  await orExplain(() => Promise.reject(new EngineStopped('group of 1 from sequence 1', full)));
  await orExplain(() => Promise.reject(new EngineStopped('the venue is closing')));
  expect(said.mock.calls).toEqual([
    ['the engine has stopped: group of 1 from sequence 1: ENOSPC: no space left on device, write'],
    ['the engine has stopped: the venue is closing'],
  ]);
  expect(ended).toHaveBeenCalledWith(1);
  vi.restoreAllMocks();
});

test('a file that the user may not open or write is explained alike, whichever part of the program tried', () => {
  const refused = (syscall: string, path: string): string =>
    explained(
      Object.assign(new Error(`EACCES: permission denied, ${syscall} '${path}'`), {
        ...{ code: 'EACCES', syscall, path },
      }),
    );
  expect(refused('open', '/data/master.key')).toMatch(
    /^\/data\/master\.key cannot be opened: the user of this process \(\S+\) may not \(EACCES\): see who owns it$/,
  );
  expect(refused('mkdir', '/data')).toMatch(/^\/data cannot be written: the user of this process/);
  // Nobody's ownership: it lacks the permission to be run.
  expect(refused('spawn ./signer', './signer')).toMatch(/^EACCES: permission denied, spawn/);
});
