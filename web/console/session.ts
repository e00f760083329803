import {
  type Endpoint,
  importSecret,
  type ReplyOf,
  type RequestOf,
  RialtoClient,
  RialtoError,
} from '../../src/client/index.ts';
import { getMe } from '../../src/wire/operator-venue.ts';
import { keptIn } from '../shared/kept-keys.ts';
import { sendSurely } from '../shared/send-surely.ts';
import { createStore } from '../shared/store.ts';
import { noteVenueTime, venueNowMs } from '../shared/venue-clock.ts';

/**
 * The signed-in operator. The secret becomes a WebCrypto key that signs and cannot be extracted; its text is
 * discarded at once. The key is kept in IndexedDB under a name that only this tab knows, so that a reload
 * continues and another tab, or this one after it was closed, has to sign in.
 */
export type Operator = {
  readonly accessKey: string;
  readonly key: CryptoKey;
  /** As the venue names it: "operator:local". */
  readonly actor: string;
  readonly roles: readonly string[];
  readonly endsAtMs: number;
};

type Signed = {
  readonly operator: Operator | undefined;
  readonly isKnown: boolean;
  /** Why a session has ended, for an operator who must sign in again. */
  readonly ended?: string;
};

export const signed = createStore<Signed>({ operator: undefined, isKnown: false });

/** A credential does not expire by itself, so the console limits it. */
const SESSION_MS = 8 * 3_600_000;
const ANSWER_WITHIN_MS = 15_000;

const kept = keptIn('rialto-console', 'sessions');

const patientFetch: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });

let made: { readonly operator: Operator; readonly client: RialtoClient } | undefined;

function clientOf(operator: Operator): RialtoClient {
  if (made?.operator !== operator) made = { operator, client: newClient(operator) };
  return made.client;
}

const newClient = ({ accessKey, key }: Pick<Operator, 'accessKey' | 'key'>): RialtoClient =>
  new RialtoClient({
    ...{ baseUrl: location.origin, accessKey, signingKey: key },
    ...{ nowMs: venueNowMs, fetch: patientFetch, retry: false, followClock: false },
  });

export async function signIn(accessKey: string, secret: string): Promise<void> {
  await readVenueClock();
  const key = await importSecret(secret);
  const { actor, roles } = await newClient({ accessKey, key }).call(getMe, {});
  const operator = { accessKey, key, actor, roles, endsAtMs: Date.now() + SESSION_MS };
  await kept('readwrite', (store) => store.put(operator, tabName())).catch(() => undefined);
  signed.set({ operator, isKnown: true });
}

export async function signOut(ended?: string): Promise<void> {
  const name = tabName();
  // Removed at once: a reload before the key is deleted no longer finds it.
  sessionStorage.removeItem(TAB);
  signed.set({ operator: undefined, isKnown: true, ...(ended === undefined ? {} : { ended }) });
  await kept('readwrite', (store) => store.delete(name)).catch(() => undefined);
}

/** Restores this tab's session after a reload; expired leftovers of other tabs are removed. */
export async function recall(): Promise<void> {
  await readVenueClock().catch(() => undefined);
  const found = (await kept('readonly', (store) => store.get(tabName())).catch(() => undefined)) as
    | Operator
    | undefined;
  const isOver = found === undefined || found.endsAtMs <= Date.now();
  signed.set({ operator: isOver ? undefined : found, isKnown: true });
  await forgetEnded().catch(() => undefined);
}

async function forgetEnded(): Promise<void> {
  const names = (await kept('readonly', (store) => store.getAllKeys())) as string[];
  for (const name of names) {
    const one = (await kept('readonly', (store) => store.get(name))) as Operator | undefined;
    if (one === undefined || one.endsAtMs > Date.now()) continue;
    await kept('readwrite', (store) => store.delete(name));
  }
}

async function readVenueClock(): Promise<void> {
  const before = Date.now();
  const response = await patientFetch('/health');
  const { engine } = (await response.json()) as { engine?: { clock?: { engineMs?: number } } };
  const engineMs = engine?.clock?.engineMs;
  if (engineMs !== undefined) noteVenueTime(engineMs, before);
}

/** A read. If the answer is that the credential is unknown, the session ends. */
export async function query<E extends Endpoint>(
  endpoint: E,
  request: RequestOf<E>,
): Promise<ReplyOf<E>> {
  const { operator } = signed.get();
  if (operator === undefined) throw new Error('Nobody has signed in');
  if (operator.endsAtMs <= Date.now()) {
    await signOut('The session was over after 8 hours.');
    throw new Error('The session is over');
  }
  try {
    return await clientOf(operator).call(endpoint, request);
  } catch (reason) {
    if (reason instanceof RialtoError && reason.status === 401) {
      await signOut(`The venue no longer takes this credential: ${reason.message}`);
    }
    throw reason;
  }
}

/** An act. If no answer comes, the same signed bytes are sent again: they take effect once. */
export async function act<E extends Endpoint>(
  endpoint: E,
  request: RequestOf<E>,
): Promise<ReplyOf<E>> {
  const { operator } = signed.get();
  if (operator === undefined) throw new Error('Nobody has signed in');
  return sendSurely(clientOf(operator), { endpoint, request });
}

/** Admins may do everything. */
export const mayAct = (operator: Operator, { roles = [] }: Pick<Endpoint, 'roles'>): boolean =>
  operator.roles.includes('admin') || operator.roles.some((one) => roles.includes(one as 'risk'));

/** "risk or admin" */
export const rolesFor = ({ roles = [] }: Pick<Endpoint, 'roles'>): string =>
  [...new Set([...roles, 'admin'])].join(' or ');

const TAB = 'rialto-console';

function tabName(): string {
  const found = sessionStorage.getItem(TAB);
  if (found !== null) return found;
  const name = crypto.randomUUID();
  sessionStorage.setItem(TAB, name);
  return name;
}
