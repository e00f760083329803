import type { SandboxChains } from './api/server.ts';
import { chainAmountOf } from './connectors/chains/chain-amounts.ts';
import type { SimulatedChain } from './connectors/chains/simulated-chain.ts';
import { numberOf, tokenIdOf } from './connectors/wallets/network-terms.ts';
import type { Directory } from './domain/views.ts';

/** The outside world of a `dev` venue: it pays, and controls the simulated chains. */
export const sandboxChains = (
  directory: Directory,
  simulated: ReadonlyMap<string, SimulatedChain>,
): SandboxChains => ({
  pay: async ({ network, asset, account, quantity }) => {
    const chain = simulated.get(network);
    const spec = directory.networks().find(({ name }) => name === network);
    const terms = spec?.assets.find((one) => one.asset === asset);
    const index = directory.assetByCode(asset);
    if (chain === undefined || spec === undefined || terms === undefined || index === undefined) {
      return undefined;
    }
    const { scale } = directory.asset(index);
    const amount = chainAmountOf(quantity, scale, terms.transactionPrecision);
    if (amount === undefined) return undefined;
    const { address, memo } = chain.depositAddress(numberOf(account));
    const place = { address, ...(memo === undefined ? {} : { memo }) };
    const paid = {
      ...(memo === undefined ? {} : { memo }),
      tokenId: tokenIdOf(spec, terms),
      amount,
    };
    const txId = chain.payFromOutside({ to: address, ...paid });
    chain.mine();
    await onDisk(chain);
    return { ...place, txId };
  },

  control: async (network, { node, price, reorganise, mine }) => {
    const chain = simulated.get(network);
    if (chain === undefined) return undefined;
    if (node !== undefined) chain.setTrouble(node === 'well' ? {} : { fault: node });
    if (price !== undefined) chain.setBaseFee(price);
    const removed =
      reorganise === undefined ? [] : chain.reorganise(Math.min(reorganise, chain.keptBlocks - 1));
    if (mine !== undefined) chain.mine(mine);
    await onDisk(chain);
    return { height: chain.height, removed };
  },
});

/** Whoever gets an answer can rely on it: a chain is saved before it reports its state. */
const onDisk = async (chain: SimulatedChain): Promise<void> => void (await chain.health());
