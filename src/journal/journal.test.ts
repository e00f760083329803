import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FaultyFiles } from './faulty-files.fixture.ts';
import { JournalFailure } from './journal.ts';
import { appendNext, describeJournal, entryOf, expectEntries } from './journal-contract.ts';
import { openMemory } from './memory.ts';
import { openSegments } from './segments.ts';

describeJournal('segments on a real disk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'journal-'));
  return {
    open: () => openSegments({ directory, stamp: 'test', segmentBytes: 4096 }),
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
});

describeJournal('segments on a simulated disk', () => {
  const files = new FaultyFiles({ shortWrites: true });
  return {
    open: () => openSegments({ directory: '/journal', stamp: 'test', segmentBytes: 2048, files }),
  };
});

describeJournal('memory', () => {
  const stored: Uint8Array[] = [];
  return { open: async () => openMemory({ stored }) };
});

test('in memory an append becomes durable by hand when the simulator wants it so', async () => {
  const journal = openMemory({ isManual: true });
  let isDurable = false;
  const appended = appendNext(journal, 2).then(() => {
    isDurable = true;
  });
  await Promise.resolve();
  expect(isDurable).toBe(false);
  expect(journal.waitingEntries).toBe(2);
  journal.settle();
  await appended;
  expect(journal.lastSequence).toBe(2);
});

test('in memory a failed append may be stored or not, and ends the journal either way', async () => {
  for (const isStored of [true, false]) {
    const stored: Uint8Array[] = [];
    const journal = openMemory({ stored, isManual: true });
    const appended = appendNext(journal, 2);
    journal.fail(new Error('EIO'), { isStored });
    await expect(appended).rejects.toThrow(JournalFailure);
    expect(journal.lastSequence).toBe(0);
    await expect(journal.append([entryOf(1)], 1)).rejects.toThrow(JournalFailure);
    expectEntries(openMemory({ stored }).read(1), 1, isStored ? 2 : 0);
  }
});
