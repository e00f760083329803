import { expect, test } from 'vitest';
import { appendNext, entriesFrom, entryOf, expectEntries } from '../journal/journal-contract.ts';
import { openMemory } from '../journal/memory.ts';
import { appendJournal } from './append-journal.ts';
import { leaderOf, nextTurn } from './leader.fixture.ts';
import { MemoryLog, MemoryStream } from './memory-log.fixture.ts';
import { Fenced } from './replicated-journal.ts';

const appendFrom = (stream: MemoryStream, stored: Uint8Array[], firstSequence = 1) =>
  appendJournal({
    log: new MemoryLog(stream),
    local: openMemory({ stored }),
    firstSequence,
    node: 'engine-1',
    pause: nextTurn,
  });

test('an empty log gets a whole journal, and nodes without data are made of it', async () => {
  const stream = new MemoryStream();
  expect(await appendFrom(stream, entriesFrom(1, 40))).toEqual({ fromSequence: 1, toSequence: 40 });
  const local = openMemory();
  const leader = await leaderOf(new MemoryLog(stream), local, { node: 'engine-2' });
  expectEntries(local.read(1), 1, 40);
  await appendNext(leader);
  expectEntries(local.read(1), 1, 41);
});

test('what a log has lost is appended again from the longest journal, and only that', async () => {
  const stream = new MemoryStream();
  const stored: Uint8Array[] = [];
  const old = await leaderOf(new MemoryLog(stream), openMemory({ stored }));
  for (const count of [3, 1, 4]) await appendNext(old, count);
  await old.prove();
  // The last group and the mark are gone, though both were acknowledged.
  stream.messages.splice(-2);
  await expect(leaderOf(new MemoryLog(stream), openMemory({ stored }))).rejects.toThrow(
    /ends at sequence 8, the log at 4/,
  );
  expect(await appendFrom(stream, stored)).toEqual({ fromSequence: 5, toSequence: 8 });
  const local = openMemory();
  await leaderOf(new MemoryLog(stream), local, { node: 'engine-2' });
  expectEntries(local.read(1), 1, 8);
  await expect(appendNext(old)).rejects.toThrow(Fenced);
});

test('a log that lacks nothing, is ahead, or is of another venue is left as it is', async () => {
  const stream = new MemoryStream();
  await appendNext(await leaderOf(new MemoryLog(stream), openMemory()), 5);
  const before = stream.messages.length;
  await expect(appendFrom(stream, entriesFrom(1, 5))).rejects.toThrow('nothing to append');
  await expect(appendFrom(stream, entriesFrom(1, 4))).rejects.toThrow('the log is ahead');
  const others = [...entriesFrom(1, 4), entryOf(9), entryOf(6)];
  await expect(appendFrom(stream, others)).rejects.toThrow(/is not the one of the log/);
  expect(stream.messages.length).toBe(before);
});
