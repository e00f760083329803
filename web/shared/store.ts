import { useSyncExternalStore } from 'react';

/**
 * A value that many panels show. Changes are batched and listeners are notified once per frame; a hidden tab
 * is not rendered.
 */
export type Store<Value> = {
  get(): Value;
  set(value: Value): void;
  update(change: (value: Value) => Value): void;
  subscribe(listener: () => void): () => void;
};

const dirty = new Set<() => void>();
/** What makes stores dirty at the start of a frame. */
const folds = new Set<() => void>();
let isScheduled = false;

function scheduleFrame(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    const due = [...folds];
    folds.clear();
    try {
      for (const fold of due) fold();
    } finally {
      // Whatever fails in one frame, there is a next one.
      isScheduled = false;
      const callbacks = [...dirty];
      dirty.clear();
      for (const one of callbacks) one();
    }
  });
}

function notifyNextFrame(notify: () => void): void {
  dirty.add(notify);
  scheduleFrame();
}

/**
 * What is typed or chosen must be visible at once (`isAtOnce`): otherwise React would restore the old value.
 */
export function createStore<Value>(first: Value, isAtOnce = false): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const set = (next: Value): void => {
    if (Object.is(next, value)) return;
    value = next;
    if (isAtOnce) notify();
    else notifyNextFrame(notify);
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** So many wait at most: a hidden tab has no frames. */
const WAITING_MAX = 1_000;

/**
 * A store of what messages tell. A thousand may come between two frames: they wait, and change the value
 * together once it is looked at, as each change alone may copy all of it.
 */
export function createFedStore<Value, Item>(
  first: Value,
  fold: (value: Value, items: readonly Item[]) => Value,
): Store<Value> & { feed(item: Item): void } {
  const store = createStore(first);
  let waiting: Item[] = [];
  const foldWaiting = (): void => {
    if (waiting.length === 0) return;
    const items = waiting;
    waiting = [];
    store.set(fold(store.get(), items));
  };
  const get = (): Value => {
    foldWaiting();
    return store.get();
  };
  return {
    get,
    set: (value) => {
      waiting = [];
      store.set(value);
    },
    update: (change) => store.set(change(get())),
    subscribe: store.subscribe,
    feed: (item) => {
      if (waiting.push(item) >= WAITING_MAX) foldWaiting();
      folds.add(foldWaiting);
      scheduleFrame();
    },
  };
}

/** A part of a store; the component renders again only when that part has changed. */
export function useStore<Value, Part>(store: Store<Value>, select: (value: Value) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}

/** The user's choices, stored by the browser for the next visit; never anything secret. Synchronous. */
export function keptStore<Value extends object>(name: string, first: Value): Store<Value> {
  const store = createStore<Value>({ ...first, ...readKept<Value>(name) }, true);
  store.subscribe(() => {
    try {
      localStorage.setItem(name, JSON.stringify(store.get()));
    } catch {
      // The page also works in a browser that stores nothing.
    }
  });
  return store;
}

export function readKept<Value>(name: string): Value | undefined {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}
