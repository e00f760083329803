import { hotWalletOf } from './connectors/chains/open-chain.ts';
import { keepWallet, refuseOtherKeys } from './connectors/wallets/chain-files.ts';
import { refuseOtherChains } from './connectors/wallets/evm-catalogue.ts';
import type { EvmNetwork } from './connectors/wallets/open-chains.ts';
import type { NetworkSpec } from './domain/market.ts';
import type { ClusterSide } from './engine/start.ts';
import { hearWallets } from './leader-reports.ts';
import type { Seal } from './seal.ts';

/** The hot wallet of each network with a node of its own, by name: its keys decide every deposit address. */
export type HotWallets = ReadonlyMap<string, string>;

/** A standby must not take over. */
export class OtherWallets extends Error {
  override readonly name = 'OtherWallets';
}

/** Those of this node. Refuses chains that do not fit the catalogue, and other keys than the data directory knows. */
export async function ownWallets(
  networks: readonly NetworkSpec[],
  {
    data,
    chains,
  }: { readonly data: string; readonly chains: Readonly<Record<string, EvmNetwork>> },
  seal: Seal,
): Promise<HotWallets> {
  refuseOtherChains(networks, chains);
  const wallets = new Map<string, string>();
  for (const [network, { keys, xpub }] of Object.entries(chains)) {
    const wallet = await hotWalletOf({ network, keys, xpub }, seal);
    refuseOtherKeys(data, network, wallet);
    wallets.set(network, wallet);
  }
  return wallets;
}

/**
 * Compares a standby's wallets with those that the leading engine reports every second: with other keys it
 * would pay from another wallet and show customers other addresses once it leads. Rejects when they differ.
 * When they agree, the data directory keeps them, so that they are also compared while nobody leads.
 */
export function agreeWithLeader(
  { data, node }: { readonly data: string; readonly node: string },
  own: HotWallets,
  signals: ClusterSide['signals'],
): Promise<never> {
  const kept = new Set<string>();
  return new Promise((_, reject) => {
    hearWallets(signals, (network, leaders) => {
      const wallet = own.get(network);
      if (wallet === undefined || kept.has(network)) return;
      if (wallet !== leaders) {
        reject(
          new OtherWallets(
            `chains.${network}.keys of ${node} are not those of the leading engine: the hot wallet would be ` +
              `${wallet} instead of ${leaders}, and every deposit address another; all engines need the same keys`,
          ),
        );
        return;
      }
      kept.add(network);
      keepWallet(data, network, wallet).catch((cause: Error) => {
        reject(new OtherWallets(`the hot wallet of ${network} cannot be kept: ${cause.message}`));
      });
    });
  });
}
