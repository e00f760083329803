/**
 * One suite for every journal, and the entries that tests write: the bytes of an entry are derived from its
 * sequence, so that a misplaced one is recognised.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type Entry, type Journal, JournalFailure, JournalFence } from './journal.ts';

export type Opening = {
  /** Opens the journal; after a close, the same one again. */
  readonly open: () => Promise<Journal>;
  readonly dispose?: () => void;
};

/** 0 to 60 bytes, unique to the sequence. */
export function entryOf(sequence: number): Uint8Array {
  if (sequence % 17 === 0) return new Uint8Array(0);
  const bytes = new Uint8Array(4 + ((sequence * 7) % 57));
  bytes.forEach((_, index) => {
    bytes[index] = (sequence * 31 + index * index * 13 + (sequence >> 8)) & 0xff;
  });
  new DataView(bytes.buffer).setUint32(0, sequence);
  return bytes;
}

export const entriesFrom = (sequence: number, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => entryOf(sequence + index));

export const appendNext = (journal: Journal, count = 1): Promise<void> =>
  journal.append(entriesFrom(journal.lastSequence + 1, count), journal.lastSequence + 1);

export const appendNextNow = (journal: Journal, count = 1): boolean =>
  journal.appendNow(entriesFrom(journal.lastSequence + 1, count), journal.lastSequence + 1);

/** Checks that every entry is the right one for its sequence, from one sequence to another, without a gap. */
export function expectEntries(entries: Iterable<Entry>, from: number, to: number): void {
  let sequence = from;
  for (const entry of entries) {
    if (entry.sequence !== sequence || Buffer.compare(entry.bytes, entryOf(sequence)) !== 0) {
      const { sequence: found, bytes } = entry;
      expect({ sequence: found, bytes }).toEqual({ sequence, bytes: entryOf(sequence) });
    }
    sequence++;
  }
  expect(sequence - 1).toBe(to);
}

export function describeJournal(name: string, prepare: () => Opening): void {
  const disposals: (() => void)[] = [];
  const opening = (): Opening => {
    const prepared = prepare();
    if (prepared.dispose !== undefined) disposals.push(prepared.dispose);
    return prepared;
  };
  afterEach(() => {
    for (const dispose of disposals.splice(0)) dispose();
  });

  describe(name, () => {
    test('an empty journal stands at 0 and reads nothing', async () => {
      const journal = await opening().open();
      expect(journal.lastSequence).toBe(0);
      expect([...journal.read(1)]).toEqual([]);
      await journal.close();
    });

    test('what was appended is read back, from any sequence, before and after a restart', async () => {
      const { open } = opening();
      let journal = await open();
      for (const count of [1, 5, 1, 40, 2]) await appendNext(journal, count);
      for (let round = 0; round < 2; round++) {
        expect(journal.lastSequence).toBe(49);
        for (let from = 1; from <= 50; from++) expectEntries(journal.read(from), from, 49);
        await journal.close();
        journal = await open();
      }
      await appendNext(journal, 3);
      expectEntries(journal.read(48), 48, 52);
      await journal.close();
    });

    test('an append is not there before it is durable, nor for a read that began before', async () => {
      const journal = await opening().open();
      await appendNext(journal, 2);
      const before = journal.read(1);
      const appended = appendNext(journal, 2);
      expect(journal.lastSequence).toBe(2);
      expectEntries(journal.read(1), 1, 2);
      await appended;
      expect(journal.lastSequence).toBe(4);
      expectEntries(before, 1, 2);
      await journal.close();
    });

    test('a writer that expects another sequence is turned away, and nothing changes', async () => {
      const journal = await opening().open();
      await appendNext(journal, 3);
      for (const expected of [0, 1, 3, 5]) {
        await expect(journal.append([entryOf(4)], expected)).rejects.toThrow(JournalFence);
      }
      expect(journal.lastSequence).toBe(3);
      await appendNext(journal);
      expectEntries(journal.read(1), 1, 4);
      await journal.close();
    });

    test('a second append does not overtake the one in flight', async () => {
      const journal = await opening().open();
      const first = appendNext(journal);
      await expect(journal.append([entryOf(2)], 2)).rejects.toThrow(JournalFence);
      await expect(journal.append([entryOf(1)], 1)).rejects.toThrow(JournalFence);
      await first;
      await appendNext(journal);
      expectEntries(journal.read(1), 1, 2);
      await journal.close();
    });

    test('a group of nothing changes nothing', async () => {
      const journal = await opening().open();
      await journal.append([], 1);
      await appendNext(journal);
      await journal.append([], 2);
      expect(journal.lastSequence).toBe(1);
      await journal.close();
    });

    test('a writer may use its buffers again as soon as an append has resolved', async () => {
      const journal = await opening().open();
      const buffer = entryOf(1);
      await journal.append([buffer], 1);
      buffer.fill(0xee);
      expectEntries(journal.read(1), 1, 1);
      await journal.close();
    });

    test('closing waits for the append in flight, and a closed journal appends nothing', async () => {
      const { open } = opening();
      const journal = await open();
      const appended = appendNext(journal, 4);
      await journal.close();
      await appended;
      await expect(journal.append([entryOf(5)], 5)).rejects.toThrow(JournalFailure);
      await journal.close();
      const again = await open();
      expectEntries(again.read(1), 1, 4);
      await again.close();
    });

    test('sequences before the first are refused', async () => {
      const journal = await opening().open();
      for (const from of [0, -1, 1.5, Number.NaN]) {
        expect(() => journal.read(from)).toThrow(RangeError);
      }
      await journal.close();
    });

    test('whatever is appended in whatever groups, with restarts between, is read back', async () => {
      const anyStep = fc.oneof(
        { weight: 6, arbitrary: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 }) },
        { weight: 1, arbitrary: fc.constant('restart' as const) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), async (steps) => {
          const { open, dispose } = prepare();
          const expected: Uint8Array[] = [];
          let journal = await open();
          for (const step of steps) {
            if (step === 'restart') {
              await journal.close();
              journal = await open();
            } else {
              await journal.append(step, expected.length + 1);
              expected.push(...step);
            }
          }
          const found = [...journal.read(1)].map(({ bytes }) => Buffer.from(bytes).toString('hex'));
          await journal.close();
          dispose?.();
          expect(found).toEqual(expected.map((bytes) => Buffer.from(bytes).toString('hex')));
        }),
        { numRuns: 40 },
      );
    });
  });
}
