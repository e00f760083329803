import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ChainUnavailable } from '../chains/chain.ts';
import { type SimulatedChain, simulatedChain } from '../chains/simulated-chain.ts';
import type { SimulatedSettings } from '../chains/simulated-settings.ts';

/**
 * A simulated chain in a file of the venue. It is saved before every answer, so the journal never holds the
 * consequence of a block that a crash undoes. The other direction is harmless: what the chain has and the
 * venue does not know yet is read, or sent, again.
 */
export function keptChain(file: string, settings: SimulatedSettings): SimulatedChain {
  const saved = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let savedChanges = -1;
  let saving: Promise<void> = Promise.resolve();
  const save = async (): Promise<void> => {
    const { changes } = chain;
    if (savedChanges === changes) return;
    try {
      await writeDurably(file, chain.save());
    } catch (error) {
      throw new ChainUnavailable(settings.network, 'down', (error as Error).message);
    }
    savedChanges = changes;
  };
  const chain = chainOrAdvice(
    file,
    {
      ...settings,
      beforeAnswer: async () => {
        while (savedChanges !== chain.changes) {
          // One after another, even after a failure.
          saving = saving.then(save, save);
          await saving;
        }
      },
    },
    saved,
  );
  if (saved !== undefined) savedChanges = chain.changes;
  return chain;
}

/** Nobody has another copy of it, and the venue has what it needs to begin it anew. */
function chainOrAdvice(
  file: string,
  settings: SimulatedSettings,
  saved: string | undefined,
): SimulatedChain {
  try {
    return simulatedChain(settings, saved);
  } catch (cause) {
    if (saved === undefined) throw cause;
    throw new Error(
      `${file}: ${(cause as Error).message}; bring the file back from a copy, or remove it: the chain is then made ` +
        "anew from the ledger's balances, without deposits that waited for confirmations",
      { cause },
    );
  }
}

/** Leaves the new content or the old one, whenever the machine stops. */
async function writeDurably(file: string, text: string): Promise<void> {
  const aside = `${file}.tmp`;
  const handle = await open(aside, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(aside, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The hot wallet with which the network was first served; undefined if it never was. */
export function keptWallet(data: string, network: string): string | undefined {
  const file = fileOf(data, network, 'wallet');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/**
 * Refuses other keys than those with which the network was first served: every deposit address would be
 * another, and what customers pay to the old ones would not be seen.
 */
export function refuseOtherKeys(data: string, network: string, hotWallet: string): void {
  const before = keptWallet(data, network);
  if (before === undefined || before === hotWallet) return;
  throw new Error(
    `chains.${network}.keys are not those that this venue had: the hot wallet would be ${hotWallet} instead of ` +
      `${before}, and every deposit address another; bring the keys back. If the venue is to change its wallet, ` +
      `remove ${fileOf(data, network, 'wallet')}`,
  );
}

/** The network is served with these keys from now on. */
export async function keepWallet(data: string, network: string, hotWallet: string): Promise<void> {
  refuseOtherKeys(data, network, hotWallet);
  const file = fileOf(data, network, 'wallet');
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, `${hotWallet}\n`);
}

export const chainFileOf = (data: string, network: string): string => fileOf(data, network, 'json');

/** One file of a kind per network; the name of a network may contain any character. */
const fileOf = (data: string, network: string, kind: string): string =>
  join(data, 'chains', `${encodeURIComponent(network)}.${kind}`);
