import { expect, test } from 'vitest';
import { newState } from '../core/state.ts';
import type { JournalReader } from '../journal/journal.ts';
import { advanceJournal, newCursors } from './cursors.ts';
import { JournalCopy } from './journal-copy.ts';

/** A copy whose journal cannot be read; everything up to 5 is durable, names have changed at 3. */
function damaged() {
  const cursors = newCursors();
  advanceJournal(cursors, 5, 3);
  const failures: unknown[] = [];
  const journal = {
    read: () => {
      throw new Error('damaged');
    },
  } as unknown as JournalReader;
  const state = newState();
  const onFailure = (reason: unknown) => failures.push(reason);
  return { copy: new JournalCopy({ state, journal, cursors, onFailure }), failures };
}

test('whoever reads a copy that has failed is refused, not only the first, and it is reported once', () => {
  const { copy, failures } = damaged();
  const reads = [() => copy.follow(), () => copy.follow(), () => copy.followNames()];
  for (const read of reads) expect(read).toThrow('damaged');
  expect(failures).toHaveLength(1);
  expect(copy.isStopped).toBe(true);
});

test('a copy that was stopped reads no more', () => {
  const { copy, failures } = damaged();
  copy.stop();
  copy.follow();
  copy.followNames();
  expect(failures).toEqual([]);
});
