import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockVenue } from './venue-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'venue-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a start waits for a holder that is ending', async () => {
  const release = await lockVenue(directory);
  let pauses = 0;
  const second = await lockVenue(directory, async () => {
    if (++pauses === 7) release();
  });
  expect(pauses).toBe(7);
  second();
});

test('after five seconds of waiting the refusal names the holder', async () => {
  const release = await lockVenue(directory);
  let waitedMs = 0;
  const refused = lockVenue(directory, async (ms) => {
    waitedMs += ms;
  });
  await expect(refused).rejects.toThrow(`is held by process ${process.pid} on `);
  expect(waitedMs).toBe(5_000);
  release();
});

test('a lock that cannot be opened is named', async () => {
  mkdirSync(join(directory, 'venue.lock'));
  await expect(lockVenue(directory)).rejects.toThrow(
    `${join(directory, 'venue.lock')} cannot be opened: unable to open database file`,
  );
});

test.skipIf(process.platform !== 'linux')(
  'a folder that the system refuses to create is an error, not an endless attempt',
  async () => {
    await expect(lockVenue('/proc/venue/data')).rejects.toThrow("mkdir '/proc/venue'");
  },
);

test('a file where the folder should be is an error', async () => {
  const file = join(directory, 'data');
  writeFileSync(file, '');
  await expect(lockVenue(file)).rejects.toThrow('data is a file: the data of a venue is');
});

test.skipIf(process.platform !== 'linux')(
  'a venue of the first version keeps the directory while it runs, not after it was killed',
  async () => {
    const began = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    const boot = execFileSync('cat', ['/proc/sys/kernel/random/boot_id']).toString().trim();
    const file = join(directory, 'journal', 'lock');
    mkdirSync(join(directory, 'journal'));
    writeFileSync(file, `${process.pid} ${boot}/${began?.[19]}\n`);
    await expect(lockVenue(directory, async () => undefined)).rejects.toThrow('earlier version');
    // The same pid, but a process that began at another time.
    writeFileSync(file, `${process.pid} ${boot}/1\n`);
    (await lockVenue(directory))();
    expect(existsSync(file)).toBe(false);
  },
);
