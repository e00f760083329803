import { expect, test } from 'vitest';
import { RecentOutcomes } from './recent-outcomes.ts';

const outcomeOf = (sequence: number): Uint8Array => new Uint8Array([sequence]);

test('the last outcomes stay in memory although they are in the event log, older ones are read from it', async () => {
  const asked: number[] = [];
  const recent = new RecentOutcomes({
    ...{ nextSequence: 11, lagMax: 6, kept: 5 },
    readOlder: async (sequence) => {
      asked.push(sequence);
      return outcomeOf(sequence);
    },
  });
  for (let sequence = 11; sequence <= 30; sequence++) {
    recent.add(sequence, outcomeOf(sequence));
    recent.stored(sequence);
  }
  // An answer that was on its way while the follower was quick.
  for (let sequence = 26; sequence <= 30; sequence++) {
    expect(await recent.recall(sequence)).toEqual(outcomeOf(sequence));
  }
  expect(asked).toEqual([]);
  expect(await recent.recall(25)).toEqual(outcomeOf(25));
  expect(asked).toEqual([25]);
});

test('it is full when the follower is behind, not by what is kept', () => {
  const recent = new RecentOutcomes({
    ...{ nextSequence: 1, lagMax: 6, kept: 100 },
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
