/**
 * A short life of a journal, repeated with a failure at every single disk call. Whatever failed, everything
 * acknowledged must be there afterwards, and nothing wrong.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { JournalFailure } from './journal.ts';
import { appendNext, appendNextNow, entriesFrom, expectEntries } from './journal-contract.ts';
import { openSegments, type Segments } from './segments.ts';

const DIRECTORY = '/journal';
const ARCHIVE = '/archive';

const open = (files: FaultyFiles): Promise<Segments> =>
  openSegments({ directory: DIRECTORY, stamp: 'test', segmentBytes: 1536, files, pace: ON_THREAD });
const ON_THREAD = {
  isOnThread: () => true,
  appendsMax: () => 1,
  overlapped: () => undefined,
  took: () => undefined,
};

/**
 * How far the writer got: everything up to `acknowledged` was promised, nothing beyond `attempted` was
 * requested.
 */
type Course = { acknowledged: number; attempted: number; failure: unknown; journal?: Segments };

/** Appends within a segment, across segments, beyond the size of one; restarts; archives. */
async function live(files: FaultyFiles): Promise<Course> {
  const course: Course = { acknowledged: 0, attempted: 0, failure: undefined };
  try {
    for (const groups of [
      [1, 3, 10, 12, 2, 60],
      [1, 20, 20],
      [5, 5],
    ]) {
      course.journal = await open(files);
      for (const count of groups) {
        course.attempted = course.journal.lastSequence + count;
        // Every second one on the writer's thread, where it fits.
        const isNow = count % 2 === 0 && appendNextNow(course.journal, count);
        if (!isNow) await appendNext(course.journal, count);
        course.acknowledged = course.journal.lastSequence;
      }
      await course.journal.archive(20, ARCHIVE);
      await course.journal.close();
    }
  } catch (failure) {
    course.failure = failure;
  }
  return course;
}

/** Checks what is left at the end: in the journal, and before it in the archive. */
async function expectSurvived(files: FaultyFiles, course: Course): Promise<number> {
  for (const name of files.list(ARCHIVE)) {
    // Moved back, the archived segments must fit the rest without a gap.
    files.setContents(`${DIRECTORY}/${name}`, files.contents(`${ARCHIVE}/${name}`));
  }
  const journal = await open(files);
  const last = journal.lastSequence;
  expect(last).toBeGreaterThanOrEqual(course.acknowledged);
  expect(last).toBeLessThanOrEqual(course.attempted);
  expectEntries(journal.read(1), 1, last);
  expect(journal.verifyAll()).toMatchObject({
    firstSequence: last === 0 ? 0 : 1,
    lastSequence: last,
  });
  await appendNext(journal, 3);
  await journal.close();
  return last + 3;
}

for (const code of ['EIO', 'ENOSPC'] as const) {
  test(`${code} at any write or sync loses nothing acknowledged and acknowledges nothing after`, async () => {
    let call = 0;
    let failedAppends = 0;
    for (;;) {
      call++;
      const files = new FaultyFiles({ seed: call });
      files.fault = { call, code };
      const course = await live(files);
      if (files.calls < call) break;
      const { journal, failure } = course;
      if (failure instanceof JournalFailure && journal !== undefined) {
        failedAppends++;
        expect(failure.cause).toMatchObject({ code });
        for (let again = 0; again < 2; again++) {
          const next = journal.lastSequence + 1;
          await expect(journal.append(entriesFrom(next, 1), next)).rejects.toBe(failure);
        }
        expect(journal.lastSequence).toBe(course.acknowledged);
      }
      await journal?.close();
      const last = await expectSurvived(files, course);
      // The failed fsync may have left pages that look written and are not: now they are gone.
      files.crash();
      await expectSurvived(files, { ...course, acknowledged: last, attempted: last });
    }
    expect(call).toBeGreaterThan(60);
    expect(failedAppends).toBeGreaterThan(20);
  });
}

test('power lost at any call, with unsynced writes kept, lost or torn, keeps all acknowledged', async () => {
  let crashes = 0;
  let cuts = 0;
  for (let seed = 1; seed <= 8; seed++) {
    for (let call = 1; ; call++) {
      const files = new FaultyFiles({ seed: seed * 1000 + call });
      files.stopAtCall = call;
      const course = await live(files);
      if (files.calls < call) break;
      files.crash();
      crashes++;
      const probe = await open(files);
      if (probe.opened.cut !== undefined) cuts++;
      await probe.close();
      const last = await expectSurvived(files, course);
      files.crash();
      await expectSurvived(files, { ...course, acknowledged: last, attempted: last });
    }
  }
  expect(crashes).toBeGreaterThan(500);
  expect(cuts).toBeGreaterThan(20);
});

test('a process that dies between write and sync is followed by one that syncs before it appends', async () => {
  const files = new FaultyFiles({ seed: 5 });
  const first = await open(files);
  await appendNext(first, 2);
  files.fault = { call: files.calls + 2, code: 'EIO' };
  await expect(appendNext(first, 2)).rejects.toThrow(JournalFailure);
  await first.close();
  const second = await open(files);
  expect(second.lastSequence).toBe(4);
  await second.close();
  files.crash();
  const third = await open(files);
  expect(third.lastSequence).toBe(4);
  await third.close();
});

test('any mixture of groups, restarts, power losses, faults and archiving keeps what was promised', async () => {
  const anyStep = fc.record({
    groups: fc.array(fc.integer({ min: 1, max: 45 }), { maxLength: 6 }),
    trouble: fc.constantFrom('none', 'none', 'EIO', 'ENOSPC', 'power' as const),
    afterCalls: fc.integer({ min: 1, max: 40 }),
    archiveBefore: fc.option(fc.integer({ min: 1, max: 200 })),
  });
  const anyLife = fc.array(anyStep, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.integer(), anyLife, async (seed, steps) => {
      const files = new FaultyFiles({ seed });
      let promised = 0;
      for (const { groups, trouble, afterCalls, archiveBefore } of steps) {
        const journal = await open(files);
        expect(journal.lastSequence).toBeGreaterThanOrEqual(promised);
        promised = journal.lastSequence;
        expectEntries(
          journal.read(journal.opened.firstSequence || 1),
          journal.opened.firstSequence || 1,
          promised,
        );
        const call = files.calls + afterCalls;
        if (trouble === 'power') files.stopAtCall = call;
        else if (trouble !== 'none') files.fault = { call, code: trouble };
        try {
          for (const count of groups) {
            await appendNext(journal, count);
            promised += count;
          }
          if (archiveBefore !== null) await journal.archive(archiveBefore, ARCHIVE);
        } catch (cause) {
          expect(trouble, String(cause)).not.toBe('none');
        }
        await journal.close();
        files.fault = undefined;
        if (trouble === 'power') files.crash();
      }
      await expectSurvived(files, {
        acknowledged: promised,
        attempted: promised + 45,
        failure: undefined,
      });
    }),
    { numRuns: 400 },
  );
});
