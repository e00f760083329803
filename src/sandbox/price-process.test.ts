import { expect, test } from 'vitest';
import { type AssetMoves, PriceProcess } from './price-process.ts';

const MOVES: AssetMoves[] = [
  { asset: 'BTC', anchor: 60_000, daily: 0.025, beta: 0.85 },
  { asset: 'USDT', anchor: 1, daily: 0, beta: 0 },
];
const DAY_SECONDS = 86_400;

const minutesOf = (seed: number, days: number): number[] => {
  const process = new PriceProcess(MOVES, seed, new Map());
  const prices: number[] = [];
  for (let second = 0; second < days * DAY_SECONDS; second++) {
    process.second();
    if (second % 60 === 0) prices.push(process.price('BTC'));
  }
  expect(process.price('USDT')).toBe(1);
  return prices;
};

test('the same seed gives the same prices, another seed others', () => {
  expect(minutesOf(7, 0.1)).toEqual(minutesOf(7, 0.1));
  expect(minutesOf(8, 0.1)).not.toEqual(minutesOf(7, 0.1));
});

test('prices move as a market does, in clusters, and do not run away', () => {
  for (const seed of [1, 2, 3]) {
    const prices = minutesOf(seed, 6);
    expect(Math.min(...prices)).toBeGreaterThan(60_000 / 2);
    expect(Math.max(...prices)).toBeLessThan(60_000 * 2);
    // No return is large enough for the venue to wait for a second round.
    const returns = prices.slice(1).map((price, at) => price / (prices[at] ?? price) - 1);
    expect(Math.max(...returns.map(Math.abs))).toBeLessThan(0.05);
    const daily = Math.sqrt(returns.reduce((sum, one) => sum + one * one, 0) / 6);
    expect(daily).toBeGreaterThan(0.01);
    expect(daily).toBeLessThan(0.12);
    // After a large move within the last quarter of an hour, this minute moves more than usual.
    expect(
      correlation(
        returns.map((one) => Math.min(0.003, Math.abs(one))),
        10,
      ),
    ).toBeGreaterThan(0.1);
  }
});

test('it goes on from where prices are, and is drawn back', () => {
  const process = new PriceProcess(MOVES, 1, new Map([['BTC', 200_000]]));
  process.second();
  expect(process.price('BTC')).toBeGreaterThan(190_000);
  for (let second = 0; second < 10 * DAY_SECONDS; second++) process.second();
  expect(process.price('BTC')).toBeLessThan(120_000);
});

/** Correlation of a series with itself, `lag` steps later. */
function correlation(series: readonly number[], lag: number): number {
  const mean = series.reduce((sum, one) => sum + one, 0) / series.length;
  const off = series.map((one) => one - mean);
  const of = (by: number): number =>
    off.slice(by).reduce((sum, one, at) => sum + one * (off[at] ?? 0), 0);
  return of(lag) / of(0);
}
