import { expect, test } from 'vitest';
import { runDay } from './day.ts';

test('half an hour with crashes, hundreds of accounts: it ends balanced, and the events explain the fund', () => {
  const report = runDay({ accounts: 300, seconds: 2_600, seed: 3 });
  expect(report.faults).toEqual([]);
  expect(report.liquidations).toBeGreaterThan(3);
  expect(report.matches).toBeGreaterThan(1_000);
});
