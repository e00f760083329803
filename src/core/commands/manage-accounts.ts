import type { ByteWriter } from '../../bytes/pack.ts';
import type { AccountName } from '../../domain/actors.ts';
import { assert } from '../../domain/assert.ts';
import type { CreateAccount, SetRestrictions } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME, NATIVE_ASSET, type Restriction } from '../../domain/terms.ts';
import type { AccountIndex, FamilyIndex } from '../../domain/units.ts';
import { newFamilyAccess } from '../memory/access.ts';
import { addFamilyColumns } from '../memory/family-columns.ts';
import { purseOf } from '../memory/ledger.ts';
import { NO_ORDER } from '../memory/order-rows.ts';
import { withOne } from '../memory/short-lists.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { newFamilyWallet } from '../memory/wallet.ts';
import { addHolder, assetIndexOf, type Family, type State } from '../state.ts';
import { barsTrading } from '../trading/check-placement.ts';
import { followRestrictions } from '../wallet/withdrawals.ts';

export const SUB_ACCOUNTS_MAX = 50;
const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/;

export function createAccount(
  state: State,
  command: CreateAccount,
  out: ByteWriter,
): Refusal | undefined {
  const { family: familyName, name } = command.account;
  const badName = checkName(familyName) ?? checkName(name);
  if (badName !== undefined) return badName;
  const known = state.familyByName.get(familyName);
  const isMain = name === MAIN_ACCOUNT_NAME;
  if (known === undefined && !isMain) {
    return refuse('SUB_ACCOUNT_INVALID', `family ${familyName} has no main account yet`);
  }
  if (findAccount(state, command.account) !== undefined) return refuse('ALREADY_EXISTS', name);
  if (known !== undefined && familyOf(state, known).accounts.length > SUB_ACCOUNTS_MAX) {
    return refuse('LIMIT_REACHED', `a family has at most ${SUB_ACCOUNTS_MAX} sub-accounts`);
  }

  const family = (known ?? addFamily(state, familyName)) as FamilyIndex;
  const accountIndex = addHolder(state, {
    family,
    name,
    accountType: command.accountType,
    createdAtMs: state.timeMs,
    isActive: true,
    isFrozenByOwner: false,
    liquidating: false,
    stepAtMs: 0,
    unsoldSteps: 0,
    firstOrder: NO_ORDER,
    openOrders: 0,
    firstStanding: NO_STANDING,
  });
  const its = familyOf(state, family);
  its.accounts = withOne(its.accounts, accountIndex);
  // Losses and fees may take the native balance of an account below zero, and no other balance.
  const native = assetIndexOf(state, NATIVE_ASSET);
  if (native !== undefined) state.ledger.mayOwe[purseOf(state.ledger, accountIndex, native)] = 1;
  encodeEvent(out, {
    kind: 'account-created',
    account: accountIndex,
    family,
    familyName,
    name,
    accountType: command.accountType,
  });
  return undefined;
}

export const checkName = (name: string): Refusal | undefined =>
  ACCOUNT_NAME.test(name)
    ? undefined
    : refuse(
        'PARAMETER_INVALID',
        `"${shortened(name)}": a name has 1 to 40 letters, digits, spaces, dots, dashes`,
      );

function addFamily(state: State, name: string): number {
  state.families.push({
    name,
    restrictions: [],
    accounts: [],
  });
  addFamilyColumns(state.familyColumns, state.families.length - 1);
  state.wallet.families.push(newFamilyWallet());
  state.access.families.push(newFamilyAccess());
  state.familyByName.set(name, state.families.length - 1);
  return state.families.length - 1;
}

export function setRestrictions(
  state: State,
  command: SetRestrictions,
  out: ByteWriter,
): Refusal | undefined {
  const family = state.familyByName.get(command.family);
  if (family === undefined) return refuse('SUB_ACCOUNT_INVALID', `family ${command.family}`);
  if (command.subAccount === undefined) {
    const restrictions = [...new Set(command.restrictions)];
    restrictFamily(state, family, restrictions);
    encodeEvent(out, { kind: 'restrictions-set', family: family as FamilyIndex, restrictions });
    followRestrictions(state, family as FamilyIndex, out);
    return undefined;
  }
  const accountIndex = findAccount(state, { family: command.family, name: command.subAccount });
  if (accountIndex === undefined) return refuse('SUB_ACCOUNT_INVALID', command.subAccount);
  if (command.restrictions.some((restriction) => restriction !== 'inactive')) {
    return refuse('PARAMETER_INVALID', 'on one sub-account only `inactive` may stand');
  }
  const account = state.accounts[accountIndex];
  assert(account !== undefined && account !== null, 'an account index names an account');
  account.isActive = command.restrictions.length === 0;
  account.isFrozenByOwner = false;
  encodeEvent(out, {
    kind: 'restrictions-set',
    family: family as FamilyIndex,
    account: accountIndex,
    restrictions: command.restrictions,
  });
  return undefined;
}

export function restrictFamily(
  state: State,
  family: number,
  restrictions: readonly Restriction[],
): void {
  familyOf(state, family).restrictions = restrictions;
  state.familyColumns.isBarred[family] = restrictions.some(barsTrading) ? 1 : 0;
}

export function findAccount(state: State, { family, name }: AccountName): AccountIndex | undefined {
  const familyIndex = state.familyByName.get(family);
  if (familyIndex === undefined) return undefined;
  const { accounts } = familyOf(state, familyIndex);
  return accounts.find((accountIndex) => state.accounts[accountIndex]?.name === name);
}

function familyOf(state: State, index: number): Family {
  const family = state.families[index];
  assert(family !== undefined, 'a family index names a family');
  return family;
}
