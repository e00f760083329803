/**
 * Several appends in flight, as on a slow disk. They are acknowledged in their order, a crash leaves a prefix of
 * them that has everything acknowledged, and what was torn beside a whole record is cut only if both were in
 * flight together.
 */
import { describe, expect, test } from 'vitest';
import { FaultyFiles, type FaultyFilesOptions } from './faulty-files.fixture.ts';
import { JournalDamaged, JournalFailure, JournalFence } from './journal.ts';
import { appendNext, entriesFrom, entryOf, expectEntries } from './journal-contract.ts';
import { decodeRecord, IN_FLIGHT_BYTES_MAX, recordBytesAt, recordBytesOf } from './record.ts';
import { readHeader, segmentName } from './segment-header.ts';
import { openSegments, type Segments } from './segments.ts';
import { verifySegments } from './verify.ts';

const DIRECTORY = '/journal';
const SEGMENT_BYTES = 4096;
const APPENDS_MAX = 3;
const SLOW = {
  isOnThread: () => false,
  appendsMax: () => APPENDS_MAX,
  overlapped: () => undefined,
  took: () => undefined,
};

const open = (files: FaultyFiles, segmentBytes = SEGMENT_BYTES): Promise<Segments> =>
  openSegments({ directory: DIRECTORY, stamp: 'test', segmentBytes, files, pace: SLOW });

const slowDisk = (options: FaultyFilesOptions = {}): FaultyFiles =>
  new FaultyFiles({ slowSyncs: true, ...options });

/** Appends groups without waiting for those before; `onAcknowledged` gets the last sequence of each. */
function appendAll(
  journal: Segments,
  groups: readonly number[],
  onAcknowledged: (last: number) => void = () => undefined,
): Promise<unknown>[] {
  let next = journal.lastSequence + 1;
  return groups.map((count) => {
    const appended = journal.append(entriesFrom(next, count), next);
    next += count;
    const last = next - 1;
    return appended.then(() => onAcknowledged(last));
  });
}

test('appends are acknowledged in their order, and each only when it is durable', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const files = slowDisk({ seed });
    const journal = await open(files);
    await appendNext(journal, 2);
    const acknowledged: number[] = [];
    const appended = appendAll(journal, [3, 1, 4], (last) => {
      acknowledged.push(last);
      expect(journal.lastSequence).toBe(last);
      expectEntries(journal.read(1), 1, last);
      // Power lost now: what was acknowledged is on the disk.
      if (last === 6) files.crash();
    });
    await Promise.allSettled(appended);
    expect(acknowledged.slice(0, 2)).toEqual([5, 6]);
    await journal.close().catch(() => undefined);
    const again = await open(files);
    expect(again.lastSequence).toBeGreaterThanOrEqual(6);
    expectEntries(again.read(1), 1, again.lastSequence);
    await again.close();
  }
});

test('more than the disk should take, or out of order, is refused and changes nothing', async () => {
  const journal = await open(slowDisk());
  await appendNext(journal, 2);
  const appended = appendAll(journal, [1, 1, 1]);
  await expect(journal.append([entryOf(6)], 6)).rejects.toThrow(JournalFence);
  expect(() => journal.appendNow([entryOf(6)], 6)).toThrow(JournalFence);
  await Promise.all(appended);
  const [first] = appendAll(journal, [2]);
  for (const expected of [5, 6, 7, 9]) {
    await expect(journal.append([entryOf(expected)], expected)).rejects.toThrow(JournalFence);
  }
  // While one is in flight none is written on this thread.
  expect(journal.appendNow([entryOf(8)], 8)).toBe(false);
  await first;
  expectEntries(journal.read(1), 1, 7);
  await journal.close();
});

test('a new segment waits for what is in flight, and nothing overtakes it', async () => {
  const files = slowDisk();
  const journal = await open(files);
  let last = 0;
  for (let round = 0; round < 60; round++) {
    // As many as it takes: none beside one that waits.
    const appended: Promise<void>[] = [];
    while (appended.length < journal.appendsMax) {
      const count = 1 + (last % 7);
      appended.push(journal.append(entriesFrom(last + 1, count), last + 1));
      last += count;
    }
    await Promise.all(appended);
    expect(journal.lastSequence).toBe(last);
  }
  expectEntries(journal.read(1), 1, last);
  expect(journal.verifyAll()).toMatchObject({ lastSequence: last, chain: journal.chain });
  expect(files.list(DIRECTORY).length).toBeGreaterThan(5);
  await journal.close();
  const again = await open(files);
  expect([again.chain, again.opened.cut]).toEqual([journal.chain, undefined]);
  await again.close();
});

test('what may stand before a record without being durable is bounded', async () => {
  const files = slowDisk();
  const journal = await open(files, 8 * 1024 * 1024);
  await appendNext(journal);
  const large = new Uint8Array(IN_FLIGHT_BYTES_MAX);
  const appended = [journal.append([large], 2), journal.append([entryOf(3)], 3)];
  // The second waits for the first, and a third for both.
  expect(journal.appendsMax).toBe(1);
  await expect(journal.append([entryOf(4)], 4)).rejects.toThrow(JournalFence);
  await Promise.all(appended);
  expect([journal.lastSequence, journal.appendsMax]).toEqual([3, APPENDS_MAX]);
  await journal.close();
  expect(verifySegments({ directory: DIRECTORY, files }).lastSequence).toBe(3);
});

test('without a free descriptor appends wait for each other, and nothing fails', async () => {
  const files = slowDisk();
  const journal = await open(files);
  await appendNext(journal);
  await settled();
  files.descriptorsFree = 0;
  const appended = appendAll(journal, [1, 1]);
  expect(journal.appendsMax).toBe(1);
  await Promise.all(appended);
  files.descriptorsFree = 10;
  await Promise.all(appendAll(journal, [1, 1, 1]));
  expectEntries(journal.read(1), 1, 6);
  await journal.close();
  expect(files.descriptorsFree).toBeGreaterThanOrEqual(10);
});

/** How far a writer got: everything up to the first was promised, nothing beyond the second was requested. */
type Course = { acknowledged: number; attempted: number; journal?: Segments; failure?: unknown };

/** Three groups at a time, within a segment and across some; restarts. */
async function live(files: FaultyFiles): Promise<Course> {
  const course: Course = { acknowledged: 0, attempted: 0 };
  try {
    for (const batches of [
      [
        [1, 3, 10],
        [12, 2, 5],
        [20, 1],
      ],
      [[4], [30, 2], [1, 1, 1]],
      [[9, 9]],
    ]) {
      const journal = await open(files);
      course.journal = journal;
      for (const batch of batches) {
        const appended: Promise<void>[] = [];
        for (const count of batch) {
          if (appended.length >= journal.appendsMax) await Promise.all(appended.splice(0));
          const next = course.attempted + 1;
          course.attempted += count;
          const last = course.attempted;
          const one = journal.append(entriesFrom(next, count), next).then(() => {
            // In order, and nothing after a failure.
            expect(course.acknowledged).toBe(next - 1);
            course.acknowledged = last;
          });
          one.catch(() => undefined);
          appended.push(one);
        }
        await Promise.all(appended);
      }
      await journal.close();
    }
  } catch (failure) {
    course.failure = failure;
    // What was in flight beside the one that failed settles too.
    await course.journal?.close().catch(() => undefined);
  }
  return course;
}

async function expectSurvived(files: FaultyFiles, course: Course): Promise<number> {
  const journal = await open(files);
  const last = journal.lastSequence;
  expect(last).toBeGreaterThanOrEqual(course.acknowledged);
  expect(last).toBeLessThanOrEqual(course.attempted);
  expectEntries(journal.read(1), 1, last);
  if (last > 0) expect(journal.verifyAll()).toMatchObject({ firstSequence: 1, lastSequence: last });
  await appendNext(journal, 3);
  await journal.close();
  return last + 3;
}

/** A life for each seed and each call of the disk, at which `plant` makes it fail; then `check`. */
async function everyLife(
  seeds: number,
  plant: (files: FaultyFiles, call: number) => void,
  check: (files: FaultyFiles, course: Course) => Promise<void>,
): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) {
    for (let call = 1; ; call++) {
      const files = slowDisk({ seed: 1_000 * seed + call });
      plant(files, call);
      const course = await live(files);
      if (files.calls < call) break;
      await check(files, course);
    }
  }
}

const failAt = (files: FaultyFiles, call: number): void => {
  files.fault = { call, code: 'EIO' };
};
const losePowerAt = (files: FaultyFiles, call: number): void => {
  files.stopAtCall = call;
};

/** What a failed fsync covered looks written: it must be there after a loss of power too. */
async function expectSurvivedTwice(files: FaultyFiles, course: Course): Promise<void> {
  const last = await expectSurvived(files, course);
  files.crash();
  await expectSurvived(files, { acknowledged: last, attempted: last });
}

test('a failure at any write or sync loses nothing acknowledged and acknowledges nothing after', async () => {
  let failedAppends = 0;
  await everyLife(5, failAt, async (files, course) => {
    if (course.failure instanceof JournalFailure) failedAppends++;
    await expectSurvivedTwice(files, course);
  });
  expect(failedAppends).toBeGreaterThan(80);
});

test('a failed fsync loses nothing acknowledged when power is lost right after it', async () => {
  let failed = 0;
  await everyLife(10, failAt, async (files, course) => {
    if (course.failure instanceof JournalFailure) failed++;
    files.crash();
    await expectSurvived(files, course);
  });
  expect(failed).toBeGreaterThan(150);
});

test('power lost at any call, with writes in flight kept, lost or torn, keeps all acknowledged', async () => {
  let cuts = 0;
  await everyLife(5, losePowerAt, async (files, course) => {
    files.crash();
    const probe = await open(files);
    if (probe.opened.cut !== undefined) cuts++;
    await probe.close();
    await expectSurvivedTwice(files, course);
  });
  expect(cuts).toBeGreaterThan(25);
});

test('a start that fails while it cuts leaves nothing that a later one would meet', async () => {
  let failedStarts = 0;
  for (let seed = 1; seed <= 120; seed++) {
    for (let call = 1; ; call++) {
      const files = slowDisk({ seed });
      const journal = await open(files);
      await appendNext(journal, 2);
      const appended = appendAll(journal, [2, 2, 2]);
      const settledAppends = Promise.allSettled(appended);
      files.crash();
      await settledAppends;
      await journal.close().catch(() => undefined);
      files.fault = { call: files.calls + call, code: 'EIO' };
      const failed = await open(files).catch(() => undefined);
      if (failed === undefined) failedStarts++;
      await failed?.close().catch(() => undefined);
      const isOver = files.fault !== undefined && files.calls < files.fault.call;
      files.fault = undefined;
      const again = await open(files);
      // In the place of what was cut, and of its size.
      await appendNext(again, 2);
      const { lastSequence } = again;
      files.crash();
      await again.close().catch(() => undefined);
      const last = await open(files);
      expect(last.lastSequence).toBe(lastSequence);
      expectEntries(last.read(1), 1, lastSequence);
      await last.close();
      if (isOver) break;
    }
  }
  expect(failedStarts).toBeGreaterThan(100);
});

test('closing waits for all that is in flight, also when a later one has failed', async () => {
  let failed = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const files = slowDisk({ seed });
    const journal = await open(files);
    await appendNext(journal, 2);
    await settled();
    // The writes of both, then their fsyncs in either order: the first to end fails.
    files.fault = { call: files.calls + 3, code: 'EIO' };
    const [first, second] = appendAll(journal, [1, 1]) as [Promise<unknown>, Promise<unknown>];
    const secondFailed = second.then(
      () => false,
      () => true,
    );
    let isFirstSettled = false;
    const firstEnded = first.then(
      () => {
        isFirstSettled = true;
      },
      (cause: unknown) => {
        isFirstSettled = true;
        // Not because its file was closed under it.
        expect((cause as JournalFailure).cause).toMatchObject({ code: 'EIO' });
      },
    );
    expect(await secondFailed).toBe(true);
    if (!isFirstSettled) failed++;
    await journal.close();
    expect(isFirstSettled).toBe(true);
    await firstEnded;
  }
  expect(failed).toBeGreaterThan(5);
});

describe('the last records, of which three were in flight together', () => {
  const path = `${DIRECTORY}/${segmentName(1)}`;

  /** Groups of two entries: three one by one, then three together. */
  async function written(): Promise<{ files: FaultyFiles; starts: number[] }> {
    const files = new FaultyFiles({ slowSyncs: true });
    const journal = await open(files);
    for (let count = 0; count < 3; count++) await appendNext(journal, 2);
    await Promise.all(appendAll(journal, [2, 2, 2]));
    await journal.close();
    const bytes = files.contents(path);
    const { salt } = readHeader(files.open(path, 'read'), path, 1);
    const starts: number[] = [];
    const inFlight: number[] = [];
    for (let at = 512; ; ) {
      const length = recordBytesAt(bytes.subarray(at)) ?? 0;
      if (length === 0) break;
      const group = decodeRecord(bytes.subarray(at, at + length), salt);
      if (typeof group === 'string') throw new Error(group);
      starts.push(at);
      inFlight.push(group.inFlightBytes);
      at += length;
    }
    const [, , , fourth = 0, fifth = 0, sixth = 0] = starts;
    expect(inFlight).toEqual([0, 0, 0, 0, fifth - fourth, sixth - fourth]);
    return { files, starts };
  }

  test('a bit flipped in one of them cuts it and what follows; in an earlier one it is refused', async () => {
    const { files, starts } = await written();
    const bytes = files.contents(path);
    const end = (starts.at(-1) as number) + recordBytesOf(entriesFrom(11, 2));
    for (let offset = 512; offset < end; offset++) {
      const damaged = bytes.slice();
      damaged[offset] = (damaged[offset] as number) ^ (1 << (offset % 8));
      const copy = new FaultyFiles();
      copy.setContents(path, damaged);
      const index = starts.findLastIndex((start) => start <= offset);
      if (index < 3) {
        await expect(open(copy)).rejects.toThrow(JournalDamaged);
        continue;
      }
      const journal = await open(copy);
      expect(journal.lastSequence).toBe(2 * index);
      expect(journal.opened.cut).toMatchObject({ file: path, offset: starts[index] });
      expectEntries(journal.read(1), 1, 2 * index);
      await appendNext(journal, 3);
      await journal.close();
      copy.crash();
      const again = await open(copy);
      expect([again.lastSequence, again.opened.cut]).toEqual([2 * index + 3, undefined]);
      await again.close();
    }
  });

  test('after another append, that saw them durable, damage to any of them is refused', async () => {
    const { files, starts } = await written();
    const journal = await open(files);
    await appendNext(journal);
    await journal.close();
    for (const start of starts) {
      const damaged = files.contents(path);
      damaged[start + 70] = (damaged[start + 70] as number) ^ 4;
      const copy = new FaultyFiles();
      copy.setContents(path, damaged);
      await expect(open(copy)).rejects.toThrow(/this is no torn write but damage/);
    }
  });
});

/** Lets what runs in the background, such as the next segment, come to an end. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
};
