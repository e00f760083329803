/** One suite for every chain: what `chain.ts` promises, and what `scan.ts` and `sweep.ts` make of it. */
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
