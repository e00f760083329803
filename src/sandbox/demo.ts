import { ASSET_SCALE, defaultCatalogue } from '../defaults/catalogue.ts';
import type { SignedBy } from '../domain/actors.ts';
import type { Genesis, GenesisStep } from '../domain/commands.ts';
import { partsFromText } from '../domain/decimal.ts';
import { MAIN_ACCOUNT_NAME, type Permission } from '../domain/terms.ts';
import {
  type Amount,
  type AssetIndex,
  amount,
  type KeyIndex,
  type NetworkIndex,
} from '../domain/units.ts';
import { marketFamily, type SealedPair } from './market-family.ts';

/** Two families with funds and keys, so that a new user can trade immediately. */
export const DEMO_FAMILIES = ['demo-1', 'demo-2'] as const;

const MAIN_FUNDS = {
  // Together with the deposit below this makes a million.
  USDT: '999000',
  BTC: '100',
  ETH: '1000',
  SOL: '10000',
  OX: '100000000',
} as const;
/** To the main account of each family, on the simulated chain, so that there is a deposit to look at. */
export const DEMO_DEPOSIT = {
  network: 'Ethereum',
  asset: 'USDT',
  amount: amount(partsFromText('1000', ASSET_SCALE) ?? 0n),
} as const;
/** Funds of each coin for the network fees. */
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

/** One more account per family, inactive until somebody activates it. */
const INACTIVE: DemoAccount = { name: 'desk-c', funds: {}, keys: [['read'], ['read', 'trade']] };

const SAVED_ADDRESS: Readonly<Record<(typeof DEMO_FAMILIES)[number], string>> = {
  'demo-1': '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  'demo-2': '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
};
/** A withdrawal of the second family, above the limit for automatic release: two operators must review it. */
const HELD = {
  asset: 'SOL',
  network: 'Solana',
  address: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  quantity: '1000',
};
/** The family whose withdrawals need a code; the other family's do not. */
const PROTECTED = 'demo-2';

export type DemoSecrets = {
  readonly newKey: () => SealedPair;
  /** An authenticator's secret, base 32, sealed. */
  readonly newTotp: () => Uint8Array;
};

/** The catalogue, the families, their funds and their keys as one command; optionally with the living market's. */
export function demoGenesis({ newKey, newTotp }: DemoSecrets, hasMarket = false): Genesis {
  const actor = 'genesis';
  const steps: GenesisStep[] = [...defaultCatalogue(actor)];
  const fullKeyOf = new Map<string, KeyIndex>();
  let keyCount = 0;
  const add = (family: string, { name, funds, keys }: DemoAccount): void => {
    const account = { family, name };
    steps.push({ kind: 'create-account', actor, account, accountType: 'PORTFOLIO' });
    for (const [asset, text] of Object.entries(funds)) {
      steps.push({ kind: 'credit-genesis', account, asset, amount: partsOf(text) });
    }
    for (const permissions of keys) {
      const key = keyCount++ as KeyIndex;
      if (permissions.includes('withdraw')) fullKeyOf.set(family, key);
      steps.push({ kind: 'create-key', actor, account, permissions, ...newKey() });
    }
  };
  for (const family of DEMO_FAMILIES) for (const account of ACCOUNTS) add(family, account);
  for (const family of DEMO_FAMILIES) {
    add(family, INACTIVE);
    const subAccount = INACTIVE.name;
    steps.push({ kind: 'set-restrictions', actor, family, subAccount, restrictions: ['inactive'] });
    const by = { key: fullKeyOf.get(family) as KeyIndex };
    steps.push({ kind: 'waive-delays', family }, savedAddress(steps, by, SAVED_ADDRESS[family]));
    if (family !== PROTECTED) continue;
    steps.push(heldWithdrawal(steps, by), {
      ...{ kind: 'enrol-factor', by, factor: 'GOOGLE', sealedSecret: newTotp(), step: 0 },
    });
  }
  for (const [asset, text] of Object.entries(NETWORK_COSTS)) {
    steps.push({ kind: 'fund-network-costs', asset, amount: partsOf(text) });
  }
  if (hasMarket) steps.push(...marketFamily(actor, newKey));
  return { kind: 'genesis', steps };
}

const partsOf = (text: string): Amount => amount(partsFromText(text, ASSET_SCALE) ?? 0n);

const savedAddress = (
  steps: readonly GenesisStep[],
  by: SignedBy,
  address: string,
): GenesisStep => ({
  ...{ kind: 'save-address', by, ...placeOf(steps, 'USDT', 'Ethereum'), address },
  ...{ label: 'treasury', whitelisted: true },
});

const heldWithdrawal = (steps: readonly GenesisStep[], by: SignedBy): GenesisStep => ({
  ...{ kind: 'request-withdrawal', by, ...placeOf(steps, HELD.asset, HELD.network) },
  ...{ address: HELD.address, quantity: partsOf(HELD.quantity), externalFee: false },
});

/** Commands name assets and networks by their position in the catalogue. */
function placeOf(
  steps: readonly GenesisStep[],
  asset: string,
  network: string,
): { readonly asset: AssetIndex; readonly network: NetworkIndex } {
  const assets = steps.flatMap((step) => (step.kind === 'define-asset' ? [step.asset.code] : []));
  const networks = steps.flatMap((step) =>
    step.kind === 'define-network' ? [step.network.name] : [],
  );
  return {
    asset: assets.indexOf(asset) as AssetIndex,
    network: networks.indexOf(network) as NetworkIndex,
  };
}
