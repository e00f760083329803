import type { SignedOnce } from '../../domain/actors.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../../domain/terms.ts';
import type { Endpoint } from '../../wire/endpoint.ts';
import {
  type Claimant,
  type Credential,
  createSignatureCheck,
  type SignedHead,
} from './signature.ts';

/**
 * Someone who operates the venue. Credentials are not in the venue's state: whoever has access to the machine
 * can always create new ones, whatever the journal holds.
 */
export type Operator = Credential & {
  readonly name: string;
  readonly roles: readonly OperatorRole[];
  /** Nothing that it signs is accepted any more; its name stays reserved. */
  readonly isDisabled: boolean;
};

/** All operators of the venue, kept by the program that starts it. */
export type Operators = {
  all(): readonly Operator[];
  /** Durable when it returns. */
  add(operator: Operator): void;
  disable(name: string): void;
};

/** May do everything that operators can do. */
export const ADMIN_ROLE: OperatorRole = 'admin';

export type OperatorCaller = {
  /** Who did it, as recorded in the journal. */
  readonly actor: string;
  readonly roles: readonly OperatorRole[];
  readonly coversQuery: boolean;
  /** Absent for commands on the machine itself, on a stopped venue. */
  readonly once?: SignedOnce;
};

export type OperatorAuthenticator = {
  identify(head: SignedHead): Claimant<Operator> | Refusal;
  prove(
    claimed: Claimant<Operator>,
    body: string,
    endpoint: Pick<Endpoint, 'access' | 'roles'>,
  ): OperatorCaller | (Refusal & { readonly actor?: string });
};

export type OperatorAuthenticatorOptions = {
  readonly operators: Operators;
  readonly nowMs: () => number;
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly toleranceMs: number;
  readonly hostAliases: readonly string[];
  readonly boundHost: string;
};

export function createOperatorAuthenticator(
  options: OperatorAuthenticatorOptions,
): OperatorAuthenticator {
  const check = createSignatureCheck<Operator>({
    ...options,
    // They are few, and may change at any time.
    entryOf: (accessKey) =>
      options.operators.all().find((one) => one.accessKey === accessKey && !one.isDisabled),
    trustProxy: false,
  });
  return {
    identify: check.identify,
    prove(claimed, body, endpoint) {
      const proved = check.prove(claimed, body);
      if ('rejected' in proved) return proved;
      const { entry, fingerprint, signedAtMs, expiresAtMs, coversQuery } = proved;
      const actor = `operator:${entry.name}`;
      const denied = checkRoles(entry, endpoint.roles ?? []);
      if (denied !== undefined) return { ...denied, actor };
      return {
        actor,
        roles: entry.roles,
        coversQuery,
        once: { fingerprint, signedAtMs, expiresAtMs },
      };
    },
  };
}

export const isAdmin = (roles: readonly OperatorRole[]): boolean => roles.includes(ADMIN_ROLE);

/** Whether the operator has one of the roles; an admin has them all. */
export function checkRoles(
  { name, roles }: { readonly name: string; readonly roles: readonly OperatorRole[] },
  needed: readonly OperatorRole[],
): Refusal | undefined {
  if (isAdmin(roles) || roles.some((role) => needed.includes(role))) return undefined;
  const enough = OPERATOR_ROLES.filter((role) => needed.includes(role) || role === ADMIN_ROLE);
  return refuse(
    'PERMISSION_MISSING',
    `operator ${name} (${roles.join(', ') || 'no role'}) needs the role ${enough.join(' or ')}`,
  );
}
