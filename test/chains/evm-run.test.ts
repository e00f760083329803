import { expect, test } from 'vitest';
import { anvilProgram } from '../../src/connectors/chains/anvil.fixture.ts';
import { runEvm } from './evm-run.ts';

const program = anvilProgram();

test.skipIf(program === undefined)(
  'ten deposits and ten withdrawals of coin and token each, whatever fails: chain = ledger + dust',
  async () => {
    const report = await runEvm({
      program: program as string,
      deposits: 10,
      withdrawals: 10,
      seed: 1,
    });
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ ended: 20 });
    expect(report.nodeRestarts).toBeGreaterThan(1);
    expect(report.kills).toBeGreaterThan(3);
    expect(report.onHold).toBeGreaterThan(1);
    expect(report.depositDust).toBeGreaterThan(0n);
  },
);
