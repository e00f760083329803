import type { AccountName, SignedBy } from '../../../src/domain/actors.ts';
import type {
  Command,
  CreateAccount,
  CreateKey,
  RevokeKey,
  SetRestrictions,
  Transfer,
} from '../../../src/domain/commands.ts';
import { line } from './event-lines.ts';
import { marginOf, mayLeave } from './margin.ts';
import { availableOf, pay } from './money.ts';
import {
  accountAt,
  familyAt,
  type Model,
  type ModelAccount,
  type ModelKey,
  must,
  type Refusal,
} from './state.ts';
import { followBar } from './wallet.ts';

/** Families, keys, restrictions, transfers. */

export type SignedCommand = Extract<Command, { readonly by: SignedBy }>;

const SUB_ACCOUNTS_MAX = 50;
const DAY_MS = 86_400_000;

export function createAccount(model: Model, command: CreateAccount): Refusal {
  const { family: familyName, name } = command.account;
  let family = model.families.findIndex((one) => one.name === familyName);
  if (family < 0 && name !== 'main') return 'SUB_ACCOUNT_INVALID';
  if (accountNamed(model, command.account) !== undefined) return 'ALREADY_EXISTS';
  if (family < 0) {
    family = model.families.length;
    model.families.push({
      name: familyName,
      accounts: [],
      restrictions: [],
      passwords: 0,
      invitation: undefined,
      feeTier: 1,
      volumeByDay: new Map(),
    });
  }
  if (familyAt(model, family).accounts.length > SUB_ACCOUNTS_MAX) return 'LIMIT_REACHED';
  const accountIndex = model.nextAccountIndex++;
  familyAt(model, family).accounts.push(accountIndex);
  model.accounts.set(accountIndex, {
    accountIndex,
    family,
    name,
    accountType: command.accountType,
    isActive: true,
    isFrozenByOwner: false,
    positions: new Map(),
    liquidation: undefined,
  });
  model.emitted.push(line('account-created', { account: accountIndex }));
  return undefined;
}

export function createKey(model: Model, command: CreateKey): Refusal {
  const account = accountNamed(model, command.account);
  if (account === undefined) return 'SUB_ACCOUNT_INVALID';
  const { accessKey, permissions, expiresAtMs } = command;
  const newKey = { account: account.accountIndex, accessKey, permissions, expiresAtMs };
  return addKey(model, newKey, true);
}

export function addKey(
  model: Model,
  newKey: Pick<ModelKey, 'account' | 'accessKey' | 'permissions' | 'expiresAtMs'> &
    Partial<Pick<ModelKey, 'isSession' | 'mayWithdrawFromMs'>>,
  isByOperator = false,
): Refusal {
  if (model.keys.some(({ accessKey }) => accessKey === newKey.accessKey)) return 'ALREADY_EXISTS';
  // A key created by users replaces a key of theirs that ended over a day ago.
  const { family } = accountAt(model, newKey.account);
  const left = model.keys.findIndex(
    (key) =>
      accountAt(model, key.account).family === family &&
      (key.isRevoked
        ? key.revokedAtMs <= model.timeMs - DAY_MS
        : (key.expiresAtMs ?? Number.POSITIVE_INFINITY) < model.timeMs - DAY_MS),
  );
  const key = left < 0 || isByOperator ? model.keys.length : left;
  model.emitted.push(line('key-created', { key }));
  model.keys[key] = {
    isSession: false,
    mayWithdrawFromMs: 0,
    ...newKey,
    createdAtMs: model.timeMs,
    isRevoked: false,
    revokedAtMs: 0,
  };
  return undefined;
}

export function revokeKey(model: Model, command: RevokeKey): Refusal {
  const key = model.keys.find(({ accessKey }) => accessKey === command.accessKey);
  if (key === undefined || key.isRevoked) return 'KEY_UNKNOWN';
  endKey(model, key);
  return undefined;
}

export function endKey(model: Model, key: ModelKey): void {
  key.isRevoked = true;
  key.revokedAtMs = model.timeMs;
  model.emitted.push(line('key-revoked'));
}

export function setRestrictions(model: Model, command: SetRestrictions): Refusal {
  const family = model.families.find(({ name }) => name === command.family);
  if (family === undefined) return 'SUB_ACCOUNT_INVALID';
  if (command.subAccount === undefined) family.restrictions = command.restrictions;
  else {
    const account = accountNamed(model, { family: command.family, name: command.subAccount });
    if (account === undefined) return 'SUB_ACCOUNT_INVALID';
    if (command.restrictions.some((one) => one !== 'inactive')) return 'PARAMETER_INVALID';
    account.isActive = command.restrictions.length === 0;
    account.isFrozenByOwner = false;
  }
  model.emitted.push(line('restrictions-set'));
  if (command.subAccount === undefined) followBar(model, model.families.indexOf(family));
  return undefined;
}

/** Withdrawals, and managing access to the family. */
const NEEDS_WITHDRAWING = [
  'request-withdrawal',
  ...['save-address', 'remove-address', 'set-whitelist-mode', 'enrol-factor', 'remove-factor'],
  'create-own-key',
  'create-sub-account',
  'rename-account',
  'freeze-account',
  'set-password',
  'open-session',
];
const ORDER_COMMANDS = [
  ...['place-orders', 'cancel-orders', 'modify-orders'],
  ...['cancel-all', 'cancel-all-after'],
];

/** The core checks again what the gateway has checked: revoked, expired, permission, restriction. */
export function checkSigner(model: Model, command: SignedCommand): Refusal {
  const key = model.keys[command.by.key];
  // It was asked for when the connection was opened.
  if (key !== undefined && command.kind === 'cancel-all' && command.afterDisconnect)
    return undefined;
  if (key === undefined || key.isRevoked) return 'KEY_UNKNOWN';
  if (key.expiresAtMs !== undefined && model.timeMs > key.expiresAtMs) return 'KEY_UNKNOWN';
  if (!key.permissions.includes('trade')) return 'PERMISSION_MISSING';
  if (ORDER_COMMANDS.includes(command.kind)) return undefined;
  if (command.kind === 'revoke-own-key') return undefined;
  if (NEEDS_WITHDRAWING.includes(command.kind)) {
    const mayWithdraw = key.permissions.includes('withdraw');
    if (!mayWithdraw || model.timeMs < key.mayWithdrawFromMs) return 'PERMISSION_MISSING';
  }
  const account = accountAt(model, key.account);
  const family = familyAt(model, account.family);
  if (account.name !== 'main') return 'PERMISSION_MISSING';
  const isBarred =
    family.restrictions.includes('locked') ||
    family.restrictions.includes('inactive') ||
    !account.isActive;
  return isBarred ? 'ACCOUNT_STATUS' : undefined;
}

/** A signed request, of a trader or an operator, takes effect at most once, and not after its time. */
export function checkRepeat(model: Model, command: Command): Refusal {
  const { name, expiresAtMs } = requestOf(command);
  if (name === undefined) return undefined;
  if (model.timeMs > expiresAtMs) return 'TIMESTAMP_OUT_OF_RANGE';
  if (model.requests.has(name)) return 'REPEATED_CLICK';
  model.requests.set(name, expiresAtMs);
  return undefined;
}

/** The identity of a signed request; no name if repeats are harmless. */
export function requestOf(command: Command): {
  readonly name: string | undefined;
  readonly expiresAtMs: number;
} {
  if ('by' in command && command.by.fingerprint !== undefined) {
    const { key, fingerprint, expiresAtMs = 0 } = command.by;
    return { name: `${key}:${fingerprint}`, expiresAtMs };
  }
  if ('once' in command && command.once !== undefined) {
    const { fingerprint, expiresAtMs } = command.once;
    return { name: `operator:${fingerprint}`, expiresAtMs };
  }
  return { name: undefined, expiresAtMs: 0 };
}

/** Only available funds, between accounts of the family; the remainder must cover the margin. */
export function transfer(model: Model, command: Transfer): Refusal {
  const { asset, amount, from, to } = command;
  if (model.assets[asset] === undefined) return 'ASSET_UNKNOWN';
  const signer = accountAt(model, must(model.keys[command.by.key]).account);
  if (model.accounts.get(from)?.family !== signer.family) return 'SUB_ACCOUNT_INVALID';
  if (model.accounts.get(to)?.family !== signer.family) return 'SUB_ACCOUNT_INVALID';
  if (from === to) return 'SAME_ACCOUNT';
  if (amount <= 0n) return 'VALIDATION_FAILED';
  if (availableOf(model, from, asset) < amount) return 'AVAILABLE_TOO_LOW';
  if (!mayLeave(marginOf(model, from, { without: { asset, parts: amount } }))) {
    return 'TRANSFER_RISK';
  }
  pay(model, from, to, asset, amount);
  model.emitted.push(line('transferred', { asset, amount, from, to }));
  return undefined;
}

export function accountNamed(
  model: Model,
  { family, name }: AccountName,
): ModelAccount | undefined {
  const index = model.families.findIndex((one) => one.name === family);
  return [...model.accounts.values()].find(
    (account) => account.family === index && account.name === name,
  );
}
