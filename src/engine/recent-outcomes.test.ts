import { expect, test } from 'vitest';
import { RecentOutcomes } from './recent-outcomes.ts';

const outcomeOf = (sequence: number): Uint8Array => new Uint8Array([sequence]);

test('the last outcomes stay in memory although they are in the event log, older ones are read from it', async () => {
  const read: number[] = [];
  const recent = new RecentOutcomes({
    ...{ nextSequence: 11, limits: { kept: 5_000 } },
    readOlder: async (sequence) => {
      read.push(sequence);
      return outcomeOf(sequence);
    },
  });
  for (let sequence = 11; sequence <= 30_000; sequence++) {
    recent.add(sequence, outcomeOf(sequence));
    recent.stored(sequence);
  }
  // An answer that was on its way while the follower was quick.
  for (let sequence = 25_001; sequence <= 30_000; sequence++) {
    expect(await recent.recall(sequence)).toEqual(outcomeOf(sequence));
  }
  expect(read).toEqual([]);
  expect(await recent.recall(11)).toEqual(outcomeOf(11));
  expect(read).toEqual([11]);
});

test('whatever the follower has not stored is found, and what a reader was given stays as it is', async () => {
  const recent = new RecentOutcomes({ nextSequence: 1, readOlder: async () => undefined });
  const sizes = [1, 0, 300, 400_000, 70_000, 2];
  const made = (sequence: number) =>
    new Uint8Array(sizes[sequence % sizes.length] as number).fill(sequence);
  for (let sequence = 1; sequence <= 300; sequence++) recent.add(sequence, made(sequence));
  expect(await recent.recall(301)).toBeUndefined();
  const given = await recent.recall(5);
  for (let sequence = 1; sequence <= 300; sequence++) {
    expect(Buffer.compare((await recent.recall(sequence)) as Uint8Array, made(sequence))).toBe(0);
  }
  // Blocks are used again.
  for (let sequence = 301; sequence <= 600; sequence++) {
    recent.add(sequence, made(sequence));
    recent.stored(sequence);
  }
  expect(given).toEqual(made(5));
});

test('what is kept is bounded in bytes: outcomes of thousands of matches do not fill the memory', () => {
  const recent = new RecentOutcomes({ nextSequence: 1, readOlder: async () => undefined });
  const large = new Uint8Array(1_000_000);
  for (let sequence = 1; sequence <= 1_000; sequence++) {
    recent.add(sequence, large);
    recent.stored(sequence);
    expect(recent.bytes).toBeLessThanOrEqual(16 * 1024 * 1024 + large.length);
  }
});

test('it is full when the follower is behind, not by what is kept', () => {
  const recent = new RecentOutcomes({
    ...{ nextSequence: 1, limits: { lagMax: 6, kept: 100 } },
    readOlder: async () => undefined,
  });
  for (let sequence = 1; sequence <= 20; sequence++) {
    recent.add(sequence, outcomeOf(sequence));
    recent.stored(sequence);
  }
  expect(recent.isFull).toBe(false);
  for (let sequence = 21; sequence <= 26; sequence++) recent.add(sequence, outcomeOf(sequence));
  expect(recent.isFull).toBe(true);
  recent.stored(21);
  expect(recent.isFull).toBe(false);
});

test('it is full when few outcomes that are not stored take all the room', () => {
  const recent = new RecentOutcomes({
    ...{ nextSequence: 1, limits: { lagBytesMax: 8_000_000 } },
    readOlder: async () => undefined,
  });
  const large = new Uint8Array(1_000_000);
  for (let sequence = 1; sequence <= 7; sequence++) recent.add(sequence, large);
  expect(recent.isFull).toBe(false);
  recent.add(8, large);
  expect(recent.isFull).toBe(true);
  recent.stored(8);
  expect(recent.isFull).toBe(false);
});
