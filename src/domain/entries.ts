import type { AccountType, Permission, Restriction } from './terms.ts';
import type { AccountIndex, FamilyIndex, KeyIndex } from './units.ts';

/** Keys, accounts and families as the directory lists them. */

/** The record of a key: the state, the directory and the facts of an upgrade have these members. */
export type KeyRecord = {
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly sealedSecret: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly expiresAtMs: number | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly label: string;
  readonly createdAtMs: number;
  /** Before this time the key cannot withdraw. */
  readonly mayWithdrawFromMs: number;
  /** Created by signing in: it belongs to a page and ends with it. */
  readonly isSession: boolean;
  readonly isRevoked: boolean;
};
export type KeyEntry = KeyRecord & { readonly key: KeyIndex };
export type AccountEntry = {
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly name: string;
  readonly accountType: AccountType;
  readonly isMain: boolean;
  readonly isActive: boolean;
  readonly createdAtMs: number;
};
export type FamilyEntry = {
  readonly family: FamilyIndex;
  readonly name: string;
  readonly restrictions: readonly Restriction[];
  /** `main` first, then in order of creation. */
  readonly accounts: readonly AccountIndex[];
};
