import { expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { writeAll } from './files.ts';

const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

/** Writes one synced and one unsynced kilobyte; the file's name is synced. */
async function diskWithUnsynced(seed: number): Promise<FaultyFiles> {
  const files = new FaultyFiles({ seed });
  const file = files.open('/d/a', 'create');
  writeAll(file, bytes(1024, 1), 0);
  await file.fsync();
  await files.fsyncDirectory('/d');
  writeAll(file, bytes(1024, 2), 1024);
  files.open('/d/b', 'create');
  return files;
}

test('a crash keeps what was synced and tears the rest, each way for some seed', async () => {
  const fates = new Set<string>();
  for (let seed = 0; seed < 100; seed++) {
    const files = await diskWithUnsynced(seed);
    files.crash();
    const content = files.contents('/d/a');
    expect(content.subarray(0, 1024)).toEqual(bytes(1024, 1));
    const kept = content.subarray(1024).filter((byte) => byte === 2).length;
    fates.add(kept === 0 ? 'lost' : kept === 1024 ? 'kept' : 'torn');
    fates.add(files.list('/d').includes('b') ? 'name kept' : 'name lost');
  }
  expect([...fates].sort()).toEqual(['kept', 'lost', 'name kept', 'name lost', 'torn']);
});

test('the same seed crashes the same way', async () => {
  const [one, two] = [await diskWithUnsynced(7), await diskWithUnsynced(7)];
  one.crash();
  two.crash();
  expect(one.contents('/d/a')).toEqual(two.contents('/d/a'));
});

test('what a failed sync covered is seen, and never becomes durable by a later sync', async () => {
  const files = await diskWithUnsynced(1);
  const file = files.open('/d/a', 'change');
  files.fault = { call: files.calls + 1, code: 'EIO' };
  await expect(file.fsync()).rejects.toThrow(/EIO/);
  await file.fsync();
  expect(files.contents('/d/a').length).toBe(2048);
  files.crash();
  expect(files.contents('/d/a')).toEqual(bytes(1024, 1));
});

test('a file opened before a crash is dead after it, and its lock is free', async () => {
  const files = await diskWithUnsynced(1);
  const file = files.open('/d/a', 'change');
  files.lock('/d/lock');
  expect(() => files.lock('/d/lock')).toThrow(/held by process/);
  files.crash();
  expect(() => file.write(bytes(1, 1), 0)).toThrow(/EBADF/);
  files.lock('/d/lock')();
});
