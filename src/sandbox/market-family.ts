import { ASSET_SCALE } from '../defaults/catalogue.ts';
import type { CreditGenesis, SetupCommand } from '../domain/commands.ts';
import { partsFromText } from '../domain/decimal.ts';
import { amount } from '../domain/units.ts';

/** A key whose secret is already sealed; created by the caller, because this code uses no randomness. */
export type SealedPair = { readonly accessKey: string; readonly sealedSecret: Uint8Array };

/** The accounts of the living market: ordinary ones, in their own family. */
export const MARKET_FAMILY = 'market';
export const MAKERS = ['maker-1', 'maker-2'] as const;
export const TAKERS = ['taker-1', 'taker-2', 'taker-3'] as const;
export const DEPTH = 'depth-1';

/** Far more than their position limits ever need: enough to trade for decades. */
export const FUNDS: Readonly<Record<string, string>> = {
  OX: '5000000000',
  USDT: '100000000',
  BTC: '2000',
  ETH: '40000',
  SOL: '600000',
  XRP: '100000000',
};

/** Steps of a genesis. The first account of a family is `main`, which only owns the others. */
export function marketFamily(
  actor: string,
  newKey: () => SealedPair,
): (SetupCommand | CreditGenesis)[] {
  const steps: (SetupCommand | CreditGenesis)[] = [];
  for (const name of ['main', ...MAKERS, ...TAKERS, DEPTH]) {
    const account = { family: MARKET_FAMILY, name };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    if (name === 'main') continue;
    for (const [asset, text] of Object.entries(FUNDS)) {
      const parts = amount(partsFromText(text, ASSET_SCALE) ?? 0n);
      steps.push({ kind: 'credit-genesis', account, asset, amount: parts });
    }
    steps.push({ kind: 'create-key', actor, account, permissions: ['read', 'trade'], ...newKey() });
  }
  return steps;
}
