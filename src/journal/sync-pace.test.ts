import { expect, test } from 'vitest';
import { measuredPace, type SyncPace } from './sync-pace.ts';

/** Runs `count` fsyncs on a disk that takes this long; returns how many of them were made on the thread. */
function synced(pace: SyncPace, count: number, ms: (at: number) => number): number {
  let onThread = 0;
  for (let at = 0; at < count; at++) {
    if (!pace.isOnThread()) continue;
    onThread++;
    pace.took(ms(at));
  }
  return onThread;
}

test('on a quick disk the writer waits on its own thread, slow moments or not', () => {
  expect(synced(measuredPace(), 10_000, (at) => (at % 3 === 0 ? 4 : 0.07))).toBe(10_000);
});

test('on a slow disk it waits for a few, then hardly ever', () => {
  const pace = measuredPace();
  expect(synced(pace, 5, () => 5)).toBe(5);
  expect(synced(pace, 63, () => 5)).toBe(0);
  expect(synced(pace, 1, () => 5)).toBe(1);
  expect(synced(pace, 127, () => 5)).toBe(0);
  expect(synced(pace, 100_000, () => 5)).toBeLessThan(40);
});

test('the slower the disk, the more fsyncs at the same time, up to a few', () => {
  const atOnce = (ms: number): number => {
    const pace = measuredPace();
    synced(pace, 1_000, () => ms);
    return pace.appendsMax();
  };
  expect([0.07, 0.3, 1.2, 2.5, 5, 80].map(atOnce)).toEqual([1, 1, 1, 2, 3, 3]);
});

test('under a load that never pauses the appends in flight are let go for a try, now and then', () => {
  const pace = measuredPace();
  synced(pace, 5, () => 5);
  let inFlight = 0;
  let tries = 0;
  let alone = 0;
  for (let step = 0; step < 20_000; step++) {
    // As many as it takes are in flight; one ends with each step.
    while (inFlight < pace.appendsMax() && pace.appendsMax() > 1) {
      if (inFlight > 0) pace.overlapped();
      else if (pace.isOnThread()) pace.took(5);
      inFlight++;
    }
    if (inFlight > 0) inFlight--;
    else {
      alone++;
      if (pace.isOnThread()) {
        pace.took(5);
        tries++;
      }
    }
  }
  expect(tries).toBeGreaterThan(4);
  expect(alone).toBeLessThan(100);
});

test('on a disk that has become quick there is one fsync at a time again', () => {
  const pace = measuredPace();
  synced(pace, 100, () => 5);
  expect(pace.appendsMax()).toBe(3);
  synced(pace, 1_000, () => 0.07);
  expect([pace.isOnThread(), pace.appendsMax()]).toEqual([true, 1]);
});

test('a disk that has become quick is noticed, and one lucky moment is not taken for it', () => {
  const pace = measuredPace();
  synced(pace, 10_000, () => 5);
  expect(synced(pace, 4_096, (at) => (at % 2 === 0 ? 0.07 : 5))).toBeLessThan(10);
  synced(pace, 4_100, () => 0.07);
  expect(synced(pace, 1_000, () => 0.07)).toBe(1_000);
});
