import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RialtoError } from '../../src/client/index.ts';

/** What a tab does with a session. Node has neither IndexedDB nor an address of a page: what of them is used stands here. */
const kept = new Map<string, unknown>();
/** Asked for one thing: to end the session. */
let onSignOut = async (): Promise<void> => undefined;

const asked = (result: unknown) => {
  const request = { result, onsuccess: () => undefined };
  queueMicrotask(() => request.onsuccess());
  return request;
};
const store = {
  get: (slot: string) => asked(kept.get(slot)),
  put: (value: unknown, slot: string) => asked(kept.set(slot, value)),
  delete: (slot: string) => asked(kept.delete(slot)),
};
const database = { transaction: () => ({ objectStore: () => store }), close: () => undefined };

let tab: typeof import('../../web/shared/session.ts');
beforeAll(async () => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw));
  vi.stubGlobal('indexedDB', { open: () => asked(database) });
  vi.stubGlobal(
    'BroadcastChannel',
    class extends EventTarget {
      postMessage(): void {}
    },
  );
  vi.stubGlobal('fetch', async () => {
    await onSignOut();
    const headers = { 'Content-Type': 'application/json' };
    return new Response('{"success":true,"data":{}}', { headers });
  });
  tab = await import('../../web/shared/session.ts');
});
afterAll(() => void vi.unstubAllGlobals());

beforeEach(async () => {
  const owner = { accountId: '1', name: 'main', permissions: [], expiresAt: '9000000000000' };
  await tab.beginSession({ accessKey: 'key', secret: 'secret', ...owner });
});

const refused = (): boolean =>
  tab.endedBy(new RialtoError(new Response('', { status: 401 }), '10005', 'unknown key'));

test('a request that is refused because its owner signs out asks nobody back', async () => {
  const ended: unknown[] = [];
  onSignOut = async () => {
    // On its way when the venue ended the session.
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

test('a request that is refused after another tab has signed out asks nobody back', async () => {
  kept.clear();
  expect(refused()).toBe(true);
  await vi.waitFor(() => expect(tab.sessions.get().session).toBeUndefined());
  expect(tab.sessions.get().ended).toBeUndefined();
});

test('a session that the venue has ended is said to have ended', async () => {
  refused();
  await vi.waitFor(() => expect(tab.sessions.get().ended?.accessKey).toBe('key'));
  expect(kept.size).toBe(0);
});
