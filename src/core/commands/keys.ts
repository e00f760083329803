import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import type { CreateKey, RevokeKey } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { PERMISSIONS, type Permission } from '../../domain/terms.ts';
import type { AccountIndex, FamilyIndex, KeyIndex } from '../../domain/units.ts';
import type { FamilyAccess } from '../memory/access.ts';
import { trimmed, withOne } from '../memory/short-lists.ts';
import type { Key, State } from '../state.ts';
import { findAccount } from './manage-accounts.ts';

/** Keys of accounts, whoever creates and ends them. */

/** Live keys a family may have, sessions included. */
const KEYS_MAX = 500;
const LABEL = /^[^\p{C}]{0,40}$/u;
const ADDRESSES_MAX = 50;
const SEALED_BYTES_MAX = 512;
const ACCESS_KEY = /^[\x20-\x7e]{1,128}$/;
/** Requests signed with an ended key have been forgotten long before its slot is reused. */
const PLACE_KEPT_MS = 86_400_000;

export type NewKey = {
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly sealedSecret: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly expiresAtMs?: number;
  readonly addresses?: readonly string[];
  readonly label?: string;
  readonly mayWithdrawFromMs?: number;
  readonly isSession?: true;
  /** Operators' keys always get new slots: they are few, and commands refer to them by slot. */
  readonly isNewPlace?: true;
};

export function createKey(state: State, command: CreateKey, out: ByteWriter): Refusal | undefined {
  const account = findAccount(state, command.account);
  if (account === undefined) return refuse('SUB_ACCOUNT_INVALID', command.account.name);
  const { kind: _, actor: __, account: ___, once: ____, ...rest } = command;
  return addKey(state, { ...rest, account, isNewPlace: true }, out);
}

export function addKey(state: State, newKey: NewKey, out: ByteWriter): Refusal | undefined {
  const family = familyOfAccount(state, newKey.account);
  const refusal = checkKey(state, newKey, family);
  if (refusal !== undefined) return refusal;
  const { account, accessKey } = newKey;
  // In the catalogue's order, so that equal sets are equal lists.
  const permissions = trimmed(PERMISSIONS.filter((one) => newKey.permissions.includes(one)));
  const key = placeFor(state, family, newKey.isNewPlace === true);
  state.keys[key] = {
    // Fields that every command reads come first, on one cache line.
    account,
    isRevoked: false,
    mayTrade: permissions.includes('trade'),
    expiresAtMs: newKey.expiresAtMs,
    accessKey,
    sealedSecret: newKey.sealedSecret,
    permissions,
    addresses: newKey.addresses,
    label: newKey.label ?? '',
    createdAtMs: state.timeMs,
    mayWithdrawFromMs: newKey.mayWithdrawFromMs ?? 0,
    isSession: newKey.isSession === true,
    revokedAtMs: 0,
  };
  state.keyByAccess.set(accessKey, key);
  encodeEvent(out, {
    kind: 'key-created',
    key,
    account,
    accessKey,
    permissions,
    ...(newKey.isSession === true ? { isSession: true } : {}),
  });
  return undefined;
}

function checkKey(state: State, newKey: NewKey, family: FamilyIndex): Refusal | undefined {
  const { account, permissions, label = '', addresses = [] } = newKey;
  if (state.keyByAccess.has(newKey.accessKey)) return refuse('ALREADY_EXISTS', 'the access key');
  if (!permissions.includes('read')) return refuse('PARAMETER_INVALID', 'every key may read');
  if (permissions.includes('withdraw')) {
    if (state.families[family]?.accounts[0] !== account) {
      return refuse('PARAMETER_INVALID', 'only a key of the main account may withdraw');
    }
    if (!permissions.includes('trade')) {
      return refuse('PARAMETER_INVALID', 'a key that may withdraw may trade');
    }
  }
  if (!LABEL.test(label)) return refuse('PARAMETER_INVALID', 'a label has at most 40 characters');
  if (addresses.length > ADDRESSES_MAX) {
    return refuse('PARAMETER_INVALID', `a key is bound to at most ${ADDRESSES_MAX} addresses`);
  }
  if (newKey.sealedSecret.length > SEALED_BYTES_MAX || !ACCESS_KEY.test(newKey.accessKey)) {
    return refuse('PARAMETER_INVALID', 'an access key has 1 to 128 printable characters');
  }
  if (liveKeysOf(state, family).length >= KEYS_MAX) {
    return refuse('LIMIT_REACHED', `a family has at most ${KEYS_MAX} keys`);
  }
  return undefined;
}

export function revokeKey(state: State, command: RevokeKey, out: ByteWriter): Refusal | undefined {
  const index = state.keyByAccess.get(command.accessKey) as KeyIndex | undefined;
  if (index === undefined || state.keys[index]?.isRevoked === true) return refuse('KEY_UNKNOWN');
  endKey(state, index, out);
  return undefined;
}

export function endKey(state: State, index: KeyIndex, out: ByteWriter): void {
  const key = keyAt(state, index);
  key.isRevoked = true;
  key.revokedAtMs = state.timeMs;
  encodeEvent(out, { kind: 'key-revoked', key: index, accessKey: key.accessKey });
}

export const liveKeysOf = (state: State, family: FamilyIndex): KeyIndex[] =>
  accessOf(state, family).keys.filter((index) => endOf(keyAt(state, index)) >= state.timeMs);

/** When it stops being valid; in the far future for one that does not expire. */
const endOf = ({ isRevoked, revokedAtMs, expiresAtMs }: Key): number =>
  isRevoked ? revokedAtMs - 1 : (expiresAtMs ?? Number.MAX_SAFE_INTEGER);

/** The slot of an ended key of the family, so that keys can come and go for ever; or a new one. */
function placeFor(state: State, family: FamilyIndex, isNew: boolean): KeyIndex {
  const access = accessOf(state, family);
  const left = access.keys.find((at) => endOf(keyAt(state, at)) < state.timeMs - PLACE_KEPT_MS);
  if (left !== undefined && !isNew) {
    state.keyByAccess.delete(keyAt(state, left).accessKey);
    return left;
  }
  const place = state.keys.length as KeyIndex;
  access.keys = withOne(access.keys, place);
  return place;
}

export function keyAt(state: State, index: KeyIndex): Key {
  const key = state.keys[index];
  assert(key !== undefined, 'a key index names a key');
  return key;
}

export function accessOf(state: State, family: FamilyIndex): FamilyAccess {
  const access = state.access.families[family];
  assert(access !== undefined, 'a family has a place for its access');
  return access;
}

export function familyOfAccount(state: State, account: AccountIndex): FamilyIndex {
  const family = state.accounts[account]?.family;
  assert(family !== undefined, 'an account has a family');
  return family;
}
