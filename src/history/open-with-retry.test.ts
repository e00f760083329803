import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { prepareHistory } from './open.ts';
import { openWithRetry } from './open-with-retry.ts';
import { HistoryFailed, HistoryRefused } from './refused.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A place for history whose disk is not available yet. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'open-'));
  folders.push(folder);
  const disk = join(folder, 'disk');
  const file = join(disk, 'history.db');
  const history = await openWithRetry({ file, stamp: 's', after: () => () => undefined });
  return { disk, file, history };
}

const query = { accounts: [], fromMs: 0, toMs: 1, limit: 1 } as never;

test('a history that cannot be opened refuses reads and nothing else, and is opened when it can be', async () => {
  const { disk, file, history } = await setUp();
  await expect(prepareHistory({ file, stamp: 's' })).rejects.toThrow(HistoryFailed);
  expect(history.trouble).toBe('it cannot be opened');
  expect([history.sequence, await history.reached(1, 1_000)]).toEqual([0, false]);
  await expect(history.transfers(query)).rejects.toThrow(HistoryRefused);
  // The disk appears, the projector creates the file and reports it.
  mkdirSync(disk);
  await prepareHistory({ file, stamp: 's' });
  history.advanced(0);
  expect(history.trouble).toBeUndefined();
  expect(await history.transfers(query)).toEqual([]);
  history.halted('the disk is full');
  expect(history.trouble).toBe('the disk is full');
  expect(await history.reached(1, 1_000)).toBe(false);
  history.advanced(3);
  expect(history.trouble).toBeUndefined();
  expect(await history.reached(3, 1_000)).toBe(true);
  await history.close();
  await history.close();
});

test('a read that waits for a history that halts ends immediately', async () => {
  const { disk, file, history } = await setUp();
  mkdirSync(disk);
  await prepareHistory({ file, stamp: 's' });
  history.advanced(0);
  await history.transfers(query);
  const waiting = history.reached(5, 60_000);
  history.halted('the disk is full');
  expect(await waiting).toBe(false);
  await history.close();
});

test('a foreign or damaged one is refused at once', async () => {
  const { disk, file } = await setUp();
  mkdirSync(disk);
  writeFileSync(file, 'a note somebody left here, long enough to be taken for a header of one');
  const open = () => openWithRetry({ file, stamp: 's', after: () => () => undefined });
  await expect(open()).rejects.toThrow(HistoryRefused);
});
