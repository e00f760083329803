import type { Page } from 'playwright-core';

type Played = { later(ms: number): void };

/**
 * As if so much time had passed on this page: its clock is ahead from now on, and what it would have done by then is done at
 * once, each timer once. What others do (the venue, the network) takes its time. The same less than nothing sets the clock back,
 * before something is signed: the venue takes no time that is far from its own.
 */
export const later = (page: Page, ms: number): Promise<void> =>
  page.evaluate((passedMs) => (globalThis as unknown as Played).later(passedMs), ms);

/** Runs in every page before its own scripts. It changes nothing until somebody asks for `later`. */
export function noteTimers(): void {
  type Act = (...args: unknown[]) => void;
  const realNow = Date.now.bind(Date);
  const { setTimeout, setInterval, clearTimeout } = globalThis;
  const pending = new Map<number, { isDueAfter(ms: number): boolean; ring(): void }>();
  let aheadMs = 0;
  Date.now = () => realNow() + aheadMs;
  const forget = (id: number): void => {
    pending.delete(id);
    clearTimeout(id);
  };
  const once = (act: Act, ms = 0, ...args: unknown[]): number => {
    const ring = (): void => {
      forget(id);
      act(...args);
    };
    const id = Number(setTimeout(ring, ms));
    const dueMs = Date.now() + ms;
    pending.set(id, { isDueAfter: () => dueMs <= Date.now(), ring });
    return id;
  };
  const again = (act: Act, everyMs = 0, ...args: unknown[]): number => {
    const ring = (): void => act(...args);
    const id = Number(setInterval(ring, everyMs));
    pending.set(id, { isDueAfter: (ms) => everyMs <= ms, ring });
    return id;
  };
  const later = (ms: number): void => {
    aheadMs += ms;
    const due = [...pending].filter(([, { isDueAfter }]) => isDueAfter(ms));
    // What one of them has cleared does not ring.
    for (const [id, { ring }] of due) if (pending.has(id)) ring();
  };
  // A browser clears both kinds by either name.
  Object.assign(globalThis, { later, setTimeout: once, setInterval: again });
  Object.assign(globalThis, { clearTimeout: forget, clearInterval: forget });
}
