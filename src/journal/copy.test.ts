import { expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { JournalDamaged, JournalFailure } from './journal.ts';
import { appendNext, appendNextNow, expectEntries } from './journal-contract.ts';
import { openSegments, type Segments } from './segments.ts';

const open = (files: FaultyFiles, isCopy = true): Promise<Segments> =>
  openSegments({ directory: '/copy', stamp: 'test', segmentBytes: 1536, files, isCopy });

/** Appends across segments; returns the last sequence that was synced. */
async function live(journal: Segments): Promise<number> {
  let synced = 0;
  for (const count of [1, 2, 2, 20, 1, 2, 1, 3, 2]) {
    const isNow = count % 2 === 0 && appendNextNow(journal, count);
    if (!isNow) await appendNext(journal, count);
    if (count !== 20) continue;
    await journal.sync();
    synced = journal.lastSequence;
  }
  return synced;
}

test('a copy that loses power keeps what was synced, and a prefix of the rest', async () => {
  let [short, refused] = [0, 0];
  for (let seed = 1; seed <= 60; seed++) {
    const files = new FaultyFiles({ seed });
    const journal = await open(files);
    const synced = await live(journal);
    const written = journal.lastSequence;
    files.crash();
    // A journal that is not a copy can have lost only its last group: opening reports the damage and changes
    // nothing.
    const other = await open(files, false).catch((cause: unknown) => cause);
    if (other instanceof JournalDamaged) refused++;
    else await (other as Segments).close();
    const again = await open(files);
    const { lastSequence } = again;
    expect(lastSequence).toBeGreaterThanOrEqual(synced);
    expect(lastSequence).toBeLessThanOrEqual(written);
    expectEntries(again.read(1), 1, lastSequence);
    await appendNext(again, 3);
    expect(again.verifyAll()).toMatchObject({ lastSequence: lastSequence + 3 });
    await again.close();
    if (lastSequence < written) short++;
  }
  expect(Math.min(short, refused)).toBeGreaterThan(0);
});

test('a closed copy is complete, and one whose sync has failed accepts nothing more', async () => {
  const files = new FaultyFiles();
  const journal = await open(files);
  await live(journal);
  const { lastSequence } = journal;
  await journal.close();
  files.crash();
  const again = await open(files);
  expect(again.lastSequence).toBe(lastSequence);
  expect(appendNextNow(again, 1)).toBe(true);
  // The next segment is prepared meanwhile.
  await new Promise((resolve) => setImmediate(resolve));
  files.fault = { call: files.calls + 1, code: 'EIO' };
  await expect(again.sync()).rejects.toBeInstanceOf(JournalFailure);
  await expect(appendNext(again, 1)).rejects.toThrow('could not be synced');
  await again.close();
});
