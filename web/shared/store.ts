import { useSyncExternalStore } from 'react';

/** A value that many panels show. Changes are gathered and told once a frame; a hidden tab is not drawn. */
export type Store<Value> = {
  get(): Value;
  set(value: Value): void;
  update(change: (value: Value) => Value): void;
  subscribe(listener: () => void): () => void;
};

const dirty = new Set<() => void>();
let isAsked = false;

function tellNextFrame(tell: () => void): void {
  dirty.add(tell);
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    const told = [...dirty];
    dirty.clear();
    for (const one of told) one();
  });
}

/** What is typed into a field or chosen in one must be there at once (`isAtOnce`): React would put the old one back. */
export function createStore<Value>(first: Value, isAtOnce = false): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const set = (next: Value): void => {
    if (Object.is(next, value)) return;
    value = next;
    if (isAtOnce) tell();
    else tellNextFrame(tell);
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

/** A part of a store; the panel is drawn again only when that part has changed. */
export function useStore<Value, Part>(store: Store<Value>, select: (value: Value) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}

/** What a person has chosen, kept by the browser for the next visit; never anything secret. Told at once. */
export function keptStore<Value extends object>(name: string, first: Value): Store<Value> {
  const store = createStore<Value>({ ...first, ...readKept<Value>(name) }, true);
  store.subscribe(() => {
    try {
      localStorage.setItem(name, JSON.stringify(store.get()));
    } catch {
      // A browser that keeps nothing shows the page all the same.
    }
  });
  return store;
}

function readKept<Value>(name: string): Value | undefined {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}
