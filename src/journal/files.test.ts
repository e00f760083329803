import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from './files.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'rialto-files-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true });
});

test('a folder is created with its missing parents, which are returned from the outermost on', () => {
  const inner = join(folder, 'a', 'b');
  expect(makeFolder(inner)).toEqual([join(folder, 'a'), inner]);
  expect(makeFolder(inner)).toEqual([]);
});

test('the search for a parent that is there ends at the root: a drive may be missing', () => {
  let looks = 0;
  vi.spyOn(fs, 'existsSync').mockImplementation(() => {
    if (++looks > 100) throw new Error('it looks for ever');
    return false;
  });
  expect(makeFolder(join(folder, 'a'))).toEqual([join(folder, 'a')]);
});
