import { existsSync } from 'node:fs';
import type { NetworkWork } from '../../domain/chain-work.ts';
import type { NetworkSpec } from '../../domain/market.ts';
import type { AccountIndex, Amount, NetworkIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import { HOT } from '../chains/chain.ts';
import { chainAmountOf } from '../chains/chain-amounts.ts';
import { type KeyHolder, openChain } from '../chains/open-chain.ts';
import type { SeedSeal } from '../chains/seed-file.ts';
import type { SimulatedChain } from '../chains/simulated-chain.ts';
import { chainFileOf, keepWallet, keptChain } from './chain-files.ts';
import { type EvmTerms, refuseOtherChains } from './evm-catalogue.ts';
import { beginningAfter, forgetLostChain } from './lost-chain.ts';
import { networkTerms, numberOf, tokenIdOf } from './network-terms.ts';
import type { ServedChain } from './network-worker.ts';

/** The configuration of a network; networks without one are simulated. */
export type EvmNetwork = EvmTerms & {
  readonly chain: 'evm';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chainId: number;
  readonly keys: KeyHolder;
  /** For an external signer. */
  readonly xpub?: string;
  readonly startHeight?: number;
  readonly pollMs?: number;
  readonly bumpAfterMs?: number;
  readonly blocksPerCall?: number;
  /** In parts of the coin, as text: it may exceed 2^53. */
  readonly pricePerGasMax?: string;
};

export type OpenChainsOptions = {
  readonly engine: Engine;
  readonly data: string;
  readonly venueId: string;
  readonly configured: Readonly<Record<string, EvmNetwork>>;
  readonly seal: SeedSeal;
  /** The wall clock, for the age of a node's head. */
  readonly nowMs: () => number;
  /** Payments to accounts on a simulated chain when it is created. */
  readonly demoPayments?: readonly DemoPayment[];
  readonly onTrouble: (words: string) => void;
};

export type DemoPayment = {
  readonly network: string;
  readonly account: AccountIndex;
  readonly asset: string;
  readonly amount: Amount;
};

export type OpenedChains = {
  readonly served: readonly ServedChain[];
  /** By the name of the network. */
  readonly simulated: ReadonlyMap<string, SimulatedChain>;
};

const EVM_POLL_MS = 3_000;
const EVM_BUMP_MS = 120_000;
const EVM_REPORT_BLOCKS = 1_000;
const SIMULATED_BUMP_MS = 3_000;
/** The simulated chain keeps 512 blocks: what is read again after a restart must be among them. */
const SIMULATED_REPORT_BLOCKS = 100;

/** A chain for every network of the catalogue. Rejects a configuration that does not fit it. */
export async function openChains(options: OpenChainsOptions): Promise<OpenedChains> {
  const { engine, configured } = options;
  const networks = engine.directory.networks();
  refuseOtherChains(networks, configured);
  const works = await engine.view('chainWork', {});
  const simulated = new Map<string, SimulatedChain>();
  const served: ServedChain[] = [];
  for (const [index, spec] of networks.entries()) {
    const network = index as NetworkIndex;
    const evm = configured[spec.name];
    if (evm !== undefined) {
      const wasRead = (works[network]?.height ?? 0) > 0;
      served.push({ ...(await openEvm(options, network, spec, evm)), wasRead });
    } else {
      const chain = await openSimulated(options, spec, works[network] as NetworkWork);
      simulated.set(spec.name, chain);
      served.push(serveSimulated(options, network, chain));
    }
  }
  return { served, simulated };
}

function serveSimulated(
  { engine }: OpenChainsOptions,
  network: NetworkIndex,
  chain: SimulatedChain,
): ServedChain {
  return {
    chain,
    kind: 'simulated',
    terms: networkTerms(engine.directory, network, chain),
    startHeight: 1,
    reportEveryBlocks: SIMULATED_REPORT_BLOCKS,
    bumpAfterMs: SIMULATED_BUMP_MS,
    pollMs: 0,
    mine: () => chain.mine(),
    changes: () => chain.changes,
    waitingCount: () => chain.waitingCount,
    holdings: chain.holdings,
  };
}

async function openSimulated(
  { engine, data, venueId, demoPayments = [], onTrouble }: OpenChainsOptions,
  spec: NetworkSpec,
  work: NetworkWork,
): Promise<SimulatedChain> {
  const file = chainFileOf(data, spec.name);
  const isNew = !existsSync(file);
  const isLost = isNew && (work.height > 0 || work.nextNonce > 0);
  const { directory } = engine;
  const scaleOf = (code: string): number => {
    const asset = directory.assetByCode(code);
    return asset === undefined ? DEFAULT_DECIMALS : directory.asset(asset).scale;
  };
  const own = spec.assets.find(({ asset }) => asset === spec.coin);
  const coinDecimals = own?.transactionPrecision ?? scaleOf(spec.coin ?? '');
  const tokens = spec.assets.flatMap((terms) => {
    const tokenId = tokenIdOf(spec, terms);
    return tokenId === undefined ? [] : [{ tokenId, decimals: terms.transactionPrecision }];
  });
  const { name: network, confirmations, needsMemo, addressFormat } = spec;
  const chain = keptChain(file, {
    ...{ network, confirmations, needsMemo, coinDecimals, tokens },
    ...(addressFormat === undefined ? {} : { addressFormat }),
    prices: pricesAt(coinDecimals),
    seed: venueId,
    ...(isLost ? { begin: beginningAfter(work, engine.releasedSequence) } : {}),
  });
  if (isNew) {
    endow(engine, chain, spec, work);
    if (!isLost) payDemo(engine, chain, spec, demoPayments);
  }
  if (isLost) {
    onTrouble(`${file} was missing: ${spec.name} is simulated anew, with what the ledger has`);
    await forgetLostChain(engine, work, chain);
  }
  return chain;
}

const DEFAULT_DECIMALS = 8;

/** A payment in the coin costs at most 630 parts of 10^-8, one in a token 1,500. */
const pricesAt = (decimals: number) => ({
  coinUnits: 210n,
  tokenUnits: 500n,
  basePrice: 10n ** BigInt(Math.max(0, decimals - DEFAULT_DECIMALS)),
  tip: 10n ** BigInt(Math.max(0, decimals - DEFAULT_DECIMALS)),
});

/**
 * The hot wallet of every network gets as much of each of its assets as the ledger has, so that all of it can
 * be withdrawn on any of them. The chain is saved as a whole before its first answer.
 */
function endow(
  { directory }: Engine,
  chain: SimulatedChain,
  spec: NetworkSpec,
  { ways, coin }: NetworkWork,
): void {
  const coinAssets = ways.some(({ asset }) => asset === coin?.asset) ? [] : [coin];
  for (const found of [...ways, ...coinAssets]) {
    if (found === undefined || found.inside <= 0n) continue;
    const { code, scale } = directory.asset(found.asset);
    const terms = spec.assets.find(({ asset }) => asset === code);
    const tokenId = tokenIdOf(spec, terms ?? { asset: code, tokenId: undefined });
    const amount = chainAmountOf(found.inside, scale, chain.decimalsOf(tokenId) ?? scale);
    chain.payFromOutside({ to: chain.addressOf(HOT), tokenId, amount: amount ?? 0n });
  }
  chain.mine();
}

/** With all their confirmations, so that the first round credits them. */
function payDemo(
  { directory }: Engine,
  chain: SimulatedChain,
  spec: NetworkSpec,
  demoPayments: readonly DemoPayment[],
): void {
  const own = demoPayments.filter(({ network }) => network === spec.name);
  for (const { account, asset, amount } of own) {
    const terms = spec.assets.find((one) => one.asset === asset);
    const index = directory.assetByCode(asset);
    if (terms === undefined || index === undefined) continue;
    const { address, memo } = chain.depositAddress(numberOf(account));
    const { scale } = directory.asset(index);
    chain.payFromOutside({
      to: address,
      ...(memo === undefined ? {} : { memo }),
      tokenId: tokenIdOf(spec, terms),
      amount: chainAmountOf(amount, scale, terms.transactionPrecision) ?? 0n,
    });
  }
  if (own.length > 0) chain.mine(spec.confirmations);
}

async function openEvm(
  { engine, data, seal, nowMs }: OpenChainsOptions,
  network: NetworkIndex,
  spec: NetworkSpec,
  evm: EvmNetwork,
): Promise<ServedChain> {
  const { name, confirmations, assets, coin } = spec;
  const tokens = assets.flatMap(({ asset, tokenId, transactionPrecision: decimals }) => {
    if (asset === coin) return [];
    if (tokenId !== undefined) return [{ tokenId, decimals }];
    throw new Error(
      `${name}: the catalogue has no token for ${asset}; tokens are set when the venue is made ` +
        '(rialto init), in chains of its configuration',
    );
  });
  const coinDecimals = assets.find(({ asset }) => asset === coin)?.transactionPrecision;
  const { url, headers, chainId, keys, xpub, blocksPerCall, pricePerGasMax } = evm;
  const chain = await openChain(
    {
      chain: 'evm',
      network: name,
      chainId: BigInt(chainId),
      node: { url, headers: headers ?? {} },
      keys,
      ...(xpub === undefined ? {} : { xpub }),
      confirmations,
      ...(coinDecimals === undefined ? {} : { coinDecimals }),
      tokens,
      ...(blocksPerCall === undefined ? {} : { blocksPerCall }),
      ...(pricePerGasMax === undefined ? {} : { pricePerGasMax: BigInt(pricePerGasMax) }),
    },
    { seal, nowMs },
  );
  await keepWallet(data, name, chain.addressOf(HOT));
  return {
    chain,
    kind: 'evm',
    terms: networkTerms(engine.directory, network, chain),
    startHeight: evm.startHeight,
    reportEveryBlocks: EVM_REPORT_BLOCKS,
    bumpAfterMs: evm.bumpAfterMs ?? EVM_BUMP_MS,
    pollMs: evm.pollMs ?? EVM_POLL_MS,
  };
}
