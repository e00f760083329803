import type { SignedBy } from '../../domain/actors.ts';
import { assert } from '../../domain/assert.ts';
import type { Command } from '../../domain/commands.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Account, Key, State } from '../state.ts';

type SignedCommand = Extract<Command, { readonly by: SignedBy }>;

/**
 * The edge has checked the signature. Since then the key may have been revoked or have expired, or the
 * family been restricted: the core decides, because only the core knows in which order commands happened.
 * Every signed command needs a key that may trade. Restrictions are checked per order, and cancelling is
 * always allowed.
 */
export function checkSigner(state: State, command: SignedCommand): Refusal | undefined {
  const key = state.keys[command.by.key];
  if (key === undefined) return refuse('KEY_UNKNOWN');
  if (command.kind === 'cancel-all' && command.afterDisconnect === true) return undefined;
  if (key.isRevoked) return refuse('KEY_UNKNOWN');
  if (key.expiresAtMs !== undefined && state.timeMs > key.expiresAtMs) {
    return refuse('KEY_UNKNOWN', 'the key has expired');
  }
  if (!key.mayTrade) return refuse('PERMISSION_MISSING', 'the key may not trade');
  switch (command.kind) {
    case 'place-orders':
    case 'cancel-orders':
    case 'modify-orders':
    case 'cancel-all':
    case 'cancel-all-after':
      return undefined;
    case 'revoke-own-key':
      return undefined;
    case 'request-withdrawal':
    case 'save-address':
    case 'remove-address':
    case 'set-whitelist-mode':
    case 'enrol-factor':
    case 'remove-factor':
    case 'create-own-key':
    case 'create-sub-account':
    case 'rename-account':
    case 'freeze-account':
    case 'set-password':
    case 'open-session':
      return checkWithdrawing(state, key) ?? checkMainKey(state, key);
    default:
      return checkMainKey(state, key);
  }
}

/** Whoever may withdraw may also manage access. */
function checkWithdrawing(state: State, key: Key): Refusal | undefined {
  if (!key.permissions.includes('withdraw')) {
    return refuse('PERMISSION_MISSING', 'the key may not withdraw');
  }
  if (state.timeMs < key.mayWithdrawFromMs) {
    return refuse('PERMISSION_MISSING', `the key may withdraw from ${key.mayWithdrawFromMs} on`);
  }
  return undefined;
}

/** Money needs a key of the main account, and a family that is neither locked nor inactive. */
function checkMainKey(state: State, key: Key): Refusal | undefined {
  const account = accountOfKey(state, key);
  const family = state.families[account.family];
  assert(family !== undefined, 'an account has a family');
  if (family.accounts[0] !== key.account) {
    return refuse('PERMISSION_MISSING', 'only a key of the main account may do this');
  }
  const barred = family.restrictions.find((one) => one === 'locked' || one === 'inactive');
  if (barred !== undefined) return refuse('ACCOUNT_STATUS', barred);
  return account.isActive ? undefined : refuse('ACCOUNT_STATUS', 'inactive');
}

export function accountOfKey(state: State, key: Key): Account {
  const account = state.accounts[key.account];
  assert(account !== undefined && account !== null, 'a key belongs to an account');
  return account;
}

/** Replay is exact only if no command is missing and time never runs backwards. */
export function assertSequence(state: State, sequence: number, timeMs: number): void {
  assert(sequence === state.sequence + 1, 'commands come one after another, none left out');
  assert(timeMs >= state.timeMs, 'time never runs backwards');
}
