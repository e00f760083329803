import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { plainSecrets } from '../../test/support/plain-secrets.ts';
import { openProjector } from '../history/projector.ts';
import { demoGenesis } from '../sandbox/demo.ts';
import { verifyData } from '../verify-data.ts';
import { advance, cursorAt, want } from './cursors.ts';
import { openEventLog } from './event-log.ts';
import type { Retention } from './retention.ts';
import { type RunningEngine, startEngine } from './start.ts';
import { verifyVenue } from './verify.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-retention-'));
  folders.push(folder);
  return folder;
}

const retentionOf = (directory: string, more: Partial<Retention> = {}): Retention => ({
  action: 'archive',
  folder: join(directory, 'archive'),
  mayBeMade: true,
  journalBytes: 0,
  eventBytes: 0,
  snapshots: 2,
  ...more,
});

async function start(
  directory: string,
  retention: Retention,
  troubles: string[] = [],
): Promise<RunningEngine> {
  const running = await startEngine({
    directory,
    venueId: 'mine',
    segmentBytes: 8 * 1024,
    snapshotEvery: 100,
    retention,
    retainEveryMs: 10,
    onTrouble: (words) => troubles.push(words),
    onFailure: (reason) => {
      throw reason;
    },
  });
  if (running.recovered.sequence === 0) await running.engine.submit(demoGenesis(plainSecrets()));
  return running;
}

/** A hundred at a time, each followed before the next, so that there is a snapshot of each. */
async function ticks({ engine, cursors }: RunningEngine, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const some = Array.from({ length: Math.min(100, left) }, () => engine.submit({ kind: 'tick' }));
    await Promise.all(some);
    want(cursors, engine.releasedSequence);
    await until(() => cursorAt(cursors, 'eventLog') === engine.releasedSequence);
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const segments = (...path: string[]): string[] =>
  existsSync(join(...path))
    ? readdirSync(join(...path)).filter((name) => name.includes('.journal'))
    : [];
const firstOf = (directory: string, part: string): number =>
  Math.min(...segments(directory, part).map((name) => Number(name.slice(0, 20))));

test('what no start and no reader needs is archived, and everything is proven from the first entry on', async () => {
  const directory = newFolder();
  const running = await start(directory, retentionOf(directory));
  await ticks(running, 600);
  // History has not read anything: the event log stays, the journal goes.
  await until(() => running.retention().retired > 3);
  expect([segments(directory, 'archive', 'events'), firstOf(directory, 'events')]).toEqual([[], 1]);
  advance(running.cursors, 'history', 250);
  await until(() => segments(directory, 'archive', 'events').length > 0);
  const { digest } = running.engine.status();
  await running.stop();
  expect(firstOf(directory, 'journal')).toBeGreaterThan(1);
  expect(firstOf(directory, 'events')).toBeLessThanOrEqual(251);

  const verified = verifyVenue({ directory, venueId: 'mine' });
  expect(verified).toMatchObject({ sequence: 601, from: 0, digest, eventLog: { sequence: 601 } });
  expect(verified.eventLog.firstSequence).toBe(1);
  expect(verified.snapshotsChecked).toBe(2);

  const again = await start(directory, retentionOf(directory));
  expect(again.recovered.sequence).toBe(601);
  await ticks(again, 10);
  await again.stop();
  expect(verifyVenue({ directory, venueId: 'mine' })).toMatchObject({ sequence: 611, from: 0 });
});

test('without snapshots a start asks for what was archived, and takes it back', async () => {
  const directory = newFolder();
  const running = await start(directory, retentionOf(directory));
  await ticks(running, 300);
  await until(() => running.retention().retired > 1);
  await running.stop();
  rmSync(join(directory, 'snapshots'), { recursive: true });
  const refused = start(directory, retentionOf(directory));
  await expect(refused).rejects.toThrow(/decompress what was archived into journal/);
  for (const name of segments(directory, 'archive', 'journal')) {
    const bytes = gunzipSync(readFileSync(join(directory, 'archive', 'journal', name)));
    writeFileSync(join(directory, 'journal', name.replace('.gz', '')), bytes);
  }
  const again = await start(directory, retentionOf(directory, { journalBytes: 1e9 }));
  expect(again.recovered).toMatchObject({ sequence: 301, fromSnapshot: 0, replayed: 301 });
  await again.stop();
});

test('history is made again from the archived event log', async () => {
  const directory = newFolder();
  const running = await start(directory, retentionOf(directory));
  advance(running.cursors, 'history', 400);
  await ticks(running, 500);
  await until(() => firstOf(directory, 'events') > 1);
  const log = openEventLog(directory, running.cursors);
  const projector = await openProjector({ file: join(directory, 'history.db'), stamp: 'mine' });
  await projector.project(log.read(1, 501));
  expect(projector.sequence).toBe(501);
  await projector.close();
  await running.stop();
  writeFileSync(join(directory, 'venue.json'), '{"venueId":"mine","format":2,"begun":true}');
  expect((await Array.fromAsync(verifyData(directory))).at(-1)).toBe('balanced');
});

test('an archive that is missing stops nothing; it is logged once and tried again', async () => {
  const directory = newFolder();
  const folder = join(newFolder(), 'mounted');
  const troubles: string[] = [];
  const running = await start(
    directory,
    retentionOf(directory, { folder, mayBeMade: false }),
    troubles,
  );
  await ticks(running, 400);
  await until(() => running.retention().failures > 2);
  await ticks(running, 100);
  expect(running.retention()).toMatchObject({ retired: 0 });
  expect([troubles.length, existsSync(folder), firstOf(directory, 'journal')]).toEqual([
    1,
    false,
    1,
  ]);
  expect(troubles[0]).toContain(`trading goes on: the archive ${folder} is not there`);
  mkdirSync(folder);
  await until(() => running.retention().retired > 2);
  expect(troubles[1]).toBe('old segments are retired again');
  await running.stop();
  expect(verifyVenue({ directory, venueId: 'mine', archive: folder })).toMatchObject({ from: 0 });
  // Without the archive it is the rest that is proven, from a snapshot on.
  expect(verifyVenue({ directory, venueId: 'mine' }).from).toBeGreaterThan(100);
});

test('deleted segments are gone; the rest is proven from a snapshot on', async () => {
  const directory = newFolder();
  const running = await start(directory, retentionOf(directory, { action: 'delete' }));
  advance(running.cursors, 'history', 1_000);
  await ticks(running, 500);
  await until(() => firstOf(directory, 'events') > 1 && firstOf(directory, 'journal') > 1);
  const { digest } = running.engine.status();
  await running.stop();
  const verified = verifyVenue({ directory, venueId: 'mine' });
  expect(verified).toMatchObject({ sequence: 501, digest, audit: { faults: [] } });
  expect(verified.from).toBeGreaterThan(1);
  expect(verified.remarks.join()).toContain('what was before has been deleted');
  const again = await start(directory, retentionOf(directory, { action: 'delete' }));
  expect(again.recovered.sequence).toBe(501);
  await again.stop();
});
