import { useCallback, useSyncExternalStore } from 'react';
import {
  type Endpoint,
  type ReplyOf,
  type RequestOf,
  RialtoError,
} from '../../src/client/index.ts';
import { createStore, useStore } from '../shared/store.ts';
import { venueNowMs } from '../shared/venue-clock.ts';
import { query, signed } from './session.ts';

/** What the console shows: polled every second while it is visible, and kept until the next answer. */
export type Read<Data> = {
  readonly data: Data | undefined;
  /** When the data came, by the venue's clock; 0 before. */
  readonly atMs: number;
  readonly failure: unknown;
};

type Entry = {
  value: Read<unknown>;
  readonly fetch: () => Promise<unknown>;
  readonly everyMs: number;
  readonly listeners: Set<() => void>;
  requestedAtMs: number;
  isLoading: boolean;
  /** An act was sent since the request: the answer may be from before it. */
  isOutdated: boolean;
};

const PERIOD_MS = 1_000;
/** Without an answer for this long, it is shown as stale. */
const OLD_MS = 3_000;
/** Without any answer for this long, the venue cannot be reached. */
const LOST_MS = 10_000;
const KEPT_MAX = 60;
const NOTHING: Read<never> = { data: undefined, atMs: 0, failure: undefined };

const entries = new Map<string, Entry>();
/** The venue's time, updated once a second. */
export const now = createStore(venueNowMs());
const lastAnswer = createStore({ atMs: venueNowMs(), trouble: '' });

async function refresh(entry: Entry): Promise<void> {
  if (entry.isLoading) return;
  entry.isLoading = true;
  entry.requestedAtMs = Date.now();
  try {
    entry.value = { data: await entry.fetch(), atMs: venueNowMs(), failure: undefined };
    lastAnswer.set({ atMs: venueNowMs(), trouble: '' });
  } catch (failure) {
    entry.value = { ...entry.value, failure };
    // A refusal is an answer, too.
    if (failure instanceof RialtoError) lastAnswer.set({ atMs: venueNowMs(), trouble: '' });
    else lastAnswer.update((last) => ({ ...last, trouble: (failure as Error).message }));
  }
  entry.isLoading = false;
  if (entry.isOutdated && entry.listeners.size > 0) void refresh(entry);
  entry.isOutdated = false;
  for (const listener of entry.listeners) listener();
}

function refreshDue(isForced: boolean): void {
  if (document.hidden || signed.get().operator === undefined) return;
  for (const entry of entries.values()) {
    const isDue = isForced || Date.now() - entry.requestedAtMs >= entry.everyMs - PERIOD_MS / 2;
    if (isForced && entry.isLoading) entry.isOutdated = true;
    else if (entry.listeners.size > 0 && isDue) void refresh(entry);
  }
}

/** After an act, or on request. */
export const refreshAll = (): void => refreshDue(true);

export function startReads(): void {
  setInterval(() => {
    now.set(venueNowMs());
    refreshDue(false);
  }, PERIOD_MS);
  addEventListener('focus', refreshAll);
  document.addEventListener('visibilitychange', refreshAll);
  signed.subscribe(() => {
    // One operator's data is not shown to the next.
    if (signed.get().operator === undefined) entries.clear();
  });
}

function entryOf(key: string, fetch: () => Promise<unknown>, everyMs: number): Entry {
  const known = entries.get(key);
  if (known !== undefined) return known;
  for (const [name, { listeners }] of entries) {
    if (entries.size < KEPT_MAX) break;
    if (listeners.size === 0) entries.delete(name);
  }
  const entry: Entry = {
    ...{ value: NOTHING, fetch, everyMs, listeners: new Set<() => void>() },
    ...{ requestedAtMs: 0, isLoading: false, isOutdated: false },
  };
  entries.set(key, entry);
  return entry;
}

/** Polls while the panel is shown. Without a request nothing is polled. */
export function useRead<E extends Endpoint>(
  endpoint: E,
  request: RequestOf<E> | undefined,
  everyMs = PERIOD_MS,
): Read<ReplyOf<E>> {
  const sent = request === undefined ? undefined : JSON.stringify(request);
  const key = `${endpoint.path} ${sent}`;
  const subscribe = useCallback(
    (listener: () => void) => {
      if (sent === undefined) return () => undefined;
      const entry = entryOf(key, () => query(endpoint, JSON.parse(sent) as RequestOf<E>), everyMs);
      entry.listeners.add(listener);
      if (Date.now() - entry.requestedAtMs >= PERIOD_MS / 2) void refresh(entry);
      return () => entry.listeners.delete(listener);
    },
    [endpoint, key, sent, everyMs],
  );
  const read = useSyncExternalStore(subscribe, () => entries.get(key)?.value ?? NOTHING);
  return read as Read<ReplyOf<E>>;
}

/** Since when it is stale; undefined if it is not. */
export function useOldSince(
  reads: readonly Read<unknown>[],
  everyMs = PERIOD_MS,
): number | undefined {
  const nowMs = useStore(now, (ms) => ms);
  const shown = reads.filter(({ data }) => data !== undefined);
  if (shown.length === 0) return undefined;
  const oldest = Math.min(...shown.map(({ atMs }) => atMs));
  return nowMs - oldest > OLD_MS + everyMs - PERIOD_MS ? oldest : undefined;
}

/** Why the venue does not answer; undefined while it does. */
export function useLost(): { readonly sinceMs: number; readonly trouble: string } | undefined {
  const nowMs = useStore(now, (ms) => ms);
  const { atMs, trouble } = useStore(lastAnswer, (last) => last);
  return trouble !== '' && nowMs - atMs > LOST_MS ? { sinceMs: atMs, trouble } : undefined;
}
