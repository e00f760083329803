import { isIP } from 'node:net';
import { assert } from '../../domain/assert.ts';
import { accountIdText, accountIndexFromText } from '../../domain/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { AccountIndex, FamilyIndex } from '../../domain/units.ts';
import type { KeyEntry } from '../../domain/views.ts';
import type { Submitted } from '../../engine/engine.ts';
import {
  createApiKey,
  createSubAccount,
  freezeSubAccount,
  getApiKeys,
  getSessions,
  getSubAccounts,
  renameSubAccount,
  revokeApiKey,
  signOut,
} from '../../wire/access.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { isTrue } from '../../wire/scalars.ts';
import type { Caller } from '../http/authenticate.ts';
import { type HandlerResult, type Route, route } from '../http/mount.ts';
import { expiryIn } from '../request/expiry.ts';
import { namedAccount } from '../request/names.ts';
import { eventOf, refusalOf } from '../request/outcome.ts';
import { signedOnce } from '../request/submit-elements.ts';
import type { AccessParts } from './parts.ts';
import { signInRoutes } from './sign-in-routes.ts';

export const accessRoutes = (parts: AccessParts): Route[] => [
  ...signInRoutes(parts),
  ...keyRoutes(parts),
  ...subAccountRoutes(parts),
];

const keyRoutes = (parts: AccessParts): Route[] => [
  route(getApiKeys, ({ caller }) => {
    const keys = liveKeys(parts, caller.family).filter(({ isSession }) => !isSession);
    return { data: keys.map((entry) => keyShape(parts, entry)) };
  }),

  route(createApiKey, async ({ request, caller }) => {
    const { engine, keys, factors } = parts;
    const { label = '', addresses, account: name = MAIN_ACCOUNT_NAME } = request;
    const { directory } = engine;
    const account = namedAccount(directory, caller.family, name);
    if (typeof account === 'object') return account;
    const wrong = (addresses ?? []).find((address) => isIP(address) === 0);
    if (wrong !== undefined) {
      return refuse('PARAMETER_INVALID', `${JSON.stringify(wrong)} is no IP address`);
    }
    const expiresAtMs = expiryIn(request.expiresAt);
    if (typeof expiresAtMs === 'object') return expiresAtMs;
    const permissions = new Set(request.permissions).add('read');
    if (permissions.has('withdraw')) permissions.add('trade');
    const tooMany = parts.newKeys(caller.family, 'key');
    if (tooMany !== undefined) return tooMany;
    const pair = keys.newPair();
    const sealedSecret = keys.seal(pair.secret);
    const submitted = await factors.submit(caller, request, (used) => ({
      kind: 'create-own-key',
      by: signedOnce(caller),
      account,
      accessKey: pair.accessKey,
      sealedSecret,
      label,
      permissions: [...permissions],
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      ...(addresses === undefined ? {} : { addresses }),
      ...(used === undefined ? {} : { used }),
    }));
    if (isRefusal(submitted)) return submitted;
    const { outcome, isRepeat } = submitted;
    const created = eventOf(outcome, 'key-created');
    if (isRefusal(created)) return { ...created, isRepeat };
    // From the state, not from the pair above: a repeated request returns the first key.
    const entry = directory.keyByAccess(created.accessKey);
    assert(entry !== undefined, 'a created key is in the directory');
    const secret = new TextDecoder().decode(keys.unseal(entry.sealedSecret));
    return { data: { ...keyShape(parts, entry), secret }, isRepeat };
  }),

  route(revokeApiKey, ({ request, caller }) => revoke(parts, caller, request.accessKey)),
  route(signOut, async ({ request, caller }) => {
    const accessKey = request.accessKey ?? caller.accessKey;
    const keys = liveKeys(parts, caller.family);
    const named = keys.find((entry) => entry.accessKey === accessKey);
    // A program that signs out with its own key would lose the key for good.
    if (named?.isSession === false) {
      const hint = 'DELETE /v3/api-keys revokes a key';
      return refuse('RESULT_NOT_FOUND', `${accessKey} is a key and no session; ${hint}`);
    }
    // A session that has ended signs nothing more: its own end comes last, that of another one first.
    const isOwn = accessKey === caller.accessKey;
    const ended = isOwn ? undefined : await revoke(parts, caller, accessKey);
    if (ended !== undefined && isRefusal(ended)) return ended;
    if (named !== undefined) await endOpenedBy(parts, caller, named);
    return ended ?? revoke(parts, caller, accessKey);
  }),

  route(getSessions, ({ caller }) => {
    const sessions = liveKeys(parts, caller.family).filter(({ isSession }) => isSession);
    return {
      data: sessions.map((entry) => ({
        ...ownerShape(parts, entry),
        ...timesShape(parts, entry),
        expiresAt: String(entry.expiresAtMs ?? 0),
        current: entry.key === caller.key,
      })),
    };
  }),
];

async function revoke(
  { engine }: AccessParts,
  caller: Caller,
  accessKey: string,
): Promise<HandlerResult<{ accessKey: string }>> {
  const by = { key: caller.key };
  const { outcome, isRepeat } = await engine.submit({ kind: 'revoke-own-key', by, accessKey });
  const revoked = eventOf(outcome, 'key-revoked');
  if (!isRefusal(revoked)) return { data: { accessKey }, isRepeat };
  // The signer itself was accepted: the unknown key is the one it named.
  return revoked.rejected === 'KEY_UNKNOWN'
    ? refuse('RESULT_NOT_FOUND', `no live key ${accessKey} in this family`)
    : revoked;
}

const subAccountRoutes = (parts: AccessParts): Route[] => [
  route(getSubAccounts, ({ caller }) => {
    const { directory } = parts.engine;
    const { accounts } = directory.family(caller.family);
    return { data: accounts.slice(1).map((account) => subAccountShape(parts, account)) };
  }),

  route(createSubAccount, async ({ request, caller }) => {
    const { name, accountType = 'PORTFOLIO' } = request;
    const by = signedOnce(caller);
    const submitted = await parts.engine.submit({
      kind: 'create-sub-account',
      by,
      name,
      accountType,
    });
    const created = eventOf(submitted.outcome, 'account-created');
    if (isRefusal(created)) return { ...created, isRepeat: submitted.isRepeat };
    return { data: subAccountShape(parts, created.account), isRepeat: submitted.isRepeat };
  }),

  route(renameSubAccount, async ({ request, caller }) => {
    const account = ownAccount(parts, caller, request.accountId);
    if (typeof account === 'object') return account;
    const by = signedOnce(caller);
    const { name } = request;
    return changed(
      parts,
      account,
      await parts.engine.submit({ kind: 'rename-account', by, account, name }),
    );
  }),

  route(freezeSubAccount, async ({ request, caller }) => {
    const account = ownAccount(parts, caller, request.accountId);
    if (typeof account === 'object') return account;
    const by = signedOnce(caller);
    const isFrozen = isTrue(request.frozen);
    return changed(
      parts,
      account,
      await parts.engine.submit({ kind: 'freeze-account', by, account, isFrozen }),
    );
  }),
];

function changed(
  parts: AccessParts,
  account: AccountIndex,
  { outcome, isRepeat }: Submitted,
): HandlerResult<ReplyOf<typeof renameSubAccount>> {
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) return { ...refusal, isRepeat };
  return { data: subAccountShape(parts, account), isRepeat };
}

/** Another family's account is answered like one that does not exist. */
function ownAccount({ engine }: AccessParts, caller: Caller, sent: string): AccountIndex | Refusal {
  const account = accountIndexFromText(sent) as AccountIndex | undefined;
  const isOwn =
    account !== undefined && engine.directory.family(caller.family).accounts.includes(account);
  return isOwn ? account : refuse('SUB_ACCOUNT_INVALID', `accountId ${sent}`);
}

function subAccountShape(
  { engine }: AccessParts,
  account: AccountIndex,
): ReplyOf<typeof renameSubAccount> {
  const entry = engine.directory.account(account);
  assert(entry !== undefined, 'an account index names an account');
  return { accountId: accountIdText(account), name: entry.name, active: entry.isActive };
}

/** Newest first. */
function liveKeys({ engine }: AccessParts, family: FamilyIndex): KeyEntry[] {
  const { directory } = engine;
  const nowMs = engine.nowMs();
  return directory
    .keysOf(family)
    .filter(({ isRevoked, expiresAtMs }) => !isRevoked && (expiresAtMs ?? nowMs) >= nowMs)
    .sort((one, other) => other.createdAtMs - one.createdAtMs);
}

/**
 * Ends the sessions that another has opened for other accounts, and those it opens meanwhile: a few times, so that
 * nobody is kept busy by whoever goes on opening them.
 */
async function endOpenedBy(parts: AccessParts, caller: Caller, by: KeyEntry): Promise<void> {
  if (parts.engine.directory.account(by.account)?.isMain !== true) return;
  for (let round = 0; round < ENDING_ROUNDS; round++) {
    const opened = openedBy(liveKeys(parts, caller.family), by);
    if (opened.length === 0) return;
    for (const { accessKey } of opened) {
      // Refused if it has just ended by itself, which is all the same.
      await revoke(parts, caller, accessKey);
    }
  }
}
const ENDING_ROUNDS = 4;

/**
 * Only a session of the main account opens others; they expire in the same millisecond as it does. Where several of
 * the main account do, the oldest has opened them.
 */
function openedBy(keys: readonly KeyEntry[], by: KeyEntry): KeyEntry[] {
  const family = keys.filter(
    ({ isSession, expiresAtMs }) => isSession && expiresAtMs === by.expiresAtMs,
  );
  const isOldest = !family.some(({ account, key }) => account === by.account && key < by.key);
  return family.filter(({ account, key }) => isOldest && account !== by.account && key > by.key);
}

function ownerShape({ engine }: AccessParts, { accessKey, account }: KeyEntry) {
  const name = engine.directory.account(account)?.name ?? '';
  return { accessKey, accountId: accountIdText(account), name };
}

function timesShape({ lastUse }: AccessParts, { key, createdAtMs, expiresAtMs }: KeyEntry) {
  const usedAtMs = lastUse.atMs(key);
  return {
    createdAt: String(createdAtMs),
    ...(expiresAtMs === undefined ? {} : { expiresAt: String(expiresAtMs) }),
    ...(usedAtMs === undefined ? {} : { lastUsedAt: String(usedAtMs) }),
  };
}

function keyShape(parts: AccessParts, entry: KeyEntry): ReplyOf<typeof getApiKeys>[number] {
  const { label, permissions, addresses, mayWithdrawFromMs } = entry;
  const isWaiting = mayWithdrawFromMs > parts.engine.nowMs();
  return {
    ...ownerShape(parts, entry),
    ...timesShape(parts, entry),
    label,
    permissions: [...permissions],
    ...(addresses === undefined ? {} : { addresses: [...addresses] }),
    ...(isWaiting ? { withdrawsFrom: String(mayWithdrawFromMs) } : {}),
  };
}
