import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import type { KeyIndex } from '../domain/units.ts';
import { DiskWatch, freeBytesOf } from './disk-watch.ts';

function setUp() {
  const disk = { free: 10_000 as number | undefined, spare: undefined as string | undefined };
  const notices: string[] = [];
  const watch = new DiskWatch({
    freeBytes: () => disk.free,
    spareFailure: () => disk.spare,
    limits: { warnBytes: 5_000, minBytes: 1_000 },
    onNotice: (words) => notices.push(words),
  });
  return { disk, notices, watch };
}

const by = { key: 0 as KeyIndex };
const order: Command = { kind: 'place-orders', by, source: 11, orders: [] };

test('it warns, then refuses new orders while cancels and the venue go on, then takes them again', () => {
  const { disk, notices, watch } = setUp();
  watch.check();
  disk.free = 4_999;
  watch.check();
  watch.check();
  expect(notices).toEqual(['the disk has 4999 bytes left']);
  expect(watch.refusalOf(order)).toBeUndefined();
  disk.free = 999;
  watch.check();
  expect(watch.refusalOf(order)).toBe(
    'new orders are not taken, cancels are: the disk has 999 bytes left, 1000 are the least',
  );
  expect(watch.refusalOf({ kind: 'modify-orders', by, orders: [] })).toBeDefined();
  const going: Command[] = [
    { kind: 'cancel-orders', by, orders: [] },
    { kind: 'cancel-all', by },
    { kind: 'tick' },
    { kind: 'continue' },
    { kind: 'restart' },
    { kind: 'set-index-prices', prices: [] },
  ];
  for (const command of going) expect(watch.refusalOf(command)).toBeUndefined();
  disk.free = 1_249;
  watch.check();
  expect(watch.refusalOf(order)).toBeDefined();
  disk.free = 1_250;
  watch.check();
  expect(watch.refusalOf(order)).toBeUndefined();
  disk.free = 6_000;
  watch.check();
  disk.free = 4_000;
  watch.check();
  expect(notices).toHaveLength(4);
  expect(notices.slice(2)).toEqual(['new orders are taken again', 'the disk has 4000 bytes left']);
});

test('a journal without a next segment takes no new orders, whatever the file system says', () => {
  const { disk, watch } = setUp();
  disk.spare = 'ENOSPC: no space left on device';
  watch.check();
  expect(watch.status).toEqual({
    freeBytes: 10_000,
    refusing:
      'new orders are not taken, cancels are: the journal has no next segment ' +
      '(ENOSPC: no space left on device)',
  });
});

test('a file system that does not say how full it is refuses nothing', () => {
  const { disk, notices, watch } = setUp();
  disk.free = undefined;
  watch.check();
  expect(watch.refusalOf(order)).toBeUndefined();
  expect(notices).toEqual([]);
  expect(freeBytesOf('/no/such/directory')).toBeUndefined();
  expect(freeBytesOf('.')).toBeGreaterThan(0);
});
