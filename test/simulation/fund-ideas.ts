import type { ByOperator } from '../../src/domain/actors.ts';
import type { MoveFunds } from '../../src/domain/commands.ts';
import { FUNDS } from '../../src/domain/terms.ts';
import { amount } from '../../src/domain/units.ts';
import { availableOf, venueHas } from './model/money.ts';
import { assetOf, type Model, must } from './model/state.ts';
import type { Random } from './random.ts';

type Reasoned = ByOperator & { readonly reason: string };

/** Funds that operators move: between the venue's purses, from an account, and to one. */
export function fundsMoved(random: Random, model: Model, by: Reasoned, asset: string): MoveFunds {
  const [purse, to] = [random.pick(FUNDS), random.pick(FUNDS)];
  const at = assetOf(model, asset);
  const { accountIndex } = random.pick([...model.accounts.values()]);
  switch (random.weighted({ between: 5, in: 3, out: 2, confirm: 3 })) {
    case 'between': {
      const has = venueHas(model, random.chance(0.5) ? purse : 'deficit', at);
      const parts = partOf(random, has < 0n ? -has : has);
      return { kind: 'move-funds', ...by, from: purse, to, asset, amount: parts };
    }
    case 'in': {
      const parts = partOf(random, availableOf(model, accountIndex, at));
      return {
        kind: 'move-funds',
        ...by,
        from: nameOf(model, accountIndex),
        to,
        asset,
        amount: parts,
      };
    }
    case 'out': {
      const parts = partOf(random, venueHas(model, purse, at));
      const taker = nameOf(model, accountIndex);
      return { kind: 'move-funds', ...by, from: purse, to: taker, asset, amount: parts };
    }
    case 'confirm':
      return confirmed(random, model, by) ?? fundsMoved(random, model, by, asset);
  }
}

/** What an operator has asked for, mostly by another. */
function confirmed(random: Random, model: Model, by: Reasoned): MoveFunds | undefined {
  if (model.payOuts.length === 0) return undefined;
  const { from, to, asset, amount: parts } = random.pick(model.payOuts);
  return {
    ...{ kind: 'move-funds', ...by, from, to: nameOf(model, to), amount: amount(parts) },
    ...(random.chance(0.8) ? { actor: 'second' } : {}),
    asset: must(model.assets[asset]).spec.code,
  };
}

const partOf = (random: Random, has: bigint) =>
  amount((has * BigInt(random.pick([0, 300, 1_000, 1_001]))) / 1_000n);

function nameOf(model: Model, accountIndex: number) {
  const { family, name } = must(model.accounts.get(accountIndex));
  return { family: must(model.families[family]).name, name };
}
