import { expect, test } from 'vitest';
import type { Command } from '../../domain/commands.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import { simulatedChain } from '../chains/simulated-chain.ts';
import { networkTerms, numberOf } from './network-terms.ts';
import type { ServedChain } from './network-worker.ts';
import { engineOver, walletVenue } from './wallets.fixture.ts';
import { startWallets } from './wallets.ts';

/** What the wallets cost a venue in which nothing is to be done for them. */
const SPEC: NetworkSpec = {
  ...{ name: 'Ethereum', chain: 'simulated', confirmations: 2, needsMemo: false },
  ...{ addressFormat: 'evm', coin: 'ETH' },
  assets: [
    {
      ...{ asset: 'ETH', tokenId: undefined, transactionPrecision: 8 },
      ...{ minDeposit: 1_000n, minWithdrawal: 1n },
    },
  ],
};
const create = (family: string): Command => ({
  kind: 'create-account',
  actor: 'test',
  account: { family, name: 'main' },
  accountType: 'PORTFOLIO',
});

/** A node outside that is asked once an hour, and a timer that the test calls. */
async function scene() {
  const { core, network } = walletVenue(SPEC, ['a', 'b', 'c'], '1');
  const chain = simulatedChain({ network: SPEC.name, confirmations: 2, coinDecimals: 8 });
  chain.mine(3);
  const engine = engineOver(core, { isDead: false, dies: () => false });
  const observed: number[][] = [];
  const { observe } = chain;
  chain.observe = (numbers) => {
    observed.push([...numbers]);
    return observe(numbers);
  };
  const served: ServedChain = {
    ...{ chain, kind: 'evm', startHeight: undefined, reportEveryBlocks: 20 },
    ...{ bumpAfterMs: 5_000, pollMs: 3_600_000 },
    terms: networkTerms(engine.directory, network, chain),
  };
  let check = (): void => undefined;
  const wallets = startWallets({
    ...{ engine, chains: [served], nowMs: () => core.nowMs, onTrouble: () => undefined },
    every: (_periodMs, run) => {
      check = run;
      return () => undefined;
    },
  });
  /** A tenth of a second later, and whatever that has started. */
  const checked = async (): Promise<void> => {
    check();
    for (let microtask = 0; microtask < 1_000; microtask++) await Promise.resolve();
  };
  await checked();
  return { core, engine, wallets, observed, checked };
}

test('deposits that are remembered cost nothing while commands of others pass', async () => {
  const { core, engine, checked } = await scene();
  let walks = 0;
  const { deposits } = core.state.wallet;
  const values = deposits.values.bind(deposits);
  deposits.values = () => {
    walks++;
    return values();
  };
  for (const family of ['d', 'e', 'f']) {
    await engine.submit(create(family));
    await checked();
  }
  expect(walks).toBe(0);
});

test('a new account is observed, and not all the others again', async () => {
  const { core, engine, observed, wallets, checked } = await scene();
  const number = (family: string): number => numberOf(core.account(family, 'main'));
  expect(observed).toEqual([['a', 'b', 'c'].map(number)]);
  for (const family of ['d', 'e']) {
    await engine.submit(create(family));
    core.nowMs += 3_600_000;
    await checked();
    await checked();
  }
  expect(observed.slice(1)).toEqual([[number('d')], [number('e')]]);
  expect(wallets.status()).toMatchObject([{ isReachable: true }]);
});
