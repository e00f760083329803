import { assert } from '../../domain/assert.ts';
import type { Command, SignedBy } from '../../domain/commands.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { codeOf, type Permission, type Restriction } from '../../domain/terms.ts';
import type { Account, Key, State } from '../state.ts';

/** What a signed command needs of its key, and which restrictions stand in its way. */
type Needs = {
  readonly permission: Permission;
  readonly mustBeMain: boolean;
  readonly barredBy: readonly Restriction[];
};

type SignedCommand = Extract<Command, { readonly by: SignedBy }>;

const NEEDS: Record<SignedCommand['kind'], Needs> = {
  transfer: { permission: 'trade', mustBeMain: true, barredBy: ['locked', 'inactive'] },
  // What a restriction means for one order is said per order; cancelling is always allowed.
  'place-orders': { permission: 'trade', mustBeMain: false, barredBy: [] },
  'modify-orders': { permission: 'trade', mustBeMain: false, barredBy: [] },
  'cancel-orders': { permission: 'trade', mustBeMain: false, barredBy: [] },
  'cancel-all': { permission: 'trade', mustBeMain: false, barredBy: [] },
};

/**
 * The gateway has checked the signature. Between it and here a key may have been revoked or have
 * expired, and a family restricted: the core decides, because only the core knows the order of things.
 */
export function checkSigner(state: State, command: SignedCommand): Refusal | undefined {
  const needs = NEEDS[command.kind];
  const key = state.keys[command.by.key];
  if (key === undefined || key.isRevoked) return refuse('KEY_UNKNOWN');
  if (key.expiresAtMs !== undefined && state.timeMs > key.expiresAtMs) {
    return refuse('KEY_UNKNOWN', 'the key has expired');
  }
  if (codeOf(key.permissions, needs.permission) < 0) {
    return refuse('PERMISSION_MISSING', `the key may not ${needs.permission}`);
  }
  const account = accountOf(state, key);
  const family = state.families[account.family];
  assert(family !== undefined, 'an account has a family');
  if (needs.mustBeMain && family.accounts[0] !== key.account) {
    return refuse('PERMISSION_MISSING', 'only a key of the main account may do this');
  }
  // Most commands are barred by nothing, and say so without a walk.
  if (needs.barredBy.length === 0) return undefined;
  const barred = family.restrictions.find((restriction) => needs.barredBy.includes(restriction));
  if (barred !== undefined) return refuse('ACCOUNT_STATUS', barred);
  if (needs.barredBy.includes('inactive') && !account.isActive) {
    return refuse('ACCOUNT_STATUS', 'inactive');
  }
  return undefined;
}

export function accountOf(state: State, key: Key): Account {
  const account = state.accounts[key.account];
  assert(account !== undefined && account !== null, 'a key belongs to an account');
  return account;
}

/** A hole or a step back in time would make replay tell another story than the one that was told. */
export function assertSequence(state: State, sequence: number, timeMs: number): void {
  assert(sequence === state.sequence + 1, 'commands come one after another, none left out');
  assert(timeMs >= state.timeMs, 'time never runs backwards');
}
