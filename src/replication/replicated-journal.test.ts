import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalFailure, numberedFrom } from '../journal/journal.ts';
import {
  appendNext,
  describeJournal,
  entriesFrom,
  entryOf,
  expectEntries,
} from '../journal/journal-contract.ts';
import { openMemory } from '../journal/memory.ts';
import { openSegments } from '../journal/segments.ts';
import { leaderOf, nextTurn } from './leader.fixture.ts';
import { LogRefused } from './log.ts';
import { findPlace, LogCursor } from './log-cursor.ts';
import { type Fault, MemoryLog, MemoryStream } from './memory-log.fixture.ts';
import { decodeMessage, encodeMessage, isNodeName } from './message.ts';
import { Fenced } from './replicated-journal.ts';

describeJournal('replicated, a log in memory and segments on a real disk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'journal-'));
  const stream = new MemoryStream();
  return {
    open: async () => {
      const local = await openSegments({ directory, stamp: 'test', segmentBytes: 4096 });
      return leaderOf(new MemoryLog(stream), local);
    },
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
});

describeJournal('replicated, with answers that get lost and messages that come late', () => {
  const stream = new MemoryStream();
  const faults: Fault[] = ['none', 'answer lost', 'none', 'lost', 'late', 'answer lost', 'late'];
  let at = 0;
  stream.faultOf = () => faults[at++ % faults.length] as Fault;
  stream.beforeAppend = () => {
    if (at % 3 === 0) stream.deliverLate();
  };
  const stored: Uint8Array[] = [];
  return { open: async () => leaderOf(new MemoryLog(stream), openMemory({ stored })) };
});

test('an append resolves only when the log has acknowledged it, and the local journal has it then', async () => {
  const stream = new MemoryStream();
  const local = openMemory();
  const journal = await leaderOf(new MemoryLog(stream), local);
  stream.faultOf = () => 'lost';
  let isDone = false;
  const appended = appendNext(journal, 2).then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(isDone).toBe(false);
  expect(local.lastSequence).toBe(0);
  expect(journal.isInDoubt).toBe(true);
  stream.faultOf = () => 'none';
  await appended;
  expect(local.lastSequence).toBe(2);
  expect(journal.isInDoubt).toBe(false);
});

test('whatever happens to single attempts, each group is in the log once and in order', async () => {
  const kinds: Fault[] = ['none', 'lost', 'answer lost', 'late'];
  for (let seed = 1; seed <= 60; seed++) {
    const stream = new MemoryStream();
    let state = seed;
    const random = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    stream.faultOf = () => kinds[Math.floor(random() * kinds.length)] as Fault;
    stream.beforeAppend = () => {
      if (random() < 0.3) stream.deliverLate();
    };
    const local = openMemory();
    const journal = await leaderOf(new MemoryLog(stream), local);
    for (let group = 0; group < 12; group++)
      await appendNext(journal, 1 + Math.floor(random() * 4));
    stream.deliverLate();
    const last = journal.lastSequence;
    const entries = stream.messages.flatMap(
      ({ place, bytes }) => decodeMessage(place, bytes).entries,
    );
    expectEntries(numberedFrom(1, entries), 1, last);
    expectEntries(local.read(1), 1, last);
  }
});

test('a leader that was replaced stores nothing more, and is told why', async () => {
  const stream = new MemoryStream();
  const fenced: Error[] = [];
  const old = await leaderOf(new MemoryLog(stream), openMemory(), {
    onFenced: (reason) => fenced.push(reason),
  });
  await appendNext(old, 3);
  const local = openMemory();
  const next = await leaderOf(new MemoryLog(stream), local, { node: 'engine-2' });
  expectEntries(local.read(1), 1, 3);
  await expect(appendNext(old)).rejects.toThrow(Fenced);
  await expect(appendNext(old)).rejects.toThrow('another node has taken over');
  expect(fenced).toHaveLength(1);
  expect(old.lastSequence).toBe(3);
  await appendNext(next);
  expectEntries(next.read(1), 1, 4);
});

test('another writer at any step of an append: either stored before, or nothing of it ever', async () => {
  // The other one comes before the first attempt, between two attempts, or behind what came late.
  for (const faults of [
    [],
    ['lost'],
    ['late'],
    ['answer lost'],
    ['late', 'lost'],
    ['lost', 'late'],
  ]) {
    for (let other = 0; other <= faults.length; other++) {
      const stream = new MemoryStream();
      const old = await leaderOf(new MemoryLog(stream), openMemory());
      await appendNext(old, 2);
      let attempt = 0;
      let isOtherDone = false;
      const before = stream.messages.length;
      stream.beforeAppend = () => {
        if (attempt === other && !isOtherDone) {
          isOtherDone = true;
          const last = stream.messages.at(-1);
          const { firstSequence, entries } = decodeMessage(0, last?.bytes ?? new Uint8Array());
          stream.force(
            encodeMessage({
              kind: 'takeover',
              node: 'other',
              writer: 'ff'.repeat(16),
              firstSequence: firstSequence + entries.length,
              entries: [],
            }),
          );
        }
        attempt++;
      };
      stream.faultOf = () => (faults[attempt - 1] ?? 'none') as Fault;
      const outcome = await appendNext(old, 2).then(
        () => 'stored',
        (cause: unknown) => (cause instanceof Fenced ? 'fenced' : 'failed'),
      );
      stream.deliverLate();
      const groups = stream.messages
        .slice(before)
        .map(({ place, bytes }) => decodeMessage(place, bytes))
        .filter(({ kind }) => kind === 'group');
      expect(groups).toHaveLength(outcome === 'stored' ? 1 : 0);
      expect(outcome).not.toBe('failed');
    }
  }
});

test('a journal ahead of the log is refused, and both sequences are named', async () => {
  const stream = new MemoryStream();
  await appendNext(await leaderOf(new MemoryLog(stream), openMemory()), 3);
  const stored = entriesFrom(1, 5);
  const opening = leaderOf(new MemoryLog(stream), openMemory({ stored }));
  await expect(opening).rejects.toThrow(LogRefused);
  await expect(opening).rejects.toThrow(/ends at sequence 5, the log at 3.*cluster repair/s);
  const empty = leaderOf(new MemoryLog(new MemoryStream()), openMemory({ stored }));
  await expect(empty).rejects.toThrow(/ends at sequence 5, the log at 0/);
});

test('a journal whose last entry is another than the log has is refused', async () => {
  const stream = new MemoryStream();
  await appendNext(await leaderOf(new MemoryLog(stream), openMemory()), 3);
  const stored = [entryOf(1), entryOf(2), entryOf(9)];
  const opening = leaderOf(new MemoryLog(stream), openMemory({ stored }));
  await expect(opening).rejects.toThrow(/entry 3 of this node's journal is not the one of the log/);
});

test('a node finds its place wherever it stands, in the middle of a group too', async () => {
  const stream = new MemoryStream();
  const journal = await leaderOf(new MemoryLog(stream), openMemory());
  for (const count of [1, 4, 2, 1, 7, 3]) {
    await appendNext(journal, count);
    await journal.prove();
  }
  const log = new MemoryLog(stream);
  for (let lastSequence = 0; lastSequence <= 18; lastSequence++) {
    const { cursor, rest } = await findPlace(log, {
      lastSequence,
      isLast: (entry) => Buffer.compare(entry, entryOf(lastSequence)) === 0,
    });
    expect(cursor.nextSequence).toBe(lastSequence + rest.length + 1);
    const local = openMemory({ stored: entriesFrom(1, lastSequence) });
    const next = await leaderOf(log, local, { node: 'engine-2' });
    expectEntries(next.read(1), 1, 18);
  }
});

test('a message of a writer that was replaced proves that the fence did not hold', async () => {
  const stream = new MemoryStream();
  const old = await leaderOf(new MemoryLog(stream), openMemory());
  await appendNext(old, 1);
  const stale = stream.messages.at(-1)?.bytes as Uint8Array;
  await leaderOf(new MemoryLog(stream), openMemory(), { node: 'engine-2' });
  stream.force(stale);
  const cursor = new LogCursor({ place: 0, nextSequence: 1, leader: undefined });
  const accept = (): void => {
    for (const message of stream.messages) cursor.accept(message);
  };
  expect(accept).toThrow(LogRefused);
});

test('a log that skips a message, or holds something else, is refused', async () => {
  const stream = new MemoryStream();
  const journal = await leaderOf(new MemoryLog(stream), openMemory());
  await appendNext(journal, 1);
  await appendNext(journal, 1);
  const [first, , third] = stream.messages;
  const cursor = new LogCursor({ place: 0, nextSequence: 1, leader: undefined });
  cursor.accept(first as NonNullable<typeof first>);
  expect(() => cursor.accept(third as NonNullable<typeof third>)).toThrow('one is missing');
  for (const bytes of [Buffer.from('hello'), Buffer.alloc(40), Buffer.alloc(40, 1)]) {
    expect(() => decodeMessage(1, bytes)).toThrow(/none of this program's/);
  }
});

test('a lease mark proves who leads, does not wait behind itself, and lets appends through', async () => {
  const stream = new MemoryStream();
  let nowMs = 0;
  const journal = await leaderOf(new MemoryLog(stream), openMemory(), { nowMs: () => nowMs });
  await appendNext(journal);
  nowMs = 900;
  expect(journal.provenAgeMs).toBe(900);
  const before = stream.messages.length;
  await Promise.all([journal.prove(), journal.prove(), appendNext(journal), journal.prove()]);
  expect(stream.messages.length).toBe(before + 2);
  expect(journal.provenAgeMs).toBe(0);
  await leaderOf(new MemoryLog(stream), openMemory(), { node: 'engine-2' });
  await expect(journal.prove()).rejects.toThrow(Fenced);
});

test('the time of a proof is that of the first attempt, not of the answer', async () => {
  const stream = new MemoryStream();
  let nowMs = 0;
  const journal = await leaderOf(new MemoryLog(stream), openMemory(), { nowMs: () => nowMs });
  let attempts = 0;
  stream.faultOf = () => (attempts++ < 5 ? 'lost' : 'none');
  stream.beforeAppend = () => {
    nowMs += 100;
  };
  await journal.prove();
  expect(journal.provenAgeMs).toBe(600);
});

test('a machine that was suspended has lost its lease, though its steady clock stood still', async () => {
  const stream = new MemoryStream();
  let [monotonicMs, wallMs] = [0, 0];
  const clocks = { monotonicMs: () => monotonicMs, wallMs: () => wallMs };
  const journal = await leaderOf(new MemoryLog(stream), openMemory(), { clocks });
  await journal.prove();
  wallMs = 10_000;
  expect(journal.provenAgeMs).toBe(10_000);
  // One that was set back says nothing.
  wallMs = -5_000;
  monotonicMs = 300;
  expect(journal.provenAgeMs).toBe(300);
});

test('after a hand-over nobody but a new leader may append', async () => {
  const stream = new MemoryStream();
  const journal = await leaderOf(new MemoryLog(stream), openMemory());
  await appendNext(journal);
  await journal.handOver();
  const cursor = new LogCursor({ place: 0, nextSequence: 1, leader: undefined });
  for (const message of stream.messages) cursor.accept(message);
  expect(cursor.isHandedOver).toBe(true);
  await appendNext(await leaderOf(new MemoryLog(stream), openMemory(), { node: 'engine-2' }));
  await expect(appendNext(journal)).rejects.toThrow(Fenced);
});

test('closing while the log is away gives up after a while, and says that the outcome is unknown', async () => {
  const stream = new MemoryStream();
  const journal = await leaderOf(new MemoryLog(stream), openMemory());
  stream.isAway = true;
  const appended = appendNext(journal);
  const failing = expect(appended).rejects.toThrow(JournalFailure);
  await journal.close();
  await failing;
  await expect(appended).rejects.toThrow('outcome unknown');
});

test('a group that is larger than a message may be is refused before it is sent', async () => {
  const stream = new MemoryStream();
  const journal = await leaderOf(new MemoryLog(stream), openMemory());
  const before = stream.messages.length;
  const large = new Uint8Array(journal.groupBytesMax + 1_000);
  await expect(journal.append([large], 1)).rejects.toThrow('too large for the log');
  expect(stream.messages.length).toBe(before);
});

test('entries of a message are plain bytes: a slice of one is a copy', () => {
  const message = encodeMessage({
    kind: 'group',
    node: 'a',
    writer: '00'.repeat(16),
    firstSequence: 1,
    entries: [entryOf(1)],
  });
  const [entry] = decodeMessage(1, message).entries as [Uint8Array];
  const copy = entry.slice();
  message.fill(0xee);
  expect(Buffer.compare(copy, entryOf(1))).toBe(0);
});

test('nodes have short plain names', () => {
  for (const name of ['engine-1', 'a', '9z']) expect(isNodeName(name)).toBe(true);
  for (const name of ['', '-a', 'A', 'a b', 'a'.repeat(65), 'ä']) {
    expect(isNodeName(name)).toBe(false);
  }
});
