import { accountIdText, accountIndexFromText } from '../../domain/ids.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import type { AccountIndex, AssetIndex, NetworkIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { Chain, TokenId } from '../chains/chain.ts';

/** A network of the catalogue as its chain sees it: which token is which asset, in which parts. */
export type NetworkTerms = {
  readonly network: NetworkIndex;
  readonly name: string;
  readonly assets: readonly ChainAsset[];
  /** The coin in which fees are paid, if it is an asset of the venue. */
  readonly coin: ChainAsset | undefined;
};

export type ChainAsset = {
  readonly asset: AssetIndex;
  readonly code: string;
  readonly tokenId: TokenId;
  /** Decimals of the ledger, and of the chain. */
  readonly scale: number;
  readonly decimals: number;
  readonly isFeeFree: boolean;
};

/** An asset that is not the network's coin is a token; on a simulated chain its code is the token id. */
export const tokenIdOf = (
  { coin }: Pick<NetworkSpec, 'coin'>,
  { asset, tokenId }: { readonly asset: string; readonly tokenId: string | undefined },
): TokenId => (asset === coin ? undefined : (tokenId ?? asset));

/** Rejects a catalogue that promises finer amounts than the chain supports. */
export function networkTerms(
  directory: Directory,
  network: NetworkIndex,
  chain: Pick<Chain, 'decimalsOf'>,
): NetworkTerms {
  const spec = directory.networks()[network] as NetworkSpec;
  const termsOf = (code: string, tokenId: TokenId, isFeeFree: boolean): ChainAsset => {
    const asset = directory.assetByCode(code) as AssetIndex;
    const { scale } = directory.asset(asset);
    const decimals = chain.decimalsOf(tokenId);
    if (decimals === undefined) throw new Error(`${spec.name} does not carry ${code}`);
    return { asset, code, tokenId, scale, decimals, isFeeFree };
  };
  const assets = spec.assets.map((terms) => {
    const found = termsOf(terms.asset, tokenIdOf(spec, terms), terms.isFeeFree === true);
    if (terms.transactionPrecision !== found.decimals) {
      throw new Error(
        `${spec.name}: ${terms.asset} has ${found.decimals} decimals on its chain, the catalogue says ` +
          `${terms.transactionPrecision}; they are set when the venue is made (rialto init)`,
      );
    }
    return found;
  });
  const isKnown = spec.coin !== undefined && directory.assetByCode(spec.coin) !== undefined;
  const coin = isKnown ? termsOf(spec.coin ?? '', undefined, false) : undefined;
  return { network, name: spec.name, assets, coin };
}

export const assetOf = ({ assets }: NetworkTerms, asset: AssetIndex): ChainAsset | undefined =>
  assets.find((one) => one.asset === asset);

/** The number of an account on chains is the one that users see. */
export const numberOf = (account: AccountIndex): number =>
  Number.parseInt(accountIdText(account), 10);

export const accountOf = (accountNumber: number): AccountIndex =>
  accountIndexFromText(String(accountNumber)) as AccountIndex;
