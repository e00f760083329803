import { accountIdText } from '../../domain/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { FamilyIndex } from '../../domain/units.ts';
import type { FamilyEntry } from '../../domain/views.ts';
import type { Submitted } from '../../engine/engine.ts';
import { acceptInvitation, openSession, setPassword, signIn, signUp } from '../../wire/access.ts';
import { type HandlerResult, type Route, route } from '../http/mount.ts';
import { subnetOf } from '../http/subnet.ts';
import { hashOfToken } from '../request/invitations.ts';
import { accountByName, namedAccount } from '../request/names.ts';
import { eventOf } from '../request/outcome.ts';
import { provenStep } from '../request/second-factors.ts';
import { newSession, sessionOf } from '../request/sessions.ts';
import { signedOnce } from '../request/submit-elements.ts';
import type { Attempts } from './attempts.ts';
import type { AccessParts } from './parts.ts';

export const signInRoutes = (parts: AccessParts): Route[] => [
  route(signIn, ({ request, address }) =>
    inTurn(parts.attempts, request.name, subnetOf(address), async (attempt) => {
      const { name, password, account = MAIN_ACCOUNT_NAME } = request;
      const { engine } = parts;
      const proved = await provePassword(parts, engine.directory.familyByName(name), password);
      if (isRefusal(proved)) {
        if (proved.rejected === 'PASSWORD_WRONG') attempt.failed();
        return proved;
      }
      const { entry, passwordVersion } = proved;
      const index = accountByName(engine.directory, entry.family, account);
      if (index === undefined) return refuse('SUB_ACCOUNT_INVALID', account);
      const used = await provenStep(parts, entry.family, request);
      if (used !== undefined && isRefusal(used)) {
        attempt.failed();
        return used;
      }
      const tooMany = parts.newKeys(entry.family, 'password');
      if (tooMany !== undefined) return tooMany;
      const submitted = await engine.submit({
        kind: 'sign-in',
        ...newSession(parts, index),
        passwordVersion,
        ...(used === undefined ? {} : { used }),
      });
      const session = sessionOf(parts, submitted);
      if (!isRefusal(session)) attempt.succeeded();
      return session;
    }),
  ),

  route(openSession, async ({ request, caller }) => {
    const account = namedAccount(parts.engine.directory, caller.family, request.account);
    if (typeof account === 'object') return account;
    const tooMany = parts.newKeys(caller.family, 'key');
    if (tooMany !== undefined) return tooMany;
    const session = newSession(parts, account);
    const by = signedOnce(caller);
    return sessionOf(parts, await parts.engine.submit({ kind: 'open-session', by, ...session }));
  }),

  route(acceptInvitation, ({ request, address }) => {
    const from = subnetOf(address);
    // Tokens cannot be guessed; attempts are slowed down all the same, each address by itself: otherwise
    // strangers could keep those who are invited out.
    return inTurn(parts.attempts, `${INVITATIONS} ${from}`, from, async (attempt) => {
      const { engine } = parts;
      const tokenHash = hashOfToken(request.token);
      const invitation = await engine.view('invitation', { tokenHash });
      if (invitation === undefined) {
        attempt.failed();
        return refuse('RESULT_NOT_FOUND', 'no such invitation, or it has expired');
      }
      const used = await provenStep(parts, invitation.family, request);
      if (used !== undefined && isRefusal(used)) {
        attempt.failed();
        return used;
      }
      const sealedPassword = await sealedHash(parts, request.password);
      if (isRefusal(sealedPassword)) return sealedPassword;
      const submitted = await engine.submit({
        kind: 'accept-invitation',
        tokenHash,
        sealedPassword,
        ...(used === undefined ? {} : { used }),
      });
      return nameOf(parts, submitted, invitation.family);
    });
  }),

  route(signUp, async ({ request, address }) => {
    const { engine, attempts, isOpenToAll } = parts;
    if (!isOpenToAll) return refuse('PERMISSION_MISSING', 'this venue is by invitation');
    const from = subnetOf(address);
    const waitMs = attempts.waitMs(REGISTRATIONS, from);
    if (waitMs > 0) return tooManyFailures(waitMs);
    attempts.failed(REGISTRATIONS, from);
    const sealedPassword = await sealedHash(parts, request.password);
    if (isRefusal(sealedPassword)) return sealedPassword;
    const family = request.name;
    const { outcome } = await engine.submit({ kind: 'sign-up', family, sealedPassword });
    const created = eventOf(outcome, 'account-created');
    if (isRefusal(created)) return created;
    return { data: { name: family, accountId: accountIdText(created.account) } };
  }),

  // Whoever has taken over a session still has to guess the password.
  route(setPassword, ({ request, caller, address }) => {
    const { engine, factors, attempts } = parts;
    const entry = engine.directory.family(caller.family);
    return inTurn(attempts, entry.name, subnetOf(address), async (attempt) => {
      const proved = await provePassword(parts, entry, request.password);
      if (isRefusal(proved)) {
        if (proved.rejected === 'PASSWORD_WRONG') attempt.failed();
        return proved;
      }
      const sealedPassword = await sealedHash(parts, request.newPassword);
      if (isRefusal(sealedPassword)) return sealedPassword;
      const { passwordVersion } = proved;
      const submitted = await factors.submit(caller, request, (used) => ({
        kind: 'set-password',
        by: signedOnce(caller),
        passwordVersion,
        sealedPassword,
        ...(used === undefined ? {} : { used }),
      }));
      return isRefusal(submitted) ? submitted : nameOf(parts, submitted, caller.family);
    });
  }),
];

/** Attempts that belong to no family. */
const INVITATIONS = '\ninvitations';
const REGISTRATIONS = '\nregistrations';

/** One try to sign in, of those that may be made now. */
async function inTurn<Result>(
  attempts: Attempts,
  family: string,
  from: string,
  work: (attempt: { failed(): void; succeeded(): void }) => Promise<Result>,
): Promise<Result | Refusal> {
  const waitMs = attempts.waitMs(family, from);
  if (waitMs > 0) return tooManyFailures(waitMs);
  attempts.begin(family, from);
  try {
    return await work({
      failed: () => attempts.failed(family, from),
      succeeded: () => attempts.succeeded(family, from),
    });
  } finally {
    attempts.end(family, from);
  }
}

const tooManyFailures = (waitMs: number): Refusal =>
  refuse('RATE_LIMITED', `too many failed sign-ins, try again in ${Math.ceil(waitMs / 1_000)} s`);

type ProvedPassword = { readonly entry: FamilyEntry; readonly passwordVersion: number };

/** Takes as long, and answers the same, whether the family exists or not. */
async function provePassword(
  { engine, passwords, keys }: AccessParts,
  entry: FamilyEntry | undefined,
  password: string,
): Promise<ProvedPassword | Refusal> {
  const kept =
    entry === undefined ? undefined : await engine.view('familyAccess', { family: entry.family });
  const sealed = kept?.sealedPassword;
  const hash = sealed === undefined ? undefined : new TextDecoder().decode(keys.unseal(sealed));
  const isRight = await passwords.verify(password, hash);
  if (isRight === undefined) return refuse('BUSY', 'many sign in at this moment');
  if (!isRight || entry === undefined || kept === undefined) return refuse('PASSWORD_WRONG');
  return { entry, passwordVersion: kept.passwordVersion };
}

async function sealedHash(
  { passwords, keys }: AccessParts,
  password: string,
): Promise<Uint8Array | Refusal> {
  if (new Set(password).size < 4) return refuse('PASSWORD_WEAK', 'use more different characters');
  const hash = await passwords.hash(password);
  return hash === undefined ? refuse('BUSY', 'many sign in at this moment') : keys.seal(hash);
}

function nameOf(
  { engine }: AccessParts,
  { outcome, isRepeat }: Submitted,
  family: FamilyIndex,
): HandlerResult<{ name: string }> {
  const set = eventOf(outcome, 'password-set');
  if (isRefusal(set)) return { ...set, isRepeat };
  return { data: { name: engine.directory.family(family).name }, isRepeat };
}
