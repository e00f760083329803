import type { Page } from 'playwright-core';

type Played = { later(ms: number): void };

/**
 * Simulates that time has passed on this page: its clock is ahead from now on, and timers that are due by
 * then run immediately, each once. Others (the venue, the network) take their real time. A negative value
 * sets the clock back before something is signed: the venue accepts no time that is far from its own.
 */
export const later = (page: Page, ms: number): Promise<void> =>
  page.evaluate((passedMs) => (globalThis as unknown as Played).later(passedMs), ms);

/** Runs in every page before its own scripts. It changes nothing until `later` is called. */
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
    // A timer that was cleared by an earlier one does not run.
    for (const [id, { ring }] of due) if (pending.has(id)) ring();
  };
  // A browser clears both kinds by either function.
  Object.assign(globalThis, { later, setTimeout: once, setInterval: again });
  Object.assign(globalThis, { clearTimeout: forget, clearInterval: forget });
}
