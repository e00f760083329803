import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Permission } from '../../domain/terms.ts';
import type { AccountIndex, FamilyIndex, KeyIndex } from '../../domain/units.ts';
import type { Directory, KeyEntry } from '../../domain/views.ts';
import { ACCESS_NEEDS, type Access } from '../../wire/endpoint.ts';
import {
  type Claimant,
  createSignatureCheck,
  type LoginSent,
  type Proved,
  type SignedHead,
} from './signature.ts';

/** Who signed, and what the engine needs to execute the request only once. */
export type Caller = Omit<Proved<KeyEntry>, 'entry' | 'nowMs'> & {
  readonly key: KeyIndex;
  readonly accessKey: string;
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly isMain: boolean;
  /** A page's key, created by signing in. */
  readonly isSession: boolean;
  readonly permissions: readonly Permission[];
};

/** The claimed caller; proved once the body has arrived. */
export type ClaimedCaller = Claimant<KeyEntry>;

export type Authenticator = {
  /** By headers, key and time alone. */
  identify(head: SignedHead): ClaimedCaller | Refusal;
  /** By the signature, then by the key's permissions. */
  prove(
    claimed: ClaimedCaller,
    body: string,
    endpoint: { readonly access: Access },
  ): Caller | Refusal;
  /** For a session: any key may read, and what else it may do is checked with each command. */
  login(sent: LoginSent, address: string): Caller | Refusal;
};

/** When each key was last used, since the start: it is not worth a write for each request. */
export type LastUse = { atMs(key: KeyIndex): number | undefined };

export class LastUses implements LastUse {
  readonly #atMs = new Map<KeyIndex, number>();

  note(key: KeyIndex, nowMs: number): void {
    this.#atMs.set(key, nowMs);
  }

  atMs(key: KeyIndex): number | undefined {
    return this.#atMs.get(key);
  }
}

export type AuthenticatorOptions = {
  readonly lastUses?: LastUses;
  readonly directory: Directory;
  readonly nowMs: () => number;
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly toleranceMs: number;
  readonly hostAliases: readonly string[];
  readonly boundHost?: string;
  readonly trustProxy: boolean;
};

/**
 * The signature first, then the key's permissions: only a caller that has proved possession of the secret
 * learns that the key has expired or is bound to other addresses.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { directory } = options;
  const check = createSignatureCheck<KeyEntry>({
    ...options,
    entryOf: (accessKey) => {
      const entry = directory.keyByAccess(accessKey);
      return entry?.isRevoked === true ? undefined : entry;
    },
  });
  return {
    identify: check.identify,
    prove(claimed, body, { access }) {
      const proved = check.prove(claimed, body);
      if ('rejected' in proved) return proved;
      options.lastUses?.note(proved.entry.key, proved.nowMs);
      return callerOf(proved, { address: claimed.head.address, access }, directory);
    },
    login(sent, address) {
      const proved = check.proveLogin(sent);
      if ('rejected' in proved) return proved;
      return callerOf(proved, { address, access: 'read' }, directory);
    },
  };
}

function callerOf(
  proved: Proved<KeyEntry>,
  claim: { readonly address: string; readonly access: Access },
  directory: Directory,
): Caller | Refusal {
  const { entry, nowMs, fingerprint, signedAtMs, expiresAtMs, coversQuery } = proved;
  if (entry.expiresAtMs !== undefined && nowMs > entry.expiresAtMs) {
    return refuse('KEY_UNKNOWN', 'the key has expired');
  }
  if (entry.addresses !== undefined && !entry.addresses.includes(claim.address)) {
    return refuse('ADDRESS_NOT_ALLOWED', claim.address);
  }
  const account = directory.account(entry.account);
  if (account === undefined) return refuse('KEY_UNKNOWN');
  if (claim.access === 'operator' || claim.access === 'sandbox')
    return refuse('PERMISSION_MISSING', 'this is for operators');
  const needs = ACCESS_NEEDS[claim.access];
  if (needs !== undefined && !mayDo(entry.permissions, needs.permission)) {
    return refuse('PERMISSION_MISSING', `the key may not ${needs.permission}`);
  }
  if (needs?.parentOnly === true && !account.isMain) {
    return refuse('PERMISSION_MISSING', 'only a key of the main account may do this');
  }
  return {
    key: entry.key,
    accessKey: entry.accessKey,
    account: entry.account,
    family: account.family,
    isMain: account.isMain,
    isSession: entry.isSession,
    permissions: entry.permissions,
    fingerprint,
    signedAtMs,
    expiresAtMs,
    coversQuery,
  };
}

/** Every key may read, and one that may withdraw may trade. */
export const mayDo = (permissions: readonly Permission[], needed: Permission): boolean =>
  needed === 'read' ||
  permissions.includes(needed) ||
  (needed === 'trade' && permissions.includes('withdraw'));
