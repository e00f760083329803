/**
 * Creates a chain from configuration. The EVM chain and its cryptography are loaded only if a network needs
 * them, so a venue without one does not pay for them.
 */
import type { Chain } from './chain.ts';
import type { EvmSettings } from './evm-chain.ts';
import { readSeedFile, type SeedSeal } from './seed-file.ts';
import type { CommandSigner, Signer } from './signer.ts';
import { simulatedChain } from './simulated-chain.ts';
import type { SimulatedSettings } from './simulated-settings.ts';

export type ChainConfiguration =
  | ({ readonly chain: 'simulated' } & SimulatedSettings)
  | ({ readonly chain: 'evm'; readonly keys: KeyHolder; readonly xpub?: string } & Omit<
      EvmSettings,
      'xpub' | 'signer' | 'nowMs'
    >);

/** Who holds the keys: a sealed file, a program, or a service. The last two need the configured `xpub`. */
export type KeyHolder =
  | { readonly file: string }
  | CommandSigner
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
    };

export type ChainSurroundings = {
  readonly seal: SeedSeal;
  readonly nowMs: () => number;
  /** The last saved state of a simulated chain. */
  readonly saved?: string;
};

const SIGNER_RESPONSE_BYTES_MAX = 4_096;

export async function openChain(
  configuration: ChainConfiguration,
  { seal, nowMs, saved }: ChainSurroundings,
): Promise<Chain> {
  if (configuration.chain === 'simulated') return simulatedChain(configuration, saved);
  const { keys, xpub: configured, network, ...rest } = configuration;
  const { signer, xpub } = await keysOf({ network, keys, xpub: configured }, seal);
  const { evmChain } = await import('./evm-chain.ts');
  return evmChain({ ...rest, network, xpub, signer, nowMs });
}

export type ConfiguredKeys = {
  readonly network: string;
  readonly keys: KeyHolder;
  readonly xpub?: string | undefined;
};

/** The address of the wallet that pays withdrawals; the node is not needed. */
export async function hotWalletOf(configured: ConfiguredKeys, seal: SeedSeal): Promise<string> {
  const { addressBook, HOT_PATH } = await import('./signer.ts');
  const { xpub } = await keysOf(configured, seal);
  return addressBook(xpub).at(HOT_PATH);
}

async function keysOf(
  { network, keys, xpub: configured }: ConfiguredKeys,
  seal: SeedSeal,
): Promise<{ readonly signer: Signer; readonly xpub: string }> {
  const { signer, xpub: own } = await holderOf(keys, seal);
  const xpub = configured ?? own;
  if (xpub === undefined) throw new Error(`${network}: a signer outside needs its xpub told`);
  if (own !== undefined && own !== xpub) {
    throw new Error(`${network}: the seed is not that of the xpub: its addresses would be others`);
  }
  return { signer, xpub };
}

async function holderOf(
  keys: KeyHolder,
  seal: SeedSeal,
): Promise<{ readonly signer: Signer; readonly xpub?: string }> {
  const { commandSigner, httpSigner, seedSigner, xpubOf } = await import('./signer.ts');
  if ('command' in keys) return { signer: commandSigner(keys) };
  if ('url' in keys) {
    return { signer: httpSigner({ ...keys, responseBytesMax: SIGNER_RESPONSE_BYTES_MAX }) };
  }
  const seed = readSeedFile(keys.file, seal);
  return { signer: seedSigner(seed), xpub: xpubOf(seed) };
}
