import { expect, test } from 'vitest';
import { audit } from '../../src/core/audit/audit.ts';
import { runMarket } from './market-run.ts';

test('a living market is quoted, deep and traded, and harms nobody', () => {
  const run = runMarket({ seed: 1, minutes: 125 });
  // Nothing was refused, cancelled by a rule or liquidated.
  expect([...run.trouble]).toEqual([]);
  expect(audit(run.state).faults).toEqual([]);
  for (const { code, samples, candles, matches } of run.markets) {
    const quoted = samples.slice(1);
    const spreads = quoted.map(({ bid, ask, mark }) => (ask - bid) / mark).sort((a, b) => a - b);
    expect(spreads[0], code).toBeGreaterThan(0);
    expect(spreads[Math.floor(spreads.length / 2)], code).toBeLessThan(0.004);
    expect(spreads.at(-1), code).toBeLessThan(0.02);
    expect(
      quoted.filter(({ isDeep }) => !isDeep),
      code,
    ).toEqual([]);
    for (const { mark, index, levels } of quoted) {
      // A page shows a dozen.
      expect(levels, code).toBeGreaterThanOrEqual(10);
      expect(Math.abs(mark / index - 1), code).toBeLessThan(0.01);
    }
    expect(matches, code).toBeGreaterThan(100);
    expect(candles.filter(({ usd }) => usd > 0).length, code).toBeGreaterThan(quoted.length / 2);
  }
  // The index moves, and funding is set every hour.
  const [btc] = run.markets;
  expect(new Set(btc?.samples.map(({ index }) => index)).size).toBeGreaterThan(100);
  expect(run.fundingRates.filter(({ rate }) => rate !== 0n).length).toBeGreaterThanOrEqual(4);
});

test('a seed gives one market', () => {
  const digestOf = (seed: number) => runMarket({ seed, minutes: 3 }).state.digest;
  expect(digestOf(5)).toEqual(digestOf(5));
  expect(digestOf(6)).not.toEqual(digestOf(5));
});
