import { withEvmChecksum } from '../../domain/addresses.ts';
import type { GenesisStep } from '../../domain/commands.ts';
import type { NetworkAsset, NetworkSpec } from '../../domain/market.ts';
import { nearest } from '../../domain/nearest.ts';

/** The part of a network's configuration that belongs in the catalogue. */
export type EvmTerms = {
  readonly coin?: string;
  readonly coinDecimals?: number;
  readonly confirmations?: number;
  readonly tokens?: Readonly<
    Record<string, { readonly tokenId: string; readonly decimals: number }>
  >;
};

const COIN_DECIMALS = 18;
const CONFIRMATIONS = 12;
/** For an asset that the default catalogue does not have on this network: 0.0001 at eight decimals. */
const SMALLEST = 10_000n;

/**
 * The catalogue of a new venue with the networks of its configuration: its tokens and their decimals are
 * recorded once, when the venue is created, and every later start is compared with them.
 */
export function withEvmNetworks(
  steps: readonly GenesisStep[],
  configured: Readonly<Record<string, EvmTerms>>,
): GenesisStep[] {
  const codes = steps.flatMap((step) => (step.kind === 'define-asset' ? [step.asset.code] : []));
  const checked = Object.entries(configured).map(([name, terms]) => {
    const unknown = Object.keys(terms.tokens ?? {}).find((code) => !codes.includes(code));
    if (unknown === undefined) return [name, terms] as const;
    throw new Error(
      `chains.${name}.tokens: there is no asset ${unknown}; did you mean ${nearest(unknown, codes)}? ` +
        `There are ${codes.join(', ')}`,
    );
  });
  const terms = new Map(checked);
  const changed = steps.map((step): GenesisStep => {
    if (step.kind !== 'define-network') return step;
    const own = terms.get(step.network.name);
    terms.delete(step.network.name);
    return own === undefined ? step : { ...step, network: evmSpec(step.network, own) };
  });
  const at = changed.findLastIndex(({ kind }) => kind === 'define-network') + 1;
  const added = [...terms].map(([name, own]): GenesisStep => {
    if (own.coin === undefined)
      throw new Error(`chains.${name}.coin is missing: it is a new network`);
    const coin: NetworkAsset = {
      ...{ asset: own.coin, tokenId: undefined, transactionPrecision: COIN_DECIMALS },
      ...{ minDeposit: SMALLEST, minWithdrawal: SMALLEST },
    };
    const plain: NetworkSpec = {
      ...{ name, chain: 'evm', confirmations: CONFIRMATIONS, needsMemo: false },
      ...{ addressFormat: 'evm', coin: own.coin, assets: [coin] },
    };
    return { kind: 'define-network', actor: 'init', network: evmSpec(plain, own) };
  });
  return changed.toSpliced(at, 0, ...added);
}

/** Refuses a configuration with networks that the venue does not have, or has otherwise. */
export function refuseOtherChains(
  networks: readonly NetworkSpec[],
  configured: Readonly<Record<string, EvmTerms>>,
): void {
  const names = networks.map(({ name }) => name);
  const unknown = Object.keys(configured).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `chains: there is no network ${unknown}; did you mean ${nearest(unknown, names)}? There are ${names.join(', ')}`,
    );
  }
  for (const spec of networks) refuseOtherTerms(spec, configured[spec.name]);
}

/**
 * Refuses a configuration that does not fit the network as the venue was made with it. A network on a node of its own
 * is never simulated instead: its customers would be paid on a chain that nobody else has.
 */
export function refuseOtherTerms(spec: NetworkSpec, terms: EvmTerms | undefined): void {
  const { name } = spec;
  if (terms === undefined) {
    if (spec.chain !== 'evm') return;
    throw new Error(
      `chains.${name} is missing in the configuration: the venue was made with this network on a node of its own, ` +
        'and does not simulate it; bring the entry back',
    );
  }
  const [wanted, made] = [evmSpec(spec, terms), spec].map(termsText);
  if (wanted === made) return;
  throw new Error(
    `chains.${name} is ${wanted}, and the venue was made with ${made}: this is set once, by rialto init; correct the ` +
      'configuration',
  );
}

function termsText({ chain, coin, confirmations, assets }: NetworkSpec): string {
  const texts = assets.map(({ asset, tokenId, transactionPrecision }) => {
    const token = asset === coin ? '' : ` ${(tokenId ?? 'without a token').toLowerCase()}`;
    return `${asset}${token} with ${transactionPrecision} decimals`;
  });
  const kind = chain === 'evm' ? 'evm' : 'simulated';
  return [kind, `coin ${coin}`, `${confirmations} confirmations`, ...texts.sort()].join(', ');
}

/** Applied to its own result it changes nothing: later starts are compared by it. */
function evmSpec(spec: NetworkSpec, terms: EvmTerms): NetworkSpec {
  if (spec.addressFormat !== 'evm') throw new Error(`chains: ${spec.name} is no EVM network`);
  const { coin = spec.coin, coinDecimals = COIN_DECIMALS, tokens = {} } = terms;
  const assetFrom = (
    asset: string,
    tokenId: string | undefined,
    decimals: number,
  ): NetworkAsset => {
    const known = spec.assets.find((one) => one.asset === asset);
    const { minDeposit = SMALLEST, minWithdrawal = SMALLEST } = known ?? {};
    return { asset, tokenId, transactionPrecision: decimals, minDeposit, minWithdrawal };
  };
  const isBrought = spec.assets.some(({ asset }) => asset === coin);
  return {
    ...spec,
    chain: 'evm',
    ...(coin === undefined ? {} : { coin }),
    confirmations: terms.confirmations ?? spec.confirmations,
    assets: [
      ...(coin !== undefined && isBrought ? [assetFrom(coin, undefined, coinDecimals)] : []),
      // The chain takes it with its checksum only.
      ...Object.entries(tokens).map(([asset, { tokenId, decimals }]) =>
        assetFrom(asset, withEvmChecksum(tokenId), decimals),
      ),
    ],
  };
}
