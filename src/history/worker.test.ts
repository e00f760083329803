import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { historyCursor } from './open.ts';
import { STAMP, transfersLog } from './outcomes.fixture.ts';
import type { LoggedOutcome } from './projector.ts';
import { newFile } from './store.fixture.ts';
import { type EventSource, runProjector } from './worker.ts';

test('the projector follows a growing log until it is stopped', async () => {
  const file = newFile();
  const log = transfersLog(30);
  let available = 10;
  const advanced: number[] = [];
  const waits: number[] = [];
  await runProjector({
    file,
    stamp: STAMP,
    source: { read: (from, upTo) => log.slice(from - 1, Math.min(upTo, available)) },
    waitForMore: async (sequence) => {
      waits.push(sequence);
      available = Math.min(30, available + 10);
    },
    onAdvanced: (sequence) => advanced.push(sequence),
    gather: () => Promise.resolve(),
    isStopped: () => waits.length === 4,
  });
  expect(advanced).toEqual([0, 10, 20, 30]);
  // The third wait brought nothing new, the fourth was the last.
  expect(waits).toEqual([10, 20, 30, 30]);
  expect(await historyCursor({ file })).toBe(30);
});

test('it continues after the projected rows, and does not read them again', async () => {
  const file = newFile();
  const log = transfersLog(20);
  const starts: number[] = [];
  const runTo = (available: number): Promise<void> => {
    let isStopped = false;
    return runProjector({
      file,
      stamp: STAMP,
      source: {
        read: (from, upTo) => {
          starts.push(from);
          return log.slice(from - 1, Math.min(upTo, available));
        },
      },
      waitForMore: async () => {
        isStopped = true;
      },
      onAdvanced: () => {},
      gather: () => Promise.resolve(),
      isStopped: () => isStopped,
    });
  };
  await runTo(12);
  await runTo(20);
  expect(starts).toEqual([1, 13, 13, 21]);
});

test('it notices during a long catch-up that it is stopped', async () => {
  const file = newFile();
  let isStopped = false;
  const [first] = transfersLog(1) as [LoggedOutcome];
  const empty = { ...first, bytes: first.bytes.slice(0, 8) };
  const endless: EventSource = {
    *read(from, upTo) {
      for (let sequence = from; sequence <= upTo; sequence++) yield { ...empty, sequence };
    },
  };
  setImmediate(() => {
    isStopped = true;
  });
  await runProjector({
    file,
    stamp: STAMP,
    source: endless,
    waitForMore: () => Promise.reject(new Error('there is always more')),
    onAdvanced: () => {},
    gather: () => Promise.resolve(),
    isStopped: () => isStopped,
  });
  expect(await historyCursor({ file })).toBeGreaterThan(0);
});

test('a full disk ends it with the reason, and committed rows stay', async () => {
  const file = newFile();
  const log = transfersLog(4_000);
  const { exec } = DatabaseSync.prototype;
  let opened: DatabaseSync | undefined;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    opened ??= this;
    exec.call(this, sql);
  };
  const run = runProjector({
    file,
    stamp: STAMP,
    source: { read: (from, upTo) => log.slice(from - 1, Math.min(upTo, from + 99)) },
    waitForMore: () => Promise.reject(new Error('there is more')),
    // As if the disk had room for 100 pages.
    onAdvanced: (sequence) => sequence === 0 && opened?.exec('PRAGMA max_page_count = 100'),
    gather: () => Promise.resolve(),
    isStopped: () => false,
  });
  // It has opened the file before its first wait; calls by others must not be intercepted.
  DatabaseSync.prototype.exec = exec;
  await expect(run).rejects.toThrow(/history at .*: database or disk is full/);
  const cursor = await historyCursor({ file });
  expect(cursor).toBeGreaterThan(0);
  expect(cursor % 100).toBe(0);
});

test('a log that begins too late ends it with the gap', async () => {
  const run = runProjector({
    file: newFile(),
    stamp: STAMP,
    source: { read: () => transfersLog(9).slice(4) },
    waitForMore: () => Promise.reject(new Error('it waits')),
    onAdvanced: () => {},
    gather: () => Promise.resolve(),
    isStopped: () => false,
  });
  await expect(run).rejects.toThrow(/has come to 0, but the event log goes on at 5/);
});
