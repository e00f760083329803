import { defaultCatalogue } from '../../src/defaults/catalogue.ts';
import type { Genesis, SetupCommand } from '../../src/domain/commands.ts';
import type { AccountType, Permission } from '../../src/domain/terms.ts';
import { amount } from '../../src/domain/units.ts';
import type { Random } from './random.ts';

/** 23:59:20 UTC of some day, so that a day ends during a run. */
export const START_MS = 1_750_031_960_000;

const ACCOUNT_TYPES: readonly AccountType[] = ['PORTFOLIO', 'PORTFOLIO', 'STANDARD', 'LINEAR'];

/** The initial funds of an account, in whole units of each asset; some are poor. */
const PURSES: readonly Readonly<Record<string, number>>[] = [
  { OX: 500_000, USDT: 20_000, BTC: 1, ETH: 5, SOL: 50 },
  { OX: 20_000, USDT: 2_000, ETH: 1 },
  { OX: 3_000, USDT: 100, SOL: 3, XRP: 500 },
  { USDT: 800, BTC: 0.01 },
  { USDT: 3_000 },
  { OX: 40, USDT: 15 },
  // Native only: only the prices of its positions affect such an account.
  { OX: 30_000 },
  { OX: 2_000_000 },
  { BTC: 0.4, XRP: 10_000 },
  { OX: 3_000_000_000, USDT: 100_000_000, BTC: 2_000, ETH: 20_000, SOL: 100_000, XRP: 9_000_000 },
  {},
];

/** Markets of a run: the default catalogue, and another perpetual on bitcoin, so that legs are netted. */
export const MARKETS = 10;
export const BITCOIN_PERPETUALS = [0, 9];
export const PERPETUALS = [0, 1, 2, 3, 9];

/** Finer than the first: its trades, and the fees on them, are rarely integers in parts. */
const FINE = { priceScale: 3, tickParts: 1n, quantityScale: 5, lotParts: 1n };
const FINE_LOTS_MAX = 10_000_000;

function secondPerpetual(actor: string): SetupCommand {
  const found = defaultCatalogue(actor).find((step) => step.kind === 'define-market');
  if (found?.kind !== 'define-market') throw new Error('the catalogue has a market');
  const code = 'BTC-USD-SWAP-TWO';
  return { ...found, market: { ...found.market, ...FINE, code, maxOrderLots: FINE_LOTS_MAX } };
}

export const stepsOfCatalogue = (actor: string): SetupCommand[] =>
  defaultCatalogue(actor).flatMap((step) =>
    // Before the first prices.
    step.kind === 'set-index-prices' ? [secondPerpetual(actor), step] : [step],
  );

/** Opens a venue: the default catalogue, some families with sub-accounts, keys of every kind. */
export function genesisOf(random: Random, hasWithdrawers = false): Genesis {
  const actor = 'simulation';
  const steps: Genesis['steps'][number][] = stepsOfCatalogue(actor);
  // In half of the runs the fund has money from the start.
  const fundUnits = random.pick([0, 0, 20_000, 3_000_000]);
  if (fundUnits > 0) {
    const parts = BigInt(Math.floor(fundUnits * 1e8 * (0.2 + random.next())));
    steps.push({ kind: 'fund-insurance', asset: 'OX', amount: amount(parts) });
  }
  const families = random.between(3, 4);
  for (let family = 0; family < families; family++) {
    const names = ['main', 'one', 'two'].slice(0, random.between(1, 3));
    for (const name of names) {
      const account = { family: `family${family}`, name };
      const accountType = random.pick(ACCOUNT_TYPES);
      steps.push({ kind: 'create-account', actor, account, accountType });
      for (const [asset, units] of Object.entries(random.pick(PURSES))) {
        const parts = BigInt(Math.floor(units * 1e8 * (0.2 + random.next())));
        steps.push({ kind: 'credit-genesis', account, asset, amount: amount(parts) });
      }
      const sets: Permission[][] = [['read', 'trade'], ['read']];
      if (hasWithdrawers && name === 'main') {
        sets.push(['read', 'trade', 'withdraw']);
        if (family % 3 !== 0) steps.push({ kind: 'waive-delays', family: account.family });
      }
      for (const permissions of sets) {
        const accessKey = `${account.family}/${name}/${permissions.join('+')}`;
        const sealedSecret = new Uint8Array([1]);
        steps.push({ kind: 'create-key', actor, account, accessKey, sealedSecret, permissions });
      }
    }
  }
  return { kind: 'genesis', steps };
}
