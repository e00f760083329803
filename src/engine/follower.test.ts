import { expect, test } from 'vitest';
import { venueWith } from '../../test/support/core-venue.ts';
import { stateFrom } from '../core/snapshot.ts';
import { newState } from '../core/state.ts';
import type { Entry, JournalReader } from '../journal/journal.ts';
import { openMemory } from '../journal/memory.ts';
import { manualClock } from './clock.ts';
import { Follower } from './follower.ts';
import { memoryPoison } from './poison.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import { Sequencer } from './sequencer.ts';

/** A journal of ticks, and a follower of it whose reads and snapshots fail on command. */
async function setUp(commands: number) {
  const journal = openMemory();
  const sequencer = new Sequencer({
    state: newState(),
    journal,
    clock: manualClock(venueWith({}).nowMs),
    poison: memoryPoison(),
    recent: new RecentOutcomes({ nextSequence: 1, readOlder: () => Promise.reject(new Error()) }),
    soon: (run) => run(),
    onDurable: () => undefined,
    onFailure: (reason) => {
      throw reason;
    },
  });
  for (let tick = 0; tick < commands; tick++) await sequencer.submit({ kind: 'tick' });
  const troubles: string[] = [];
  const saved: number[] = [];
  const broken = { readAt: 0, snapshots: false };
  const rests = { count: 0 };
  const time = { nowMs: 0, perEntryMs: 0, savingMs: 0 };
  const reader: JournalReader = {
    *read(from, upTo): IterableIterator<Entry> {
      for (const entry of journal.read(from)) {
        if (entry.sequence > upTo) return;
        time.nowMs += time.perEntryMs;
        if (entry.sequence === broken.readAt) throw Object.assign(new Error(), { code: 'EMFILE' });
        yield entry;
      }
    },
    close: () => undefined,
  };
  const eventLog = openMemory();
  const follower = new Follower({
    state: newState(),
    journal: reader,
    eventLog,
    snapshotEvery: 100,
    monotonicMs: () => time.nowMs,
    saveSnapshot: async (sequence, bytes) => {
      time.nowMs += time.savingMs;
      if (broken.snapshots) throw new Error('no space left');
      expect(stateFrom(bytes).sequence).toBe(sequence);
      saved.push(sequence);
    },
    onTrouble: (words) => troubles.push(words),
    rest: () => rests.count++,
  });
  return { follower, eventLog, broken, troubles, saved, time, rests };
}

test('what was followed before a read failed is in the event log, and the rest comes later', async () => {
  const { follower, eventLog, broken } = await setUp(50);
  broken.readAt = 31;
  await expect(follower.follow(50)).rejects.toMatchObject({ code: 'EMFILE' });
  expect([follower.sequence, eventLog.lastSequence]).toEqual([30, 30]);
  broken.readAt = 0;
  await follower.follow(50);
  expect([follower.sequence, eventLog.lastSequence]).toEqual([50, 50]);
});

test('there may be a break after each entry', async () => {
  const { follower, rests } = await setUp(50);
  await follower.follow(50);
  expect(rests.count).toBe(50);
});

test('a snapshot that cannot be written stops nobody and is tried again soon', async () => {
  const { follower, broken, troubles, saved } = await setUp(220);
  broken.snapshots = true;
  for (let upTo = 1; upTo <= 106; upTo++) await follower.follow(upTo);
  expect(troubles).toEqual([
    'the snapshot at 100 could not be written: no space left',
    'the snapshot at 105 could not be written: no space left',
  ]);
  broken.snapshots = false;
  for (let upTo = 107; upTo <= 220; upTo++) await follower.follow(upTo);
  expect(saved).toEqual([110, 210]);
});

test('an audit is made once for each state, and none where nothing has changed', async () => {
  const { follower } = await setUp(20);
  await follower.follow(10);
  expect([follower.audit(), follower.audit()]).toEqual([true, false]);
  await follower.follow(20);
  expect(follower.audit()).toBe(true);
});

test('where replay takes long, snapshots are taken more often, but not if they take long themselves', async () => {
  const { follower, saved, time, broken } = await setUp(80);
  time.perEntryMs = 100;
  time.savingMs = 10;
  for (let upTo = 1; upTo <= 12; upTo++) await follower.follow(upTo);
  expect(saved).toEqual([5, 10]);
  time.savingMs = 50;
  for (let upTo = 13; upTo <= 40; upTo++) await follower.follow(upTo);
  expect(saved).toEqual([5, 10, 15, 25, 35]);
  broken.snapshots = true;
  for (let upTo = 41; upTo <= 54; upTo++) await follower.follow(upTo);
  broken.snapshots = false;
  for (let upTo = 55; upTo <= 60; upTo++) await follower.follow(upTo);
  expect(saved).toEqual([5, 10, 15, 25, 35, 55]);
});
