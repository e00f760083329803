import type { ByOperator, SignedBy } from './actors.ts';
import type { AccountType, Permission } from './terms.ts';
import type { AccountIndex, FamilyIndex } from './units.ts';
import type { FactorUse } from './wallet-commands.ts';

/** What users do about their own access: passwords, sessions, keys and sub-accounts. */
export type AccessCommand =
  | SignUp
  | InviteUser
  | AcceptInvitation
  | SetPassword
  | SignIn
  | OpenSession
  | OpenDemoSession
  | CreateOwnKey
  | RevokeOwnKey
  | CreateSubAccount
  | RenameAccount
  | FreezeAccount;

/** A hash of the password, sealed with the master key. */
type NewPassword = { readonly sealedPassword: Uint8Array };

/** A new family, if the venue has open registration. */
export type SignUp = NewPassword & { readonly kind: 'sign-up'; readonly family: string };

/** Invites the user to set a password, the first or a replacement, with a token that is delivered separately. */
export type InviteUser = ByOperator & {
  readonly kind: 'invite-user';
  readonly family: string;
  /** SHA-256 of the token, as base64: the journal holds nothing usable. */
  readonly tokenHash: string;
  readonly expiresAtMs: number;
};
export type AcceptInvitation = NewPassword & {
  readonly kind: 'accept-invitation';
  readonly tokenHash: string;
  readonly used?: FactorUse;
};

/** The old password was checked outside the core: `passwordVersion` says which one it was. */
export type SetPassword = NewPassword & {
  readonly kind: 'set-password';
  readonly by: SignedBy;
  readonly passwordVersion: number;
  readonly used?: FactorUse;
};

/** A key created for a page: it expires, and is listed with the sessions. */
type NewSession = {
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly sealedSecret: Uint8Array;
  readonly expiresAtMs: number;
};
export type SignIn = NewSession & {
  readonly kind: 'sign-in';
  readonly passwordVersion: number;
  readonly used?: FactorUse;
};
/** For another account of the family, by a session of its main account; expires no later than that session. */
export type OpenSession = NewSession & { readonly kind: 'open-session'; readonly by: SignedBy };

/** For a page on the same machine as a demo venue: no password is needed. Demo families only. */
export type OpenDemoSession = NewSession & { readonly kind: 'open-demo-session' };

export type CreateOwnKey = {
  readonly kind: 'create-own-key';
  readonly by: SignedBy;
  readonly account: AccountIndex;
  readonly accessKey: string;
  readonly sealedSecret: Uint8Array;
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly expiresAtMs?: number;
  readonly addresses?: readonly string[];
  /** Needed for a key that may withdraw, if a factor is enrolled. */
  readonly used?: FactorUse;
};

/** A key or session of the family; any key that may trade may revoke itself. */
export type RevokeOwnKey = {
  readonly kind: 'revoke-own-key';
  readonly by: SignedBy;
  readonly accessKey: string;
};

export type CreateSubAccount = {
  readonly kind: 'create-sub-account';
  readonly by: SignedBy;
  readonly name: string;
  readonly accountType: AccountType;
};
export type RenameAccount = {
  readonly kind: 'rename-account';
  readonly by: SignedBy;
  readonly account: AccountIndex;
  readonly name: string;
};
/** Inactive until its owner, or an operator, reactivates it. The owner cannot undo an operator's freeze. */
export type FreezeAccount = {
  readonly kind: 'freeze-account';
  readonly by: SignedBy;
  readonly account: AccountIndex;
  readonly isFrozen: boolean;
};

export type AccessEvent = PasswordSet | UserInvited | AccountRenamed;

/** Sessions opened with an earlier password are ended. */
export type PasswordSet = { readonly kind: 'password-set'; readonly family: FamilyIndex };
export type UserInvited = {
  readonly kind: 'user-invited';
  readonly family: FamilyIndex;
  readonly expiresAtMs: number;
};
export type AccountRenamed = {
  readonly kind: 'account-renamed';
  readonly account: AccountIndex;
  readonly name: string;
};
