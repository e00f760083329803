import { assert } from '../../domain/assert.ts';
import { accountIdText } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Engine, Submitted } from '../../engine/engine.ts';
import type { signIn } from '../../wire/access.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { HandlerResult } from '../http/mount.ts';
import type { KeyMaker } from './key-maker.ts';
import { eventOf } from './outcome.ts';

/** Keys of pages: created, and returned once. */
type SessionParts = { readonly engine: Engine; readonly keys: KeyMaker };

const SESSION_MS = 12 * 3_600_000;

export function newSession({ engine, keys }: SessionParts, account: AccountIndex) {
  const { accessKey, secret } = keys.newPair();
  const expiresAtMs = engine.nowMs() + SESSION_MS;
  return { account, accessKey, sealedSecret: keys.seal(secret), expiresAtMs };
}

/** From the state, not from what was created above: a repeated request gets the first session. */
export function sessionOf(
  { engine, keys }: SessionParts,
  { outcome, isRepeat }: Submitted,
): HandlerResult<ReplyOf<typeof signIn>> {
  const created = eventOf(outcome, 'key-created');
  if (isRefusal(created)) return { ...created, isRepeat };
  const entry = engine.directory.keyByAccess(created.accessKey);
  const account = engine.directory.account(created.account);
  assert(entry !== undefined && account !== undefined, 'a created key is in the directory');
  return {
    data: {
      accessKey: entry.accessKey,
      secret: new TextDecoder().decode(keys.unseal(entry.sealedSecret)),
      accountId: accountIdText(entry.account),
      name: account.name,
      permissions: [...entry.permissions],
      expiresAt: String(entry.expiresAtMs ?? 0),
    },
    isRepeat,
  };
}
