import type { SignedOnce } from '../../domain/actors.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Access } from '../../wire/endpoint.ts';
import {
  type Claimant,
  type Credential,
  createSignatureCheck,
  type SignedHead,
} from './signature.ts';

/**
 * Someone who runs the venue. Credentials are not in the venue's state: whoever has access to the machine
 * can always create new ones, whatever the journal holds.
 */
export type Operator = Credential & { readonly name: string; readonly roles: readonly string[] };

/** May do everything that operators can do. */
export const ADMIN_ROLE = 'admin';

export type OperatorCaller = {
  /** Who did it, as the journal records it. */
  readonly actor: string;
  readonly coversQuery: boolean;
  /** Absent for commands at the machine itself, on a stopped venue. */
  readonly once?: SignedOnce;
};

export type OperatorAuthenticator = {
  identify(head: SignedHead): Claimant<Operator> | Refusal;
  prove(claimed: Claimant<Operator>, body: string, access: Access): OperatorCaller | Refusal;
};

export type OperatorAuthenticatorOptions = {
  readonly operators: readonly Operator[];
  readonly nowMs: () => number;
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly toleranceMs: number;
  readonly hostAliases: readonly string[];
  readonly boundHost: string;
};

export function createOperatorAuthenticator(
  options: OperatorAuthenticatorOptions,
): OperatorAuthenticator {
  const byAccessKey = new Map(options.operators.map((operator) => [operator.accessKey, operator]));
  const check = createSignatureCheck<Operator>({
    ...options,
    entryOf: (accessKey) => byAccessKey.get(accessKey),
    trustProxy: false,
  });
  return {
    identify: check.identify,
    prove(claimed, body, access) {
      const proved = check.prove(claimed, body);
      if ('rejected' in proved) return proved;
      const { entry, fingerprint, signedAtMs, expiresAtMs, coversQuery } = proved;
      if (access !== 'operator' || !entry.roles.includes(ADMIN_ROLE)) {
        return refuse('PERMISSION_MISSING', `operator ${entry.name} may not do this`);
      }
      return {
        actor: `operator:${entry.name}`,
        coversQuery,
        once: { fingerprint, signedAtMs, expiresAtMs },
      };
    },
  };
}
