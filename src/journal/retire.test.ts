/** Retiring with a failure at every single disk call: no entry is ever lost. */
import { expect, test } from 'vitest';
import { withArchive } from './archived-files.ts';
import { FaultyFiles } from './faulty-files.fixture.ts';
import type { Files } from './files.ts';
import { JournalDamaged } from './journal.ts';
import { appendNext, expectEntries } from './journal-contract.ts';
import { type Retire, retireSegments } from './retire.ts';
import { listSegments } from './segment-header.ts';
import { openSegmentReader } from './segment-reader.ts';
import { openSegments } from './segments.ts';
import { verifySegments } from './verify.ts';

const DIRECTORY = '/journal';
const ARCHIVE = '/far/journal';
const LAST = 120;

/** A journal of about a dozen segments. */
async function journalOn(files: Files): Promise<void> {
  const journal = await openSegments({
    directory: DIRECTORY,
    stamp: 'test',
    segmentBytes: 1536,
    files,
  });
  while (journal.lastSequence < LAST) await appendNext(journal, 5);
  await journal.close();
}

const RETIRE: Retire = { from: DIRECTORY, to: ARCHIVE, beforeSequence: 100, keepBytes: 0 };

/** Checks the chain from the first entry to the last, wherever each is stored. */
function expectWhole(files: Files): void {
  const both = withArchive(files, { directory: DIRECTORY, archive: ARCHIVE });
  const chain = verifySegments({ directory: DIRECTORY, files: both, stamps: ['test'] });
  expect(chain).toMatchObject({ firstSequence: 1, lastSequence: LAST, tornTail: undefined });
  expectEntries(openSegmentReader({ directory: DIRECTORY, files: both }).read(1, LAST), 1, LAST);
}

test('what may go is compressed into the archive, and is read and proven from there', async () => {
  const files = new FaultyFiles();
  await journalOn(files);
  const before = listSegments(files, DIRECTORY);
  const chain = verifySegments({ directory: DIRECTORY, files }).chain;
  const retired = await retireSegments(files, RETIRE);
  const left = listSegments(files, DIRECTORY);
  expect([retired, ...left]).toEqual([before.length - left.length, ...before.slice(retired)]);
  // The first remaining segment holds what is needed.
  expect(left[0]).toBeLessThanOrEqual(100);
  expect(left[1]).toBeGreaterThan(100);
  expect(files.list(ARCHIVE)).toHaveLength(retired);
  expectWhole(files);
  const both = withArchive(files, { directory: DIRECTORY, archive: ARCHIVE });
  expect(verifySegments({ directory: DIRECTORY, files: both }).chain).toBe(chain);
  expect(verifySegments({ directory: DIRECTORY, files })).toMatchObject({
    firstSequence: left[0],
    chain,
  });
  expect(await retireSegments(files, RETIRE)).toBe(0);
});

test('the newest segment stays, and as many bytes as are to be kept', async () => {
  for (const [keepBytes, kept] of [
    [0, 1],
    [1, 1],
    [1536, 1],
    [1537, 2],
    [4 * 1536, 4],
  ] as const) {
    const files = new FaultyFiles();
    await journalOn(files);
    await retireSegments(files, { ...RETIRE, beforeSequence: 1_000, keepBytes });
    expect(listSegments(files, DIRECTORY), `${keepBytes} bytes`).toHaveLength(kept);
    expectWhole(files);
  }
});

test('without an archive they are deleted, oldest first', async () => {
  const files = new FaultyFiles();
  await journalOn(files);
  await retireSegments(files, { ...RETIRE, to: undefined });
  const [first = 0] = listSegments(files, DIRECTORY);
  expect(first).toBeGreaterThan(1);
  expect(verifySegments({ directory: DIRECTORY, files })).toMatchObject({ firstSequence: first });
});

test('power lost at any call leaves every entry in the journal, in the archive, or in both', async () => {
  let crashes = 0;
  for (let seed = 1; seed <= 2; seed++) {
    for (let call = 1; ; call++) {
      const files = new FaultyFiles({ seed: seed * 1_000 + call, farDirectory: '/far' });
      await journalOn(files);
      files.stopAtCall = files.calls + call;
      const isDone = await retireSegments(files, RETIRE).then(
        () => true,
        () => false,
      );
      files.stopAtCall = undefined;
      if (isDone) break;
      files.crash();
      crashes++;
      expectWhole(files);
      // The next attempt finishes the work, whatever the first one left behind.
      await retireSegments(files, RETIRE);
      files.crash();
      expectWhole(files);
      expect(listSegments(files, DIRECTORY)[1]).toBeGreaterThan(100);
    }
  }
  expect(crashes).toBeGreaterThan(60);
});

for (const code of ['EIO', 'ENOSPC'] as const) {
  test(`${code} at any call ends the attempt with its reason, and the next one goes on`, async () => {
    let failures = 0;
    for (let call = 1; ; call++) {
      const files = new FaultyFiles({ seed: call });
      await journalOn(files);
      files.fault = { call: files.calls + call, code };
      const reason = await retireSegments(files, RETIRE).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      if (reason === undefined) break;
      failures++;
      expect(reason).toMatchObject({ code });
      expectWhole(files);
      await retireSegments(files, RETIRE);
      files.crash();
      expectWhole(files);
    }
    expect(failures).toBeGreaterThan(30);
  });
}

test('an archive without room keeps the segment where it is, until there is some', async () => {
  const files = new FaultyFiles();
  await journalOn(files);
  const before = listSegments(files, DIRECTORY).length;
  files.bytesFree = 10;
  await expect(retireSegments(files, RETIRE)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(listSegments(files, DIRECTORY)).toHaveLength(before);
  files.bytesFree = Number.POSITIVE_INFINITY;
  expect(await retireSegments(files, RETIRE)).toBeGreaterThan(3);
  expectWhole(files);
});

test('a file of that name with other bytes is not taken for a copy, nor overwritten', async () => {
  const files = new FaultyFiles();
  await journalOn(files);
  const name = `${String(1).padStart(20, '0')}.journal.gz`;
  files.makeDirectory();
  const theirs = files.open(`${ARCHIVE}/${name}`, 'create');
  theirs.write(new TextEncoder().encode('theirs'), 0);
  theirs.close();
  await expect(retireSegments(files, RETIRE)).rejects.toThrow(/is not the copy of/);
  expect(Buffer.from(files.contents(`${ARCHIVE}/${name}`)).toString()).toBe('theirs');
  expect(listSegments(files, DIRECTORY)[0]).toBe(1);
});

test('a damaged byte of an archived segment is found, or changes nothing in it', async () => {
  const files = new FaultyFiles();
  await journalOn(files);
  await retireSegments(files, RETIRE);
  const [name = ''] = files.list(ARCHIVE).sort();
  const path = `${ARCHIVE}/${name}`;
  const whole = files.contents(path).slice();
  const both = withArchive(files, { directory: DIRECTORY, archive: ARCHIVE });
  const chainOf = () => verifySegments({ directory: DIRECTORY, files: both }).chain;
  const chain = chainOf();
  let found = 0;
  for (let at = 0; at < whole.length; at++) {
    const damaged = whole.slice();
    damaged[at] = (damaged[at] as number) ^ 0x10;
    files.setContents(path, damaged);
    try {
      // Some bits of a gzip file carry no data: its time, and the padding of the last byte.
      expect(chainOf(), `byte ${at}`).toBe(chain);
    } catch (cause) {
      expect(cause, `byte ${at}`).toBeInstanceOf(JournalDamaged);
      found++;
    }
  }
  expect(found).toBeGreaterThan(whole.length - 12);
});
