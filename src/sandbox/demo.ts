import { ASSET_SCALE, defaultCatalogue } from '../defaults/catalogue.ts';
import type { CreditGenesis, FundHolder, Genesis, SetupCommand } from '../domain/commands.ts';
import { partsFromText } from '../domain/decimal.ts';
import { MAIN_ACCOUNT_NAME, type Permission } from '../domain/terms.ts';
import { amount } from '../domain/units.ts';

/** Two families with money and keys, so that the first minute is a trade and not a form. */
export const DEMO_FAMILIES = ['demo-1', 'demo-2'] as const;

const MAIN_FUNDS = {
  // With the deposit below it is a million.
  USDT: '999000',
  BTC: '100',
  ETH: '1000',
  SOL: '10000',
  OX: '100000000',
} as const;
/** To the main account of each family, on the simulated chain: so there is a deposit to look at. */
export const DEMO_DEPOSIT = {
  network: 'Ethereum',
  asset: 'USDT',
  amount: amount(partsFromText('1000', ASSET_SCALE) ?? 0n),
} as const;
/** What the networks are paid from, of each coin. */
const NETWORK_COSTS = { ETH: '10', BTC: '1', SOL: '100', XRP: '1000' } as const;

const DESK_FUNDS = { USDT: '100000', BTC: '10', OX: '10000000' } as const;

type DemoAccount = {
  readonly name: string;
  readonly funds: Readonly<Record<string, string>>;
  readonly keys: readonly (readonly Permission[])[];
};
const ACCOUNTS: readonly DemoAccount[] = [
  {
    name: MAIN_ACCOUNT_NAME,
    funds: MAIN_FUNDS,
    keys: [['read'], ['read', 'trade'], ['read', 'trade', 'withdraw']],
  },
  { name: 'desk-a', funds: DESK_FUNDS, keys: [['read'], ['read', 'trade']] },
  { name: 'desk-b', funds: DESK_FUNDS, keys: [['read'], ['read', 'trade']] },
];

/** A key with its secret sealed already; made outside, because this code uses no randomness. */
export type SealedPair = { readonly accessKey: string; readonly sealedSecret: Uint8Array };

/** The catalogue, the families, their money and their keys, as one command. */
export function demoGenesis(newKey: () => SealedPair): Genesis {
  const actor = 'genesis';
  const steps: (SetupCommand | CreditGenesis | FundHolder)[] = [...defaultCatalogue(actor)];
  for (const family of DEMO_FAMILIES) {
    for (const { name, funds, keys } of ACCOUNTS) {
      const account = { family, name };
      steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
      for (const [asset, text] of Object.entries(funds)) {
        const parts = amount(partsFromText(text, ASSET_SCALE) ?? 0n);
        steps.push({ kind: 'credit-genesis', account, asset, amount: parts });
      }
      for (const permissions of keys) {
        steps.push({ kind: 'create-key', actor, account, permissions, ...newKey() });
      }
    }
  }
  for (const [asset, text] of Object.entries(NETWORK_COSTS)) {
    const parts = amount(partsFromText(text, ASSET_SCALE) ?? 0n);
    steps.push({ kind: 'fund-network-costs', asset, amount: parts });
  }
  return { kind: 'genesis', steps };
}
