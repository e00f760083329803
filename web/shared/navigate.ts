import { type MouseEvent, useSyncExternalStore } from 'react';

/** Paths over the History API; the venue answers each of them with this page. */
const listeners = new Set<() => void>();

export function navigate(to: string): void {
  if (to === location.pathname + location.search + location.hash) return;
  history.pushState(null, '', to);
  arrive();
}

/** Replaces the current URL, which would only lead there again: Back goes to the one before. */
export function redirect(to: string): void {
  history.replaceState(null, '', to);
  arrive();
}

function arrive(): void {
  scrollTo(0, 0);
  for (const listener of listeners) listener();
}

addEventListener('popstate', () => {
  for (const listener of listeners) listener();
});

export function whenAddressChanges(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAddress = (): string =>
  useSyncExternalStore(
    whenAddressChanges,
    () => location.pathname + location.search + location.hash,
  );

/** A link within the page; with a modifier key it opens a tab as links do. */
export const linkTo = (to: string) => ({
  href: to,
  onClick: (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  },
});
