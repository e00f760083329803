import { expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { JournalFailure } from './journal.ts';
import { appendNext, expectEntries } from './journal-contract.ts';
import { openSegmentReader } from './segment-reader.ts';
import { openSegments, type Segments } from './segments.ts';

const SEGMENT_BYTES = 4096;

/** A journal on a disk in memory; its timer is run by hand. */
async function setUp() {
  const files = new FaultyFiles();
  const waiting: (() => void)[] = [];
  const troubles: string[] = [];
  const journal = await openSegments({
    directory: '/venue',
    stamp: 's',
    segmentBytes: SEGMENT_BYTES,
    files,
    onTrouble: (words) => troubles.push(words),
    later: (run) => waiting.push(run),
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  /** Time passes: postponed work is tried again. */
  const pass = async (): Promise<void> => {
    for (const run of waiting.splice(0)) run();
    await settle();
  };
  return { files, journal, troubles, settle, pass };
}

const segmentsIn = (files: FaultyFiles): number =>
  files.list('/venue').filter((name) => name.endsWith('.journal')).length;

async function appendUntilRoll(journal: Segments, files: FaultyFiles): Promise<void> {
  const before = segmentsIn(files);
  while (segmentsIn(files) === before) await appendNext(journal, 5);
}

test('with no descriptor left a journal goes on, and rolls when there is one again', async () => {
  const { files, journal, troubles, settle, pass } = await setUp();
  await appendUntilRoll(journal, files);
  await settle();
  // None is left, and the one that a roll releases is taken by another immediately.
  files.descriptorsFree = -1;
  // The open files are enough for this segment and the next.
  await appendUntilRoll(journal, files);
  await settle();
  expect(journal.spareFailure).toContain('EMFILE');
  expect(troubles).toEqual([
    'the next segment of /venue cannot be made ready: EMFILE: too many open files',
  ]);
  // Then it waits instead of failing.
  let rolled = false;
  const roll = appendUntilRoll(journal, files).then(() => {
    rolled = true;
  });
  for (let second = 0; second < 10; second++) await pass();
  expect(rolled).toBe(false);
  files.descriptorsFree = 5;
  await pass();
  await roll;
  for (let second = 0; second < 3; second++) await pass();
  expect(journal.spareFailure).toBeUndefined();
  expectEntries(journal.read(1), 1, journal.lastSequence);
  await journal.close();
  expect(files.descriptorsFree).toBeGreaterThan(5);
});

test('a full disk is reported, leaves no half segment, and is retried', async () => {
  const { files, journal, troubles, settle, pass } = await setUp();
  await appendUntilRoll(journal, files);
  await settle();
  files.bytesFree = SEGMENT_BYTES - 1;
  await appendUntilRoll(journal, files);
  await settle();
  expect(journal.spareFailure).toContain('ENOSPC');
  expect(files.list('/venue')).not.toContain('next.spare');
  await pass();
  await pass();
  expect(troubles).toHaveLength(1);
  files.bytesFree = 10 * SEGMENT_BYTES;
  await pass();
  expect(journal.spareFailure).toBeUndefined();
  expect(troubles.at(-1)).toBe('the next segment of /venue is ready again');
  await appendUntilRoll(journal, files);
  expectEntries(journal.read(1), 1, journal.lastSequence);
  await journal.close();
});

test('a journal that needs a segment and has no room for it fails, and loses nothing', async () => {
  const { files, journal, settle } = await setUp();
  await appendUntilRoll(journal, files);
  await settle();
  files.bytesFree = 0;
  const until = async (): Promise<void> => {
    for (;;) await appendNext(journal, 5);
  };
  await expect(until()).rejects.toBeInstanceOf(JournalFailure);
  const { lastSequence } = journal;
  await journal.close();
  files.bytesFree = Number.POSITIVE_INFINITY;
  const again = await openSegments({ directory: '/venue', stamp: 's', files });
  expect(again.lastSequence).toBe(lastSequence);
  expectEntries(again.read(1), 1, lastSequence);
  await again.close();
});

test('a follower that reads on needs no descriptor, and one for each new segment', async () => {
  const { files, journal } = await setUp();
  const reader = openSegmentReader({ directory: '/venue', files });
  await appendNext(journal, 5);
  expectEntries(reader.read(1, 5), 1, 5);
  files.descriptorsFree = 0;
  await appendNext(journal, 5);
  expectEntries(reader.read(6, 10), 6, 10);
  await appendUntilRoll(journal, files);
  const last = journal.lastSequence;
  expect(() => [...reader.read(11, last)]).toThrow('EMFILE');
  files.descriptorsFree = 1;
  expectEntries(reader.read(11, last), 11, last);
  reader.close();
});
