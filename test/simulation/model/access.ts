import type { AccessCommand } from '../../../src/domain/access-commands.ts';
import type { Command } from '../../../src/domain/commands.ts';
import { addKey, createAccount, endKey } from './accounts.ts';
import { line } from './event-lines.ts';
import { accountAt, familyAt, type Model, type ModelKey, must, type Refusal } from './state.ts';
import { checkFactor, checkUse, useFactor } from './wallet.ts';

/** Passwords, sessions, and what users manage themselves. */

const ACCESS_KINDS: ReadonlySet<string> = new Set<AccessCommand['kind']>([
  'sign-up',
  'invite-user',
  'accept-invitation',
  'set-password',
  'sign-in',
  'open-session',
  'open-demo-session',
  'create-own-key',
  'revoke-own-key',
  'create-sub-account',
  'rename-account',
  'freeze-account',
]);
export const isAccessCommand = (command: Command | { kind: string }): command is AccessCommand =>
  ACCESS_KINDS.has(command.kind);

const DAY_MS = 86_400_000;
const SESSIONS_MAX = 20;

export function performOnAccess(model: Model, command: AccessCommand): Refusal {
  switch (command.kind) {
    case 'sign-up': {
      if (model.families.some(({ name }) => name === command.family)) return 'ALREADY_EXISTS';
      const account = { family: command.family, name: 'main' };
      const made = {
        kind: 'create-account',
        actor: '',
        account,
        accountType: 'PORTFOLIO',
      } as const;
      const refusal = createAccount(model, made);
      if (refusal === undefined) changePassword(model, model.families.length - 1);
      return refusal;
    }
    case 'invite-user': {
      const family = model.families.find(({ name }) => name === command.family);
      if (family === undefined) return 'SUB_ACCOUNT_INVALID';
      const leftMs = command.expiresAtMs - model.timeMs;
      if (leftMs <= 0 || leftMs > 7 * DAY_MS) return 'PARAMETER_INVALID';
      family.invitation = { token: command.tokenHash, endMs: command.expiresAtMs };
      model.emitted.push(line('user-invited'));
      return undefined;
    }
    case 'accept-invitation': {
      const at = model.families.findIndex(
        ({ invitation }) => invitation?.token === command.tokenHash,
      );
      const endMs = at < 0 ? -1 : must(familyAt(model, at).invitation).endMs;
      if (endMs < model.timeMs) return 'RESULT_NOT_FOUND';
      const refusal = checkUse(model, at, command.used);
      if (refusal !== undefined) return refusal;
      useFactor(model, at, command.used);
      familyAt(model, at).invitation = undefined;
      changePassword(model, at);
      return undefined;
    }
    case 'set-password': {
      const family = familyOfKey(model, command.by.key);
      if (familyAt(model, family).passwords !== command.passwordVersion) return 'PASSWORD_WRONG';
      const refusal = checkUse(model, family, command.used);
      if (refusal !== undefined) return refusal;
      useFactor(model, family, command.used);
      changePassword(model, family, command.by.key);
      return undefined;
    }
    case 'sign-in': {
      const account = model.accounts.get(command.account);
      if (account === undefined) return 'SUB_ACCOUNT_INVALID';
      const { passwords, restrictions } = familyAt(model, account.family);
      if (passwords === 0 || passwords !== command.passwordVersion) return 'PASSWORD_WRONG';
      if (restrictions.some((one) => one === 'locked' || one === 'inactive')) {
        return 'ACCOUNT_STATUS';
      }
      const refusal = checkUse(model, account.family, command.used);
      if (refusal !== undefined) return refusal;
      useFactor(model, account.family, command.used);
      return open(model, command, command.expiresAtMs);
    }
    case 'open-session': {
      const signer = must(model.keys[command.by.key]);
      if (!signer.isSession) return 'PERMISSION_MISSING';
      const account = model.accounts.get(command.account);
      if (account?.family !== familyOfKey(model, command.by.key)) return 'SUB_ACCOUNT_INVALID';
      return open(model, command, Math.min(command.expiresAtMs, must(signer.expiresAtMs)));
    }
    case 'open-demo-session': {
      const account = model.accounts.get(command.account);
      if (account === undefined) return 'SUB_ACCOUNT_INVALID';
      if (!model.wallet.hasty.has(account.family)) return 'PERMISSION_MISSING';
      return open(model, command, command.expiresAtMs);
    }
    case 'create-own-key':
      return createOwnKey(model, command);
    case 'revoke-own-key': {
      const key = model.keys.find(({ accessKey }) => accessKey === command.accessKey);
      const signer = must(model.keys[command.by.key]);
      if (key === undefined || key.isRevoked) return 'KEY_UNKNOWN';
      const family = familyOfKey(model, command.by.key);
      if (accountAt(model, key.account).family !== family) return 'KEY_UNKNOWN';
      if (key !== signer && !signer.permissions.includes('withdraw')) return 'PERMISSION_MISSING';
      endKey(model, key);
      return undefined;
    }
    case 'create-sub-account': {
      const { name: family } = familyAt(model, familyOfKey(model, command.by.key));
      const account = { family, name: command.name };
      const { accountType } = command;
      return createAccount(model, { kind: 'create-account', actor: '', account, accountType });
    }
    case 'rename-account':
    case 'freeze-account':
      return changeSubAccount(model, command);
  }
}

function createOwnKey(
  model: Model,
  command: Extract<AccessCommand, { kind: 'create-own-key' }>,
): Refusal {
  const family = familyOfKey(model, command.by.key);
  const { account, accessKey, permissions, expiresAtMs, used } = command;
  if (model.accounts.get(account)?.family !== family) return 'SUB_ACCOUNT_INVALID';
  if (expiresAtMs !== undefined && expiresAtMs <= model.timeMs) return 'PARAMETER_INVALID';
  const newKey = { account, accessKey, permissions, expiresAtMs };
  if (!permissions.includes('withdraw')) return addKey(model, newKey);
  const refusal = checkFactor(model, family, used);
  if (refusal !== undefined) return refusal;
  if (familyAt(model, family).accounts[0] !== account) {
    const isKnown = model.keys.some((one) => one.accessKey === accessKey);
    return isKnown ? 'ALREADY_EXISTS' : 'PARAMETER_INVALID';
  }
  const waitMs = model.wallet.hasty.has(family) ? 0 : DAY_MS;
  const refused = addKey(model, { ...newKey, mayWithdrawFromMs: model.timeMs + waitMs });
  if (refused === undefined) useFactor(model, family, used);
  return refused;
}

function changeSubAccount(
  model: Model,
  command: Extract<AccessCommand, { kind: 'rename-account' | 'freeze-account' }>,
): Refusal {
  const family = familyAt(model, familyOfKey(model, command.by.key));
  const account = model.accounts.get(command.account);
  if (account === undefined || !family.accounts.includes(command.account)) {
    return 'SUB_ACCOUNT_INVALID';
  }
  if (account.name === 'main') return 'PARAMETER_INVALID';
  if (command.kind === 'rename-account') {
    if (command.name === 'main') return 'PARAMETER_INVALID';
    const isTaken = family.accounts.some((one) => accountAt(model, one).name === command.name);
    if (isTaken) return 'ALREADY_EXISTS';
    account.name = command.name;
    model.emitted.push(line('account-renamed'));
    return undefined;
  }
  if (account.isActive !== command.isFrozen) return 'PARAMETER_INVALID';
  if (!command.isFrozen && !account.isFrozenByOwner) return 'ACCOUNT_STATUS';
  account.isActive = !command.isFrozen;
  account.isFrozenByOwner = command.isFrozen;
  model.emitted.push(line('restrictions-set'));
  return undefined;
}

/** Ends all sessions of the family, except the one that changed it. */
function changePassword(model: Model, family: number, except = -1): void {
  familyAt(model, family).passwords++;
  model.emitted.push(line('password-set'));
  for (const key of sessionsOf(model, family)) {
    if (key !== model.keys[except]) endKey(model, key);
  }
}

function open(
  model: Model,
  {
    account,
    accessKey,
  }: Extract<AccessCommand, { kind: 'sign-in' | 'open-session' | 'open-demo-session' }>,
  expiresAtMs: number,
): Refusal {
  const leftMs = expiresAtMs - model.timeMs;
  if (leftMs <= 0 || leftMs > DAY_MS) return 'PARAMETER_INVALID';
  const { family, name } = accountAt(model, account);
  const sessions = sessionsOf(model, family);
  const permissions =
    name === 'main' ? (['read', 'trade', 'withdraw'] as const) : (['read', 'trade'] as const);
  const refusal = addKey(model, { account, accessKey, permissions, expiresAtMs, isSession: true });
  if (refusal !== undefined || sessions.length < SESSIONS_MAX) return refusal;
  endKey(
    model,
    sessions.reduce((oldest, key) => (key.createdAtMs < oldest.createdAtMs ? key : oldest)),
  );
  return undefined;
}

const sessionsOf = (model: Model, family: number): ModelKey[] =>
  model.keys.filter(
    (key) =>
      key.isSession &&
      !key.isRevoked &&
      must(key.expiresAtMs) >= model.timeMs &&
      accountAt(model, key.account).family === family,
  );

const familyOfKey = (model: Model, key: number): number =>
  accountAt(model, must(model.keys[key]).account).family;
