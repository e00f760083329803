import type { FamilyIndex, KeyIndex } from '../../domain/units.ts';

/** How users sign in: passwords, invitations, and the keys of each family. */
export type Access = {
  /** By family. */
  readonly families: FamilyAccess[];
  /** By the hash of their token. */
  readonly invitations: Map<string, Invitation>;
};

export type FamilyAccess = {
  /** A hash of it, sealed; empty while there is none. */
  sealedPassword: Uint8Array;
  /** Increases with each new password: what was checked against an earlier one no longer counts. */
  passwordVersion: number;
  /** Every key of the family's accounts, sessions included, until its slot is reused. */
  keys: readonly KeyIndex[];
};

export type Invitation = { readonly family: FamilyIndex; readonly expiresAtMs: number };

export const newAccess = (): Access => ({ families: [], invitations: new Map() });

/** Shared: most of the memory of an empty array is not its bytes. */
const NO_PASSWORD = new Uint8Array(0);

export const newFamilyAccess = (): FamilyAccess => ({
  sealedPassword: NO_PASSWORD,
  passwordVersion: 0,
  keys: [],
});
