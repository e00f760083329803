import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stampOf } from './engine/stamp.ts';
import {
  identityOf,
  identityOrNew,
  keepPrivate,
  refuseServed,
  writeAtomically,
} from './identity.ts';
import { openSegments } from './journal/segments.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-identity-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what an earlier version left open to others is put right, links are left alone', () => {
  const data = join(folder, 'open');
  const outside = join(folder, 'outside');
  mkdirSync(join(data, 'journal'), { recursive: true });
  writeFileSync(join(data, 'journal', 'segment'), '');
  writeFileSync(join(data, 'venue.json'), '');
  writeFileSync(outside, '');
  symlinkSync(outside, join(data, 'link'));
  const paths = ['', 'journal', 'journal/segment', 'venue.json'].map((name) => join(data, name));
  for (const path of [...paths, outside]) chmodSync(path, 0o755);
  keepPrivate(data);
  const modes = paths.map((path) => (statSync(path).mode & 0o777).toString(8));
  expect(modes).toEqual(['700', '700', '600', '600']);
  expect((statSync(outside).mode & 0o777).toString(8)).toBe('755');
});

test('a venue that cannot be looked at is not said to be missing, or in need of a copy', () => {
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => identityOf(join(folder, 'loop'))).toThrow(/venue\.json cannot be opened: ELOOP: /);
  mkdirSync(join(folder, 'odd', 'venue.json'), { recursive: true });
  expect(() => identityOf(join(folder, 'odd'))).toThrow(/venue\.json cannot be opened: EISDIR: /);
  expect(() => identityOf(join(folder, 'none'))).toThrow('holds no venue (no venue.json)');
});

test('whoever reads a lost or damaged venue.json beside a journal is told what to write into it', async () => {
  const data = join(folder, 'lost');
  const stamp = stampOf('mine');
  const journal = await openSegments({
    directory: join(data, 'journal'),
    stamp,
    segmentBytes: 4096,
  });
  await journal.append([new Uint8Array(1)], 1);
  await journal.close();
  const advice = 'bring it back from a copy, or write {"venueId":"mine","format":1} into it';
  expect(() => identityOf(data)).toThrow(
    `${data} holds a journal but no venue.json: ${advice}. If it is a copy or a restore that was cut short, ` +
      'make that again in a new directory instead',
  );
  const file = join(data, 'venue.json');
  for (const text of ['', '{', 'null', '[]', '{"format":2}']) {
    writeFileSync(file, text);
    expect(() => identityOf(data), text).toThrow(advice);
  }
  writeFileSync(file, '{"venueId":"mine","format":1}');
  expect(identityOf(data).venueId).toBe('mine');
});

test('a file that cannot be written is named, and leaves nothing beside it', () => {
  const taken = join(folder, 'taken.json');
  mkdirSync(join(taken, 'something'), { recursive: true });
  expect(() => writeAtomically(taken, 'x')).toThrow(`${taken} cannot be written: `);
  expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([]);
});

test('dev keeps away from a venue of serve, and from none else', () => {
  const served = join(folder, 'served');
  identityOrNew(served, false);
  expect(() => refuseServed(served)).toThrow('holds a venue of `serve`');
  const demo = join(folder, 'demo');
  refuseServed(demo);
  identityOrNew(demo, true);
  refuseServed(demo);
});
