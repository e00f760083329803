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
let isScheduled = false;

function notifyNextFrame(notify: () => void): void {
  dirty.add(notify);
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    const callbacks = [...dirty];
    dirty.clear();
    for (const one of callbacks) one();
  });
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
