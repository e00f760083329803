import { expect, test } from 'vitest';
import { PastBudget } from './past-budget.ts';

const HOUR_MS = 3_600_000;
const PAST_MS = 72 * HOUR_MS;

/** Plays three days by the hour on a machine of that speed; returns the hours played and the time taken. */
function play(commandsPerMs: (tookMs: number) => number) {
  let nowMs = 0;
  const budget = new PastBudget({ monotonicMs: () => nowMs, mostMs: 10_000 });
  const played: number[] = [];
  for (let wallMs = 0; wallMs < PAST_MS; ) {
    played.push(wallMs / HOUR_MS);
    const isLate = PAST_MS - wallMs <= 24 * HOUR_MS;
    const commands = 3_600 * (isLate ? 0.85 : 0.4);
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

test('a very slow one ends all the same', () => {
  const { played, tookMs } = play(() => 0.5);
  expect(played.length).toBeGreaterThan(1);
  expect(tookMs).toBeLessThan(20_000);
});
