import { expect, test } from 'vitest';
import { runChainKills } from './chain-kills.ts';
import { seeded } from './kills.ts';

test('the program is killed while money comes and goes: each payment arrives once, none is lost', async () => {
  const report = await runChainKills(2, seeded(5));
  expect(report.faults).toEqual([]);
  expect(report).toMatchObject({ deposits: 6, withdrawals: 6 });
});

test('simulated chains that are lost with a kill begin anew with what the ledger has', async () => {
  const report = await runChainKills(1, seeded(6), true);
  expect(report.faults).toEqual([]);
});
