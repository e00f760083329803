import { expect, test } from 'vitest';
import type { NetworkSpec } from '../../domain/market.ts';
import { HOT } from '../chains/chain.ts';
import { simulatedChain } from '../chains/simulated-chain.ts';
import { networkTerms, numberOf } from './network-terms.ts';
import { NetworkWorker, type ServedChain } from './network-worker.ts';
import { engineOver, walletVenue } from './wallets.fixture.ts';

const terms = (asset: string) => ({
  ...{ asset, tokenId: undefined, transactionPrecision: 8 },
  ...{ minDeposit: 1_000n, minWithdrawal: 1n },
});
const SPEC: NetworkSpec = {
  ...{ name: 'Ethereum', chain: 'simulated', confirmations: 2, needsMemo: false },
  ...{ addressFormat: 'evm', coin: 'ETH', assets: [terms('ETH'), terms('USDT')] },
};

/** A chain that makes its own blocks, as a node outside does, before a venue with two families. */
function outside(served: Partial<ServedChain> = {}) {
  const { core, network } = walletVenue(SPEC, ['a', 'b'], '1');
  const chain = simulatedChain({
    ...{ network: SPEC.name, confirmations: 2, coinDecimals: 8 },
    tokens: [{ tokenId: 'USDT', decimals: 8 }],
  });
  chain.payFromOutside({ to: chain.addressOf(HOT), amount: 100_000_000n });
  chain.mine(3);
  const engine = engineOver(core, { isDead: false, dies: () => false });
  const worker = new NetworkWorker({
    engine,
    served: {
      ...{ chain, kind: 'evm', startHeight: undefined, reportEveryBlocks: 20 },
      ...{ bumpAfterMs: 5_000, pollMs: 0 },
      terms: networkTerms(engine.directory, network, chain),
      ...served,
    },
    nowMs: () => core.nowMs,
    onTrouble: () => undefined,
  });
  const number = (family: string): number => numberOf(core.account(family, 'main'));
  return { core, network, chain, worker, number };
}

test('a new network has addresses once its node was reached: what was paid before would not be seen', async () => {
  const { chain, worker, number } = outside();
  chain.setTrouble({ fault: 'down' });
  expect(await worker.round()).toBe(false);
  expect(worker.depositAddress(number('a'))).toBeUndefined();
  chain.setTrouble({});
  expect(await worker.round()).toBe(true);
  expect(worker.depositAddress(number('a'))).toEqual(chain.depositAddress(number('a')));
  // Known from then on, whatever becomes of the node, and after a restart as well.
  chain.setTrouble({ fault: 'down' });
  await worker.round();
  expect(worker.depositAddress(number('a'))).toBeDefined();
  expect(outside({ wasRead: true }).worker.depositAddress(number('a'))).toBeDefined();
});
