import { expect, test } from 'vitest';
import { SyncTimes } from './sync-times.ts';

test('the middle and the slowest of the last groups, and nothing before the first', () => {
  let nowMs = 0;
  const times = new SyncTimes(() => nowMs);
  expect(times.summary()).toBeUndefined();
  const group = (lastedMs: number): void => {
    const beganMs = times.begin();
    nowMs += lastedMs;
    times.end(beganMs);
  };
  for (let lastedMs = 1; lastedMs <= 101; lastedMs++) group(lastedMs);
  expect(times.summary()).toEqual({ medianMs: 51, p99Ms: 100 });
  for (let count = 0; count < 600; count++) group(2);
  expect(times.summary()).toEqual({ medianMs: 2, p99Ms: 2 });
});
