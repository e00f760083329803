import { ByteWriter } from '../../bytes/pack.ts';
import { assert, unreachable } from '../../domain/assert.ts';
import type { CreditGenesis, Genesis, WaiveDelays } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { type AccountIndex, amount, type FamilyIndex } from '../../domain/units.ts';
import { move, purseOf } from '../memory/ledger.ts';
import { familyWalletOf } from '../memory/wallet.ts';
import { assetIndexOf, crossedOf, holderIndex, newState, type State } from '../state.ts';
import { createKey } from './keys.ts';
import { createAccount, findAccount, setRestrictions } from './manage-accounts.ts';
import { defineAsset, defineMarket, defineNetwork } from './manage-markets.ts';
import { enrolFactor, saveAddress } from './manage-wallet.ts';
import { requestWithdrawal } from './request-withdrawal.ts';
import { startPrices } from './set-price.ts';

/**
 * Opens the venue: catalogue, first accounts, first keys, first money, in one command, so that a
 * crash leaves a whole venue or none. Only an empty venue has a genesis.
 */
export function genesis(state: State, command: Genesis, out: ByteWriter): Refusal | undefined {
  if (state.assets.length > 0) return refuse('ALREADY_EXISTS', 'the venue is open already');
  for (const step of command.steps) {
    const refusal = perform(state, step, out);
    // The steps come from the program, not from a caller: a step that fails is our own mistake, and stopping
    // here keeps half a genesis out of the journal.
    assert(refusal === undefined, `every step of a genesis holds (${refusal?.message})`);
  }
  return undefined;
}

/** The first step that fails, tried on a scratch state. */
export function faultOfGenesis(
  command: Genesis,
): { readonly step: Genesis['steps'][number]; readonly refusal: Refusal } | undefined {
  const state = newState();
  const out = new ByteWriter();
  for (const step of command.steps) {
    const refusal = perform(state, step, out);
    if (refusal !== undefined) return { step, refusal };
  }
  return undefined;
}

function perform(
  state: State,
  step: Genesis['steps'][number],
  out: ByteWriter,
): Refusal | undefined {
  switch (step.kind) {
    case 'define-asset':
      return defineAsset(state, step, out);
    case 'define-network':
      return defineNetwork(state, step, out);
    case 'define-market':
      return defineMarket(state, step, out);
    case 'create-account':
      return createAccount(state, step, out);
    case 'create-key':
      return createKey(state, step, out);
    case 'set-index-prices':
      return startPrices(state, step, out);
    case 'credit-genesis':
      return creditAccount(state, step, out);
    case 'fund-insurance':
      return credit(state, holderIndex('insurance'), step, out);
    case 'fund-network-costs':
      return credit(state, holderIndex('network-costs'), step, out);
    case 'waive-delays':
      return waiveDelays(state, step);
    case 'set-restrictions':
      return setRestrictions(state, step, out);
    case 'save-address':
      return saveAddress(state, step, out);
    case 'request-withdrawal':
      return requestWithdrawal(state, step, out);
    case 'enrol-factor':
      return enrolFactor(state, step, out);
    default:
      return unreachable(step);
  }
}

function waiveDelays(state: State, step: WaiveDelays): Refusal | undefined {
  const family = state.familyByName.get(step.family);
  if (family === undefined) return refuse('SUB_ACCOUNT_INVALID', `family ${step.family}`);
  familyWalletOf(state.wallet, family as FamilyIndex).delayMs = 0;
  return undefined;
}

function creditAccount(state: State, step: CreditGenesis, out: ByteWriter): Refusal | undefined {
  const accountIndex = findAccount(state, step.account);
  if (accountIndex === undefined) return refuse('SUB_ACCOUNT_INVALID', step.account.name);
  return credit(state, accountIndex, step, out);
}

function credit(
  state: State,
  holder: AccountIndex,
  step: Pick<CreditGenesis, 'asset' | 'amount'>,
  out: ByteWriter,
): Refusal | undefined {
  const asset = assetIndexOf(state, step.asset);
  if (asset === undefined) return refuse('ASSET_UNKNOWN', step.asset);
  const { ledger } = state;
  const outside = purseOf(ledger, holderIndex('outside'), asset);
  move(ledger, outside, purseOf(ledger, holder, asset), step.amount, state.timeMs);
  const crossed = crossedOf(state, asset);
  crossed.genesis = amount(crossed.genesis + step.amount);
  encodeEvent(out, {
    kind: 'genesis-credited',
    account: holder,
    asset,
    amount: step.amount,
  });
  return undefined;
}
