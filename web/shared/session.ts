import { importSecret, RialtoClient, RialtoError } from '../../src/client/index.ts';
import { keptIn } from './kept-keys.ts';
import { createStore } from './store.ts';
import { noteVenueTime, venueNowMs } from './venue-clock.ts';

/**
 * Signing in returns a key that expires by itself. Its secret becomes a non-extractable WebCrypto key, kept
 * in IndexedDB; its text is discarded at once.
 */
export type Session = {
  readonly accessKey: string;
  readonly key: CryptoKey;
  readonly accountId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAt: number;
  /**
   * The keys of the family's other accounts that were used. The key of a sub-account cannot open sessions:
   * without that of the main account there would be no way back to it.
   */
  readonly others?: readonly Session[];
};

export type SessionReply = {
  readonly accessKey: string;
  readonly secret: string;
  readonly accountId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAt: string;
};

type Signed = {
  readonly session: Session | undefined;
  readonly isKnown: boolean;
  /** It expired, nobody signed out: what was typed stays until its owner is back. */
  readonly ended?: Session;
};

export const sessions = createStore<Signed>({ session: undefined, isKnown: false });

/**
 * The accounts that have been used since somebody signed in. One whose session has only ended is asked to sign in
 * again, and finds what was there.
 */
export function accountsInUse(): readonly string[] {
  const { session, ended } = sessions.get();
  const used = session ?? ended;
  return used === undefined ? [] : keysOf(used).map(({ accountId }) => accountId);
}

const baseUrl = location.origin;

export const publicClient = new RialtoClient({ baseUrl, nowMs: venueNowMs, retry: false });

let made: { readonly session: Session; readonly client: RialtoClient } | undefined;

/** Signs as the session's account. */
export function clientOf(session: Session): RialtoClient {
  if (made?.session !== session) {
    const { accessKey, key } = session;
    made = {
      session,
      client: new RialtoClient({
        ...{ baseUrl, accessKey, signingKey: key },
        ...{ nowMs: venueNowMs, retry: false },
      }),
    };
  }
  return made.client;
}

/**
 * A session that the venue no longer knows ends here, too. What was refused may have been sent by somebody who has
 * signed out since: whether it is this session that has ended is asked.
 */
export function endedBy(reason: unknown): boolean {
  if (!(reason instanceof RialtoError) || reason.status !== 401) return false;
  const { session } = sessions.get();
  if (session !== undefined) void endIfUnknown(session);
  return true;
}

/**
 * Signing out, here or in another tab, removes the session before the venue is notified: a request in flight at
 * that moment is refused, and must not open the sign-in dialog.
 */
async function noteEnd(session: Session): Promise<void> {
  const isThere = await keptSession().then(
    (found) => found?.accessKey === session.accessKey,
    () => true,
  );
  if (sessions.get().session !== session) return;
  if (isThere) await forgetSession(session);
  else await recallSession();
}

const keptSession = async (): Promise<Session | undefined> =>
  (await kept('readonly', (store) => store.get(SLOT))) as Session | undefined;

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('rialto') : undefined;

export async function beginSession(
  reply: SessionReply,
  others: readonly Session[] = [],
): Promise<void> {
  const { secret, expiresAt, ...rest } = reply;
  const key = await importSecret(secret);
  await keepSession({ ...rest, key, expiresAt: Number(expiresAt) }, others);
}

async function keepSession(alone: Session, all: readonly Session[]): Promise<void> {
  const others = all.filter(({ accountId }) => accountId !== alone.accountId);
  const session = { ...alone, others };
  await kept('readwrite', (store) => store.put(session, SLOT)).catch(() => undefined);
  sessions.set({ session, isKnown: true });
  channel?.postMessage('changed');
}

/** Each account of the family has one key, created when it is first selected. */
export async function turnSession(to: {
  readonly accountId: string;
  readonly name: string;
}): Promise<void> {
  const { session } = sessions.get();
  if (session === undefined || session.accountId === to.accountId) return;
  const all = keysOf(session);
  const known = all.find(({ accountId }) => accountId === to.accountId);
  if (known !== undefined && (await isOpen(known))) {
    if (isStillHere(all)) await keepSession(known, all);
    return;
  }
  const main = all.find(({ name }) => name === 'main') ?? session;
  const opened = await clientOf(main).openSession({ account: to.name });
  // Otherwise the venue ends it with the session that has opened it.
  if (isStillHere(all)) await beginSession(opened, all);
}

/** Nobody has signed out since, and nobody else has signed in: one of these keys is still in use. */
function isStillHere(all: readonly Session[]): boolean {
  const { session } = sessions.get();
  const used = session === undefined ? [] : keysOf(session);
  return used.some(({ accessKey }) => all.some((one) => one.accessKey === accessKey));
}

function keysOf({ others = [], ...alone }: Session): readonly Session[] {
  return [alone, ...others];
}

/** It may have expired, or somebody may have ended it. */
async function isOpen(session: Session): Promise<boolean> {
  if (session.expiresAt <= venueNowMs()) return false;
  try {
    await clientOf(session).account();
    return true;
  } catch (reason) {
    if (reason instanceof RialtoError && reason.status === 401) return false;
    throw reason;
  }
}

/**
 * The stream does not say whether it was refused for the session: asked for by REST. Without this a page that
 * requests nothing while the stream is lost would wait for it for ever.
 */
export async function endIfUnknown(session: Session): Promise<void> {
  const isKnown = await isOpen(session).catch(() => true);
  if (!isKnown && sessions.get().session === session) await noteEnd(session);
}

async function forgetSession(ended?: Session): Promise<void> {
  await kept('readwrite', (store) => store.delete(SLOT)).catch(() => undefined);
  sessions.set({ session: undefined, isKnown: true, ...(ended === undefined ? {} : { ended }) });
  channel?.postMessage('changed');
}

/** The session has expired. */
export const expire = (): Promise<void> => forgetSession(sessions.get().session);

export async function signOut(): Promise<void> {
  const { session } = sessions.get();
  await forgetSession();
  if (session === undefined) return;
  // The one of the main account has opened the others and takes them with it: it goes last.
  const keys = keysOf(session);
  const isMain = ({ name }: Session): number => Number(name === 'main');
  for (const one of keys.toSorted((one, other) => isMain(one) - isMain(other))) {
    await clientOf(one)
      .signOut()
      .catch(() => undefined);
  }
}

/** Restores what an earlier visit, or another tab, has left. */
export async function recallSession(): Promise<void> {
  const session = await keptSession().catch(() => undefined);
  const isOver = session === undefined || session.expiresAt <= venueNowMs();
  const before = sessions.get().session;
  if (before?.accessKey === session?.accessKey && sessions.get().isKnown) return;
  sessions.set({ session: isOver ? undefined : session, isKnown: true });
}

channel?.addEventListener('message', () => void recallSession());

export async function readVenueClock(): Promise<void> {
  const before = Date.now();
  const { timestamp } = await publicClient.time();
  noteVenueTime(Number(timestamp), before);
}

const SLOT = 'session';
const kept = keptIn('rialto', 'keys');

/** Accounts that a demo venue offers to pages on the same machine. */
export type DemoAccount = {
  readonly accountId: string;
  readonly family: string;
  readonly name: string;
  readonly balances: readonly { readonly asset: string; readonly total: string }[];
};
export type Demo = {
  readonly accounts: readonly DemoAccount[];
  readonly sandboxToken: string;
  readonly market: { readonly on: boolean; readonly seed?: number };
};

export const NO_DEMO: Demo = { accounts: [], sandboxToken: '', market: { on: false } };

/** Main accounts only: from there one can switch to the others. */
export async function readDemo(): Promise<Demo> {
  const response = await fetch('/sandbox/v1/demo-accounts').catch(() => undefined);
  if (response?.ok !== true) return NO_DEMO;
  const { data = NO_DEMO } = (await response.json()) as { readonly data?: Demo };
  return { ...data, accounts: data.accounts.filter(({ name }) => name === 'main') };
}

export async function demoSignIn(accountId: string): Promise<void> {
  const response = await fetch('/sandbox/v1/demo-session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ accountId }),
  });
  const answer = (await response.json()) as {
    readonly success: boolean;
    readonly data?: SessionReply;
    readonly message?: string;
  };
  if (answer.data === undefined) throw new Error(answer.message ?? 'the venue refused');
  await beginSession(answer.data);
}

/** A payment on a simulated chain, to the signed-in account. */
export async function testDeposit(sent: {
  readonly accountId: string;
  readonly asset: string;
  readonly network: string;
  readonly quantity: string;
}): Promise<void> {
  const { sandboxToken } = await readDemo();
  const response = await fetch('/sandbox/v1/deposit', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sandboxToken}` },
    body: JSON.stringify(sent),
  });
  const answer = (await response.json()) as {
    readonly success: boolean;
    readonly message?: string;
  };
  if (!answer.success) throw new Error(answer.message ?? 'the venue refused');
}
