import { assert } from '../../domain/assert.ts';
import type { AccountIndex, FamilyIndex, KeyIndex } from '../../domain/units.ts';
import type { AccountEntry, FamilyEntry, KeyEntry } from '../../domain/views.ts';
import type { State } from '../state.ts';

/** Families, accounts and keys as they are listed. */

export function keyEntry(state: State, index: number): KeyEntry {
  const key = state.keys[index];
  assert(key !== undefined, 'a key index names a key');
  // A copy of the record first: the runtime copies a whole object faster than it adds its members to another.
  return { ...key, key: index as KeyIndex };
}

export function accountEntry(state: State, account: AccountIndex): AccountEntry | undefined {
  const found = state.accounts[account];
  if (found === undefined || found === null) return undefined;
  const { family, name, accountType, isActive, createdAtMs } = found;
  return {
    account,
    family,
    name,
    accountType,
    isActive,
    createdAtMs,
    isMain: state.families[family]?.accounts[0] === account,
  };
}

export function accountsFrom({ accounts }: State, first: number): AccountIndex[] {
  const found: AccountIndex[] = [];
  for (let at = first; at < accounts.length; at++) {
    if (accounts[at] !== null) found.push(at as AccountIndex);
  }
  return found;
}

export function familyEntry(state: State, index: FamilyIndex): FamilyEntry {
  const family = state.families[index];
  assert(family !== undefined, 'a family index names a family');
  const { name, restrictions, accounts } = family;
  return { family: index, name, restrictions, accounts };
}
