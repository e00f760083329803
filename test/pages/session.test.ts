import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RialtoError } from '../../src/client/index.ts';

/**
 * What a tab does with a session. Node has neither IndexedDB nor a page address: the parts in use are faked
 * here.
 */
const kept = new Map<string, unknown>();
let onSignOut = async (): Promise<void> => undefined;
let isEnded = false;
let onOpen = async (): Promise<void> => undefined;
/** Of the request that sets the dead-man switch. */
let onSwitch = async (): Promise<void> => undefined;
let onCancelAll = async (): Promise<void> => undefined;
let namesOf = async (): Promise<object> => ({ success: true, data: [] });
/** The requests to the venue, with their signer. */
const requests: string[] = [];
const DESK = { accessKey: 'key of desk', secret: 'secret', accountId: '2', name: 'desk' };
const OPEN = { permissions: [], expiresAt: '9000000000000' };

const requestOf = (result: unknown) => {
  const request = { result, onsuccess: () => undefined };
  queueMicrotask(() => request.onsuccess());
  return request;
};
const store = {
  get: (slot: string) => requestOf(kept.get(slot)),
  put: (value: unknown, slot: string) => requestOf(kept.set(slot, value)),
  delete: (slot: string) => requestOf(kept.delete(slot)),
};
const database = { transaction: () => ({ objectStore: () => store }), close: () => undefined };

/** Whether anybody sees it. */
const page = Object.assign(new EventTarget(), { hidden: false });

let tab: typeof import('../../web/shared/session.ts');
beforeAll(async () => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw));
  vi.stubGlobal('indexedDB', { open: () => requestOf(database) });
  vi.stubGlobal(
    'BroadcastChannel',
    class extends EventTarget {
      postMessage(): void {}
    },
  );
  vi.stubGlobal('fetch', async (url: string | URL, { method, headers, body }: RequestInit = {}) => {
    const { pathname } = new URL(url);
    requests.push(`${new Headers(headers).get('AccessKey')}: ${method} ${pathname}`);
    if (method === 'DELETE') await onSignOut();
    if (pathname === '/v3/session/account') await onOpen();
    if (pathname.endsWith('/cancel-all-after')) {
      const { timeout } = JSON.parse(String(body));
      requests[requests.length - 1] = `${new Headers(headers).get('AccessKey')}: ${timeout}`;
      await onSwitch();
    }
    if (isEnded && pathname === '/v3/account') {
      return Response.json({ success: false, code: '10005', message: 'ended' }, { status: 401 });
    }
    if (pathname === '/v3/orders/cancel-all') await onCancelAll();
    if (pathname === '/v3/account/names') return Response.json(await namesOf());
    const data = pathname === '/v3/session/account' ? { ...DESK, ...OPEN } : {};
    return Response.json({ success: true, data });
  });
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('document', page);
  vi.stubGlobal('matchMedia', () => new EventTarget());
  tab = await import('../../web/shared/session.ts');
});
afterAll(async () => {
  // One that is still shown would leave later, when there are no frames.
  (await import('../../web/shared/messages.tsx')).forgetMessages();
  vi.unstubAllGlobals();
});

beforeEach(async () => {
  isEnded = false;
  onOpen = async () => undefined;
  onSwitch = async () => undefined;
  const owner = { accountId: '1', name: 'main', ...OPEN };
  await tab.beginSession({ accessKey: 'key', secret: 'secret', ...owner });
});

const refused = (): boolean =>
  tab.endedBy(new RialtoError(new Response('', { status: 401 }), '10005', 'unknown key'));

test('a request that is refused because its owner signs out does not ask to sign in again', async () => {
  const ended: unknown[] = [];
  onSignOut = async () => {
    // In flight when the venue ended the session.
    refused();
    for (let turn = 0; turn < 100; turn++) {
      await Promise.resolve();
      ended.push(tab.sessions.get().ended);
    }
  };
  await tab.signOut();
  expect(kept.size).toBe(0);
  expect(tab.sessions.get().session).toBeUndefined();
  expect(ended).toHaveLength(100);
  expect(ended.filter((one) => one !== undefined)).toEqual([]);
});

test('a request that is refused after another tab has signed out does not ask to sign in again', async () => {
  kept.clear();
  isEnded = true;
  expect(refused()).toBe(true);
  await vi.waitFor(() => expect(tab.sessions.get().session).toBeUndefined());
  expect(tab.sessions.get().ended).toBeUndefined();
});

test('a session that the venue has ended is said to have ended', async () => {
  isEnded = true;
  refused();
  await vi.waitFor(() => expect(tab.sessions.get().ended?.accessKey).toBe('key'));
  expect(kept.size).toBe(0);
});

test('a request of somebody who has signed out does not end the session of who has signed in since', async () => {
  onSignOut = async () => undefined;
  await tab.signOut();
  const next = { accessKey: 'key of next', secret: 'secret', accountId: '7', name: 'main' };
  await tab.beginSession({ ...next, ...OPEN });
  requests.length = 0;
  expect(refused()).toBe(true);
  await vi.waitFor(() => expect(requests).toEqual(['key of next: GET /v3/account']));
  await new Promise((done) => setTimeout(done, 20));
  expect(tab.sessions.get().session?.accessKey).toBe('key of next');
});

test('a user who has switched to a sub-account can switch back, and signs out of both', async () => {
  const main = { accountId: '1', name: 'main' };
  onSignOut = async () => undefined;
  const turned = async (to: typeof main): Promise<string | undefined> => {
    await tab.turnSession(to);
    return tab.sessions.get().session?.accessKey;
  };
  requests.length = 0;
  // Opened by the main account, the only one that may; afterwards each has its key.
  expect(await turned(DESK)).toBe('key of desk');
  expect(await turned(main)).toBe('key');
  expect(await turned(DESK)).toBe('key of desk');
  expect(requests).toEqual([
    ...['key: POST /v3/session/account', 'key: GET /v3/account'],
    'key of desk: GET /v3/account',
  ]);
  // A sub-account's key cannot open a session: that of the main account does.
  requests.length = 0;
  await tab.turnSession({ accountId: '3', name: 'other' });
  expect(requests).toEqual(['key: POST /v3/session/account']);
  // A key that somebody has revoked is created again.
  await turned(main);
  isEnded = true;
  requests.length = 0;
  expect(await turned(DESK)).toBe('key of desk');
  isEnded = false;
  expect(requests).toEqual(['key of desk: GET /v3/account', 'key: POST /v3/session/account']);
  // The main account's session takes the others with it, so it ends last, wherever the user is.
  await turned(main);
  requests.length = 0;
  await tab.signOut();
  expect(requests).toEqual(['key of desk: DELETE /v3/session', 'key: DELETE /v3/session']);
  expect(kept.size).toBe(0);
});

test('whoever signs out while another account is still being opened stays signed out', async () => {
  onSignOut = async () => undefined;
  onOpen = () => tab.signOut();
  await tab.turnSession(DESK);
  expect(tab.sessions.get()).toEqual({ session: undefined, isKnown: true });
  expect(kept.size).toBe(0);
});

test('the account of somebody who has signed out is not opened for who has signed in since', async () => {
  onSignOut = async () => undefined;
  onOpen = async () => {
    await tab.signOut();
    const next = { accessKey: 'key of next', secret: 'secret', accountId: '7', name: 'main' };
    await tab.beginSession({ ...next, ...OPEN });
  };
  await tab.turnSession(DESK);
  expect(tab.sessions.get().session?.accessKey).toBe('key of next');
});

test('an account chosen here is opened although another tab has switched meanwhile', async () => {
  const { session } = tab.sessions.get();
  onOpen = async () => {
    const other = { accessKey: 'key of other', secret: 'secret', accountId: '8', name: 'other' };
    await tab.beginSession({ ...other, ...OPEN }, session === undefined ? [] : [session]);
  };
  await tab.turnSession(DESK);
  expect(tab.sessions.get().session?.accessKey).toBe('key of desk');
});

/** Changes something, and waits until exactly these switches were set; each may be set more than once. */
async function renewed(act: () => unknown, switches: readonly string[]): Promise<void> {
  requests.length = 0;
  await act();
  const seen = () => [...new Set(requests.filter((one) => /: \d+$/.test(one)))].toSorted();
  await vi.waitFor(() => expect(seen()).toEqual(switches.toSorted()));
}

let isWatched = false;
async function watched() {
  const { settings } = await import('../../web/shared/settings.ts');
  const { startSessionWatch } = await import('../../web/shared/session-watch.ts');
  if (!isWatched) startSessionWatch();
  isWatched = true;
  return {
    turn: (cancelsOnDisconnect: boolean) => () =>
      settings.update((all) => ({ ...all, cancelsOnDisconnect })),
    look: (hidden: boolean) => () => {
      page.hidden = hidden;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

test('orders are not cancelled as of somebody disconnected who looks at another account, or at another tab', async () => {
  const { turn, look } = await watched();
  await renewed(turn(true), ['key: 30000']);
  // The switch of the main account would go off 30 s after its owner has turned to a sub-account.
  await renewed(() => tab.turnSession(DESK), ['key of desk: 30000', 'key: 30000']);
  await renewed(look(true), ['key of desk: 180000', 'key: 180000']);
  await renewed(look(false), ['key of desk: 30000', 'key: 30000']);
  await renewed(turn(false), ['key of desk: 0', 'key: 0']);
});

test('a switch that could not be disarmed is disarmed with the next request, and none is armed after it', async () => {
  const { turn, look } = await watched();
  await renewed(turn(true), ['key: 30000']);
  await renewed(() => tab.turnSession(DESK), ['key of desk: 30000', 'key: 30000']);
  // No answer to the first: the others do not wait for it.
  onSwitch = () => new Promise(() => undefined);
  await renewed(look(false), ['key of desk: 30000', 'key: 30000']);
  onSwitch = async () => {
    throw new Error('no connection');
  };
  await renewed(turn(false), ['key of desk: 0', 'key: 0']);
  onSwitch = async () => undefined;
  await renewed(look(false), ['key of desk: 0', 'key: 0']);
  // Disarmed: nothing more is sent.
  const turns = () => new Promise((done) => setTimeout(done, 50));
  await turns();
  requests.length = 0;
  look(false)();
  await turns();
  expect(requests).toEqual([]);
});

/** Holds an answer back until it is called. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((done) => {
    open = done;
  });
  return { passed, open };
}
const OTHER = { accessKey: 'key of next', secret: 'secret', accountId: '7', name: 'main', ...OPEN };

test('the answer to a cancel-all is told to who has asked, and to nobody who has signed in since', async () => {
  const { cancelAll } = await import('../../web/trade/order-acts.ts');
  const { forgetMessages, shownMessages } = await import('../../web/shared/messages.tsx');
  onSignOut = async () => undefined;
  const told = async (meanwhile: () => Promise<void>): Promise<string[]> => {
    forgetMessages();
    const { passed, open } = gate();
    onCancelAll = () => passed;
    const answered = cancelAll(undefined);
    await meanwhile();
    open();
    await answered;
    return shownMessages.get().map(({ title }) => title);
  };
  expect(await told(async () => undefined)).toEqual(['Orders are being cancelled']);
  expect(await told(() => tab.turnSession(DESK))).toEqual([
    'Orders are being cancelled, account main',
  ]);
  const leave = async (): Promise<void> => {
    await tab.signOut();
    await tab.beginSession(OTHER);
  };
  expect(await told(leave)).toEqual([]);
});

test('a family that is read for one account does not replace that of another, who is in view by then', async () => {
  const { family, readFamily } = await import('../../web/trade/accounts.ts');
  onSignOut = async () => undefined;
  const { passed, open } = gate();
  namesOf = async () => {
    await passed;
    return { success: true, data: [{ accountId: '1', name: 'main' }] };
  };
  const late = readFamily();
  await tab.signOut();
  await tab.beginSession(OTHER);
  const names = { success: true, data: [{ accountId: '8', name: 'desk' }] };
  namesOf = async () => names;
  await readFamily();
  const shown = family.get();
  expect(shown.map(({ accountId }) => accountId)).toEqual(['7', '8']);
  open();
  await late;
  expect(family.get()).toBe(shown);
});
