import type { NetworkWork } from '../../domain/chain-work.ts';
import type { Engine } from '../../engine/engine.ts';
import { REMEMBERED_BLOCKS } from '../chains/scan.ts';
import type { SimulatedChain } from '../chains/simulated-chain.ts';
import type { SimulatedBeginning } from '../chains/simulated-settings.ts';
import { submit, workOf } from './engine-calls.ts';

/**
 * A simulated chain whose file is lost, for example after restoring only the journal. The ledger knows what
 * must be on it, so it starts over with that, above every height that was ever reported.
 */
const GAP_BLOCKS = 1_000;
/** A reorganisation before the loss may have created payers that no command mentions. */
const PAYERS_PER_COMMAND = 10;

export function beginningAfter(
  { height, nextNonce, withdrawals, sweeps }: NetworkWork,
  sequence: number,
): SimulatedBeginning {
  // Signed payments are sent again, with their nonces.
  const unfinished = [
    ...withdrawals.filter(({ status }) => status === 'PROCESSING'),
    ...sweeps.filter(({ step }) => step === 'top-up'),
  ].map(({ nonce }) => nonce);
  return {
    height: height + GAP_BLOCKS,
    hotNonce: Math.min(nextNonce, ...unfinished),
    payers: sequence * PAYERS_PER_COMMAND,
  };
}

/** Credited deposits stay; those that waited for confirmations will get none. Reading starts on the new chain. */
export async function forgetLostChain(
  engine: Engine,
  { network }: NetworkWork,
  chain: SimulatedChain,
): Promise<void> {
  chain.mine(REMEMBERED_BLOCKS);
  const { deposits } = await workOf(engine, network);
  await Promise.all(
    deposits.map(({ txId, output }) =>
      submit(engine, { kind: 'lose-deposit', network, txId, output }),
    ),
  );
  await submit(engine, { kind: 'reach-height', network, height: chain.height });
}
