import type { FamilyIndex, KeyIndex } from '../../domain/units.ts';

/** How users get in: passwords, invitations, and which keys are whose. */
export type Access = {
  /** By family. */
  readonly families: FamilyAccess[];
  /** By the hash of their token. */
  readonly invitations: Map<string, Invitation>;
};

export type FamilyAccess = {
  /** A hash of it, sealed; empty while there is none. */
  sealedPassword: Uint8Array;
  /** Grows with each new password: what was checked against an earlier one no longer counts. */
  passwordVersion: number;
  /** Every key of the family's accounts, sessions too, until its place is taken by another. */
  keys: readonly KeyIndex[];
};

export type Invitation = { readonly family: FamilyIndex; readonly expiresAtMs: number };

export const newAccess = (): Access => ({ families: [], invitations: new Map() });

/** One for all: most of what an empty array takes is not its bytes. */
const NO_PASSWORD = new Uint8Array(0);

export const newFamilyAccess = (): FamilyAccess => ({
  sealedPassword: NO_PASSWORD,
  passwordVersion: 0,
  keys: [],
});
