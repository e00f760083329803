import type { ByteWriter } from '../../bytes/pack.ts';
import type {
  CreateSubAccount,
  FreezeAccount,
  RenameAccount,
} from '../../domain/access-commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { AccountIndex, FamilyIndex } from '../../domain/units.ts';
import type { Account, State } from '../state.ts';
import { checkName, createAccount, findAccount } from './manage-accounts.ts';
import { signerOf } from './request-withdrawal.ts';

/** What users do with their own sub-accounts. The signer is a key of their main account. */

export function createSubAccount(
  state: State,
  command: CreateSubAccount,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex } = signerOf(state, command.by.key);
  const { name, accountType } = command;
  const account = { family: familyNameOf(state, familyIndex), name };
  return createAccount(
    state,
    { kind: 'create-account', actor: account.family, account, accountType },
    out,
  );
}

export function renameAccount(
  state: State,
  command: RenameAccount,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex } = signerOf(state, command.by.key);
  const account = subAccountOf(state, familyIndex, command.account);
  if (isRefusal(account)) return account;
  const { name } = command;
  const badName = checkName(name);
  if (badName !== undefined) return badName;
  if (name === MAIN_ACCOUNT_NAME) return refuse('PARAMETER_INVALID', `${name} is the parent's`);
  const taken = findAccount(state, { family: familyNameOf(state, familyIndex), name });
  if (taken !== undefined) return refuse('ALREADY_EXISTS', name);
  account.name = name;
  encodeEvent(out, { kind: 'account-renamed', account: command.account, name });
  return undefined;
}

/** Its orders and positions stay; it places nothing new until it is unfrozen. */
export function freezeAccount(
  state: State,
  command: FreezeAccount,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex } = signerOf(state, command.by.key);
  const account = subAccountOf(state, familyIndex, command.account);
  if (isRefusal(account)) return account;
  const { isFrozen } = command;
  if (account.isActive !== isFrozen) {
    return refuse('PARAMETER_INVALID', `${account.name} is ${isFrozen ? 'frozen' : 'active'}`);
  }
  if (!isFrozen && !account.isFrozenByOwner) {
    return refuse('ACCOUNT_STATUS', `${account.name} was frozen by an operator`);
  }
  account.isActive = !isFrozen;
  account.isFrozenByOwner = isFrozen;
  encodeEvent(out, {
    kind: 'restrictions-set',
    family: familyIndex,
    account: command.account,
    restrictions: isFrozen ? ['inactive'] : [],
  });
  return undefined;
}

function subAccountOf(state: State, family: FamilyIndex, index: AccountIndex): Account | Refusal {
  const account = state.accounts[index];
  const accounts = state.families[family]?.accounts ?? [];
  if (account === undefined || account === null || !accounts.includes(index)) {
    return refuse('SUB_ACCOUNT_INVALID');
  }
  if (accounts[0] === index) return refuse('PARAMETER_INVALID', 'main is no sub-account');
  return account;
}

const familyNameOf = (state: State, family: FamilyIndex): string =>
  state.families[family]?.name ?? '';
