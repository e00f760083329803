import { expect, test } from 'vitest';
import { PastBudget } from './past-budget.ts';

const HOUR_MS = 3_600_000;
const PAST_MS = 72 * HOUR_MS;

/** Plays three days in steps of an hour on a machine of that speed; returns the hours played and the time taken. */
function play(commandsPerMs: (tookMs: number) => number) {
  let nowMs = 0;
  const budget = new PastBudget({ monotonicMs: () => nowMs, mostMs: 10_000 });
  const played: number[] = [];
  for (let wallMs = 0; wallMs < PAST_MS; ) {
    played.push(wallMs / HOUR_MS);
    const isLate = PAST_MS - wallMs <= 8 * HOUR_MS;
    const commands = 3_600 * (isLate ? 0.8 : 0.35);
    nowMs += commands / commandsPerMs(nowMs);
    budget.played += commands;
    wallMs += HOUR_MS;
    wallMs += budget.skipMs(wallMs, PAST_MS - wallMs);
  }
  return { played, tookMs: nowMs };
}

test('a machine that is fast enough plays every hour', () => {
  expect(play(() => 20).played).toHaveLength(72);
});

test('one that is slow only at first leaves out little', () => {
  const { played, tookMs } = play((nowMs) => (nowMs < 1_500 ? 3 : 20));
  expect(played.length).toBeGreaterThan(55);
  expect(tookMs).toBeLessThan(10_500);
});

test('a slow one plays hours all along, none of its gaps is long, and it ends in time', () => {
  const { played, tookMs } = play(() => 5);
  expect(tookMs).toBeLessThan(11_000);
  expect(played.length).toBeGreaterThan(20);
  const gaps = played.map((hour, at) => (played[at + 1] ?? 72) - hour);
  expect(Math.max(...gaps)).toBeLessThan(12);
});

test('one that is held up for a moment goes on as before', () => {
  const { played, tookMs } = play((nowMs) => (nowMs > 3_000 && nowMs < 4_000 ? 1 : 14));
  expect(tookMs).toBeLessThan(10_500);
  expect(played.length).toBeGreaterThan(60);
});

test('the newest hours have no gap between them', () => {
  for (const speed of [3, 5, 8]) {
    const { played } = play(() => speed);
    const newest = played.filter((hour) => hour >= 64);
    expect(newest.length).toBeGreaterThanOrEqual(4);
    const [first = 0, ...others] = newest.slice(2);
    expect(others.map((hour) => Math.round(hour - first))).toEqual(others.map((_, at) => at + 1));
  }
});

test('a very slow one ends all the same', () => {
  const { played, tookMs } = play(() => 0.5);
  expect(played.length).toBeGreaterThan(1);
  expect(tookMs).toBeLessThan(20_000);
});
