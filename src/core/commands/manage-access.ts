import type { ByteWriter } from '../../bytes/pack.ts';
import type {
  AcceptInvitation,
  CreateOwnKey,
  InviteUser,
  OpenDemoSession,
  OpenSession,
  RevokeOwnKey,
  SetPassword,
  SignIn,
  SignUp,
} from '../../domain/access-commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { AccountIndex, FamilyIndex, KeyIndex } from '../../domain/units.ts';
import type { FactorUse } from '../../domain/wallet-commands.ts';
import { familyWalletOf, isDemo } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { checkCode, checkFactor, useFactor } from '../wallet/factors.ts';
import { accessOf, addKey, endKey, familyOfAccount, keyAt, liveKeysOf } from './keys.ts';
import { createAccount } from './manage-accounts.ts';
import { signerOf } from './request-withdrawal.ts';

/** Passwords, invitations, sessions, and the keys that users create. */

/** The oldest session ends when another is opened. */
const SESSIONS_MAX = 20;
const SEALED_BYTES_MAX = 512;
/** Open invitations: operators create them, and each expires within a week. */
const INVITATIONS_MAX = 10_000;
const INVITATION_MAX_MS = 7 * 86_400_000;
const SESSION_MAX_MS = 86_400_000;

export function signUp(state: State, command: SignUp, out: ByteWriter): Refusal | undefined {
  const { family, sealedPassword } = command;
  const refusal = checkSealed(sealedPassword);
  if (refusal !== undefined) return refusal;
  if (state.familyByName.has(family)) return refuse('ALREADY_EXISTS', family);
  const account = { family, name: MAIN_ACCOUNT_NAME };
  const accountType = 'PORTFOLIO';
  const refused = createAccount(
    state,
    { kind: 'create-account', actor: 'sign-up', account, accountType },
    out,
  );
  if (refused !== undefined) return refused;
  const index = state.familyByName.get(family) as FamilyIndex;
  setPasswordOf(state, { family: index, sealedPassword }, out);
  return undefined;
}

export function inviteUser(
  state: State,
  command: InviteUser,
  out: ByteWriter,
): Refusal | undefined {
  const { tokenHash, expiresAtMs } = command;
  const family = state.familyByName.get(command.family) as FamilyIndex | undefined;
  if (family === undefined) return refuse('SUB_ACCOUNT_INVALID', `family ${command.family}`);
  if (!(expiresAtMs > state.timeMs && expiresAtMs <= state.timeMs + INVITATION_MAX_MS)) {
    return refuse('PARAMETER_INVALID', 'an invitation lasts at most seven days');
  }
  const { invitations } = state.access;
  for (const [hash, { expiresAtMs: endMs, family: invited }] of invitations) {
    // The newest invitation replaces earlier ones.
    if (endMs < state.timeMs || invited === family) invitations.delete(hash);
  }
  if (invitations.size >= INVITATIONS_MAX) {
    return refuse('LIMIT_REACHED', `at most ${INVITATIONS_MAX} invitations are open`);
  }
  if (tokenHash.length > 64) return refuse('PARAMETER_INVALID', 'the hash of a token');
  invitations.set(tokenHash, { family, expiresAtMs });
  encodeEvent(out, { kind: 'user-invited', family, expiresAtMs });
  return undefined;
}

/** The user's first password, or a replacement of a lost one: an enrolled factor is still needed. */
export function acceptInvitation(
  state: State,
  command: AcceptInvitation,
  out: ByteWriter,
): Refusal | undefined {
  const { tokenHash, sealedPassword, used } = command;
  const invitation = state.access.invitations.get(tokenHash);
  if (invitation === undefined || invitation.expiresAtMs < state.timeMs) {
    return refuse('RESULT_NOT_FOUND', 'no such invitation, or it has expired');
  }
  const { family } = invitation;
  const refusal = checkSealed(sealedPassword) ?? proveFactor(state, family, used);
  if (refusal !== undefined) return refusal;
  state.access.invitations.delete(tokenHash);
  setPasswordOf(state, { family, sealedPassword }, out);
  return undefined;
}

export function setPassword(
  state: State,
  command: SetPassword,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex } = signerOf(state, command.by.key);
  const { passwordVersion, sealedPassword, used } = command;
  if (accessOf(state, familyIndex).passwordVersion !== passwordVersion) {
    return refuse('PASSWORD_WRONG', 'the password has been changed meanwhile');
  }
  const refusal = checkSealed(sealedPassword) ?? proveFactor(state, familyIndex, used);
  if (refusal !== undefined) return refusal;
  setPasswordOf(state, { family: familyIndex, sealedPassword, except: command.by.key }, out);
  return undefined;
}

type NewPassword = {
  readonly family: FamilyIndex;
  readonly sealedPassword: Uint8Array;
  readonly except?: KeyIndex;
};

/** Ends all sessions of the family, except the one that changed the password. */
function setPasswordOf(
  state: State,
  { family, sealedPassword, except }: NewPassword,
  out: ByteWriter,
): void {
  const access = accessOf(state, family);
  access.sealedPassword = sealedPassword;
  access.passwordVersion++;
  encodeEvent(out, { kind: 'password-set', family });
  for (const session of sessionsOf(state, family)) {
    if (session !== except) endKey(state, session, out);
  }
}

/** The password was checked outside; here, that it is still the current one, and the second factor. */
export function signIn(state: State, command: SignIn, out: ByteWriter): Refusal | undefined {
  const family = familyOf(state, command.account);
  if (family === undefined) return refuse('SUB_ACCOUNT_INVALID');
  const { passwordVersion } = accessOf(state, family);
  if (passwordVersion === 0 || passwordVersion !== command.passwordVersion) {
    return refuse('PASSWORD_WRONG');
  }
  const restrictions = state.families[family]?.restrictions ?? [];
  const barred = restrictions.find((one) => one === 'locked' || one === 'inactive');
  if (barred !== undefined) return refuse('ACCOUNT_STATUS', barred);
  const refusal = proveFactor(state, family, command.used);
  return refusal ?? openSessionOf(state, family, command, out);
}

export function openSession(
  state: State,
  command: OpenSession,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex } = signerOf(state, command.by.key);
  const signer = keyAt(state, command.by.key);
  if (!signer.isSession) return refuse('PERMISSION_MISSING', 'only a session opens another');
  if (familyOf(state, command.account) !== familyIndex) return refuse('SUB_ACCOUNT_INVALID');
  const expiresAtMs = Math.min(command.expiresAtMs, signer.expiresAtMs ?? 0);
  return openSessionOf(state, familyIndex, { ...command, expiresAtMs }, out);
}

export function openDemoSession(
  state: State,
  command: OpenDemoSession,
  out: ByteWriter,
): Refusal | undefined {
  const family = familyOf(state, command.account);
  if (family === undefined) return refuse('SUB_ACCOUNT_INVALID');
  if (!isDemo(familyWalletOf(state.wallet, family))) {
    return refuse('PERMISSION_MISSING', 'only demo accounts are open to anyone');
  }
  return openSessionOf(state, family, command, out);
}

function openSessionOf(
  state: State,
  family: FamilyIndex,
  { account, accessKey, sealedSecret, expiresAtMs }: SignIn | OpenSession | OpenDemoSession,
  out: ByteWriter,
): Refusal | undefined {
  if (!(expiresAtMs > state.timeMs && expiresAtMs <= state.timeMs + SESSION_MAX_MS)) {
    return refuse('PARAMETER_INVALID', 'a session lasts at most a day');
  }
  const sessions = sessionsOf(state, family);
  const isMain = state.families[family]?.accounts[0] === account;
  const refusal = addKey(
    state,
    {
      account,
      accessKey,
      sealedSecret,
      permissions: isMain ? ['read', 'trade', 'withdraw'] : ['read', 'trade'],
      expiresAtMs,
      isSession: true,
    },
    out,
  );
  if (refusal !== undefined) return refusal;
  if (sessions.length >= SESSIONS_MAX) endKey(state, oldestOf(state, sessions), out);
  return undefined;
}

const oldestOf = (state: State, keys: readonly KeyIndex[]): KeyIndex =>
  keys.reduce((oldest, index) =>
    keyAt(state, index).createdAtMs < keyAt(state, oldest).createdAtMs ? index : oldest,
  );

const sessionsOf = (state: State, family: FamilyIndex): KeyIndex[] =>
  liveKeysOf(state, family).filter((index) => keyAt(state, index).isSession);

/** One that may withdraw needs a code, and can withdraw only after a day. */
export function createOwnKey(
  state: State,
  command: CreateOwnKey,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  if (familyOf(state, command.account) !== familyIndex) return refuse('SUB_ACCOUNT_INVALID');
  const { kind: _, by: __, used, ...newKey } = command;
  const { expiresAtMs } = newKey;
  if (expiresAtMs !== undefined && expiresAtMs <= state.timeMs) {
    return refuse('PARAMETER_INVALID', `expiresAt ${expiresAtMs} is past: it is ${state.timeMs}`);
  }
  if (!command.permissions.includes('withdraw')) return addKey(state, newKey, out);
  const refusal = checkCode(familyWallet, used, state.timeMs);
  if (refusal !== undefined) return refusal;
  const mayWithdrawFromMs = state.timeMs + familyWallet.delayMs;
  const refused = addKey(state, { ...newKey, mayWithdrawFromMs }, out);
  if (refused === undefined) useFactor(familyWallet, used);
  return refused;
}

export function revokeOwnKey(
  state: State,
  command: RevokeOwnKey,
  out: ByteWriter,
): Refusal | undefined {
  const index = state.keyByAccess.get(command.accessKey) as KeyIndex | undefined;
  const key = index === undefined ? undefined : keyAt(state, index);
  const signer = keyAt(state, command.by.key);
  const family = familyOfAccount(state, signer.account);
  // A key of another family is answered like one that does not exist.
  if (index === undefined || key === undefined || key.isRevoked) return refuse('KEY_UNKNOWN');
  if (familyOfAccount(state, key.account) !== family) return refuse('KEY_UNKNOWN');
  const isOwn = index === command.by.key;
  if (!isOwn && !signer.permissions.includes('withdraw')) {
    return refuse('PERMISSION_MISSING', 'only a key that may withdraw ends others');
  }
  endKey(state, index, out);
  return undefined;
}

/** A block on withdrawals after wrong codes does not keep users from signing in. */
function proveFactor(
  state: State,
  family: FamilyIndex,
  used: FactorUse | undefined,
): Refusal | undefined {
  const familyWallet = familyWalletOf(state.wallet, family);
  const refusal = checkFactor(familyWallet, used, state.timeMs);
  if (refusal === undefined) useFactor(familyWallet, used);
  return refusal;
}

const checkSealed = (sealedPassword: Uint8Array): Refusal | undefined =>
  sealedPassword.length > 0 && sealedPassword.length <= SEALED_BYTES_MAX
    ? undefined
    : refuse('PARAMETER_INVALID', 'the sealed hash of a password');

/** Undefined if there is no such account: indexes in commands come from outside. */
const familyOf = (state: State, account: AccountIndex): FamilyIndex | undefined =>
  state.accounts[account]?.family;
