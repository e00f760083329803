import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { assert } from '../../domain/assert.ts';
import { accountIdText, accountIndexFromText } from '../../domain/ids.ts';
import type { FamilySummary } from '../../domain/operator-views.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME, PERMISSIONS, type Permission } from '../../domain/terms.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { AccountEntry, Directory, KeyEntry } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import {
  createAccount,
  createKey,
  getAccountOf,
  inviteUser,
  listAccounts,
  listFamilies,
  listKeys,
  resetFactor,
  revokeKey,
  setRestrictions,
} from '../../wire/operator-accounts.ts';
import { LIST_LIMITS } from '../../wire/operator-names.ts';
import { limitOf } from '../../wire/scalars.ts';
import { accountShape as accountDetailShape } from '../account/shapes.ts';
import { checkRoles, isAdmin, type OperatorCaller } from '../http/authenticate-operator.ts';
import { type Route, route } from '../http/mount.ts';
import { expiryIn } from '../request/expiry.ts';
import { hashOfToken } from '../request/invitations.ts';
import type { KeyMaker } from '../request/key-maker.ts';
import { byOperator, eventOf } from './acting.ts';

const INVITATION_MS = 3 * 86_400_000;

export const accountRoutes = (engine: Engine): Route[] => [
  route(listFamilies, async ({ request }) => {
    const { directory } = engine;
    const { family: name, afterFamily } = request;
    const [last] =
      afterFamily === undefined
        ? []
        : await engine.view('familyPage', { after: -1, limit: 1, name: afterFamily });
    if (afterFamily !== undefined && last === undefined) {
      return refuse('RESULT_NOT_FOUND', `there is no family ${afterFamily}`);
    }
    const found = await engine.view('familyPage', {
      after: last?.family ?? -1,
      limit: limitOf(request.limit, LIST_LIMITS.page),
      ...(name === undefined ? {} : { name }),
    });
    return { data: found.map((one) => familyShape(directory, one, engine.nowMs())) };
  }),

  route(getAccountOf, async ({ request }) => {
    const index = accountIndexFromText(request.accountId);
    const entry = index === undefined ? undefined : engine.directory.account(index as AccountIndex);
    if (entry === undefined) {
      return refuse('RESULT_NOT_FOUND', `there is no account ${request.accountId}`);
    }
    const { directory } = engine;
    const { account } = entry;
    const [view] = await engine.view('accounts', { accounts: [account] });
    assert(view !== undefined, 'an account of the directory can be seen');
    const open = await engine.view('orders', { account, limit: ORDERS_COUNTED_MAX });
    const openOrders = String(open.length);
    const shape = accountDetailShape(directory, view);
    return { data: { ...accountShape(directory, entry), ...shape, openOrders } };
  }),

  route(listAccounts, async ({ request }) => {
    const { directory } = engine;
    const after = request.afterId === undefined ? -1 : accountIndexFromText(request.afterId);
    if (after === undefined) return refuse('PARAMETER_INVALID', `afterId ${request.afterId}`);
    const limit = limitOf(request.limit, LIST_LIMITS.page);
    const found =
      request.family === undefined
        ? await engine.view('accountPage', { after, limit })
        : (await accountsOf(engine, request.family)).filter(({ account }) => account > after);
    return { data: found.slice(0, limit).map((entry) => accountShape(directory, entry)) };
  }),

  route(createAccount, async ({ request, caller }) => {
    const { outcome, isRepeat } = await engine.submit({
      kind: 'create-account',
      ...byOperator(caller),
      account: { family: request.family, name: request.name ?? MAIN_ACCOUNT_NAME },
      accountType: request.accountType ?? 'PORTFOLIO',
    });
    const created = eventOf(outcome, 'account-created');
    if (isRefusal(created)) return { ...created, isRepeat };
    const entry = engine.directory.account(created.account);
    assert(entry !== undefined, 'a created account is in the directory');
    return { data: accountShape(engine.directory, entry), isRepeat };
  }),

  route(inviteUser, async ({ request, caller }) => {
    const { family } = request;
    const denied = await takeoverRefusal(engine, caller, family);
    if (denied !== undefined) return denied;
    const token = randomBytes(24).toString('base64url');
    const { outcome, isRepeat } = await engine.submit({
      kind: 'invite-user',
      ...byOperator(caller),
      family,
      tokenHash: hashOfToken(token),
      expiresAtMs: engine.nowMs() + INVITATION_MS,
    });
    const invited = eventOf(outcome, 'user-invited');
    if (isRefusal(invited)) return { ...invited, isRepeat };
    const expiresAt = String(invited.expiresAtMs);
    // The venue keeps only a hash: a repeated request cannot get the first token.
    return { data: { family, ...(isRepeat ? {} : { token }), expiresAt }, isRepeat };
  }),

  route(setRestrictions, async ({ request, caller }) => {
    const { family, name, restrictions } = request;
    if (name === MAIN_ACCOUNT_NAME) {
      return refuse('PARAMETER_INVALID', 'what holds for main holds for the family: no name');
    }
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-restrictions',
      ...byOperator(caller),
      family,
      ...(name === undefined ? {} : { subAccount: name }),
      restrictions,
    });
    const set = eventOf(outcome, 'restrictions-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    const subject = { family, ...(name === undefined ? {} : { name }) };
    return { data: { ...subject, restrictions: [...set.restrictions] }, isRepeat };
  }),

  route(resetFactor, async ({ request, caller }) => {
    const { family, factor, reason } = request;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'reset-factor',
      ...byOperator(caller),
      ...{ family, factor, reason },
    });
    const acted = eventOf(outcome, 'operator-acted');
    if (isRefusal(acted)) return { ...acted, isRepeat };
    const removed = outcome.events.find((event) => event.kind === 'factor-removed');
    const waitMs = removed?.waitUntilMs;
    const wait = waitMs === undefined ? {} : { waitUntil: String(waitMs) };
    return { data: { family, factor, done: removed !== undefined, ...wait }, isRepeat };
  }),
];

/**
 * Whoever accepts an invitation may withdraw. Where somebody may already, and no second factor has to be proved,
 * an invitation is a key that may withdraw, which only admins create.
 */
async function takeoverRefusal(
  engine: Engine,
  { actor, roles }: OperatorCaller,
  name: string,
): Promise<Refusal | undefined> {
  const family = engine.directory.familyByName(name)?.family;
  if (family === undefined) return undefined;
  if (isAdmin(roles)) return undefined;
  const nowMs = engine.nowMs();
  const { factors } = await engine.view('familyWallet', { family });
  if (factors.some(({ removedAtMs = nowMs + 1 }) => removedAtMs > nowMs)) return undefined;
  const { passwordVersion } = await engine.view('familyAccess', { family });
  const mayWithdraw = ({ isRevoked, expiresAtMs = nowMs, permissions }: KeyEntry): boolean =>
    !isRevoked && expiresAtMs >= nowMs && permissions.includes('withdraw');
  if (passwordVersion === 0 && !engine.directory.keysOf(family).some(mayWithdraw)) return undefined;
  return refuse(
    'PERMISSION_MISSING',
    `${name} has access already and no second factor: to replace its password, ${actor} needs the role admin`,
  );
}

export const keyRoutes = (engine: Engine, keys: KeyMaker): Route[] => [
  route(listKeys, async ({ request }) => {
    const { directory } = engine;
    const after =
      request.afterKey === undefined ? undefined : directory.keyByAccess(request.afterKey);
    if (request.afterKey !== undefined && after === undefined) {
      return refuse('RESULT_NOT_FOUND', `afterKey ${request.afterKey}`);
    }
    const limit = limitOf(request.limit, LIST_LIMITS.page);
    const { family, name } = request;
    const accounts = family === undefined ? undefined : await accountsOf(engine, family);
    const wanted = accounts?.filter((one) => name === undefined || one.name === name);
    const page = { after: after?.key ?? -1, limit };
    const found = await engine.view('keyPage', {
      ...page,
      ...(wanted === undefined ? {} : { accounts: wanted.map(({ account }) => account) }),
    });
    return { data: found.map((entry) => keyShape(directory, entry)) };
  }),

  route(createKey, async ({ request, caller }) => {
    const expiresAtMs = expiryIn(request.expiresAt);
    if (typeof expiresAtMs === 'object') return expiresAtMs;
    const { addresses } = request;
    if (request.permissions.includes('withdraw')) {
      const denied = checkRoles({ name: caller.actor, roles: caller.roles }, []);
      if (denied !== undefined) return denied;
    }
    const wrong = checkExpiry(expiresAtMs, engine.nowMs()) ?? checkAddresses(addresses ?? []);
    if (wrong !== undefined) return wrong;
    const pair = keys.newPair();
    const { outcome, isRepeat } = await engine.submit({
      kind: 'create-key',
      ...byOperator(caller),
      account: { family: request.family, name: request.name ?? MAIN_ACCOUNT_NAME },
      accessKey: pair.accessKey,
      sealedSecret: keys.seal(pair.secret),
      permissions: withImplied(request.permissions),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      ...(addresses === undefined ? {} : { addresses }),
    });
    const created = eventOf(outcome, 'key-created');
    if (isRefusal(created)) return { ...created, isRepeat };
    // From the state, not from the pair above: a repeated request returns the first key.
    const entry = engine.directory.keyByAccess(created.accessKey);
    assert(entry !== undefined, 'a created key is in the directory');
    const secret = new TextDecoder().decode(keys.unseal(entry.sealedSecret));
    return { data: { ...keyShape(engine.directory, entry), secret }, isRepeat };
  }),

  route(revokeKey, async ({ request, caller }) => {
    const { accessKey } = request;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'revoke-key',
      ...byOperator(caller),
      accessKey,
    });
    const revoked = eventOf(outcome, 'key-revoked');
    if (isRefusal(revoked)) return { ...notRevoked(revoked, engine, accessKey), isRepeat };
    const entry = engine.directory.keyByAccess(accessKey);
    assert(entry !== undefined, 'a revoked key is in the directory');
    return { data: keyShape(engine.directory, entry), isRepeat };
  }),
];

/** The core's refusal names the caller's key; here it is the key to revoke that is unknown. */
function notRevoked(refusal: Refusal, { directory }: Engine, accessKey: string): Refusal {
  if (refusal.rejected !== 'KEY_UNKNOWN') return refusal;
  const isKnown = directory.keyByAccess(accessKey) !== undefined;
  return refuse(
    'RESULT_NOT_FOUND',
    `key ${accessKey} ${isKnown ? 'is revoked already' : 'is unknown'}`,
  );
}

/** Every key may read, and one that may withdraw may trade. */
const withImplied = (permissions: readonly Permission[]): Permission[] =>
  PERMISSIONS.filter(
    (one) =>
      one === 'read' ||
      permissions.includes(one) ||
      (one === 'trade' && permissions.includes('withdraw')),
  );

/** Of one family, by ascending id. */
async function accountsOf(engine: Engine, name: string): Promise<AccountEntry[]> {
  const [family] = await engine.view('familyPage', { after: -1, limit: 1, name });
  return (family?.accounts ?? [])
    .map((account) => engine.directory.account(account))
    .filter((entry) => entry !== undefined)
    .sort((a, b) => a.account - b.account);
}

const ORDERS_COUNTED_MAX = 10_000;

const familyShape = (
  directory: Directory,
  view: FamilySummary,
  nowMs: number,
): ReplyOf<typeof listFamilies>[number] => ({
  family: view.name,
  restrictions: [...view.restrictions],
  accounts: view.accounts.map((account) => ({
    accountId: accountIdText(account),
    name: directory.account(account)?.name ?? '',
  })),
  feeTier: String(view.feeTier),
  whitelistOnly: view.isWhitelistOn,
  secondFactors: [...view.factors],
  ...(view.blockedUntilMs > nowMs ? { blockedUntil: String(view.blockedUntilMs) } : {}),
  vanishedDeposits: String(view.vanishedDeposits),
  openWithdrawals: String(view.openWithdrawals),
});

function accountShape(
  directory: Directory,
  { account, family, name, accountType, isActive, createdAtMs }: AccountEntry,
): ReplyOf<typeof createAccount> {
  const { name: familyName, restrictions } = directory.family(family);
  return {
    family: familyName,
    name,
    accountId: accountIdText(account),
    accountType,
    active: isActive,
    restrictions: [...restrictions],
    createdAt: String(createdAtMs),
  };
}

function keyShape(directory: Directory, entry: KeyEntry): ReplyOf<typeof revokeKey> {
  const account = directory.account(entry.account);
  assert(account !== undefined, 'a key belongs to an account');
  const { expiresAtMs, addresses } = entry;
  return {
    accessKey: entry.accessKey,
    family: directory.family(account.family).name,
    name: account.name,
    accountId: accountIdText(entry.account),
    permissions: [...entry.permissions],
    ...(expiresAtMs === undefined ? {} : { expiresAt: String(expiresAtMs) }),
    ...(addresses === undefined ? {} : { addresses: [...addresses] }),
    revoked: entry.isRevoked,
  };
}

function checkExpiry(expiresAtMs: number | undefined, nowMs: number): Refusal | undefined {
  if (expiresAtMs === undefined) return undefined;
  if (expiresAtMs > nowMs) return undefined;
  return refuse(
    'PARAMETER_INVALID',
    `expiresAt ${expiresAtMs} is not after the engine's clock, ${nowMs}`,
  );
}

/** Requests come from plain addresses: a name or a network would never match. */
function checkAddresses(addresses: readonly string[]): Refusal | undefined {
  const wrong = addresses.find((address) => isIP(address) === 0);
  if (wrong === undefined) return undefined;
  return refuse('PARAMETER_INVALID', `${JSON.stringify(wrong)} is no IP address`);
}
