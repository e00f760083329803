/** One suite for every chain: the contract of `chain.ts`, and its use by `scan.ts` and `sweep.ts`. */
import { describe } from 'vitest';
import { describeReading } from './chain-reading-contract.ts';
import { describeSending } from './chain-sending-contract.ts';
import { type ChainStage, onStage } from './chain-stage.fixture.ts';

export function describeChain(name: string, prepare: () => Promise<ChainStage>): void {
  describe(name, () => {
    const scene = onStage(prepare);
    describeReading(scene);
    describeSending(scene);
  });
}
