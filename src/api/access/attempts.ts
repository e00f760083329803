/**
 * Counts failed sign-ins, by the family and the address they came from. Guessing a password is stopped by
 * the few tries of one address; the many of all addresses together bound what a crowd can do, and
 * are far above what a user's own mistakes could come to.
 */
export type Attempts = {
  /** How long to wait before another try; 0 when one may be made now. */
  waitMs(family: string, address: string): number;
  failed(family: string, address: string): void;
  succeeded(family: string, address: string): void;
};

const WINDOW_MS = 10 * 60_000;
const OF_ONE_ADDRESS = 5;
const OF_A_FAMILY = 50;
/** Names that do not exist are counted, too: the oldest are forgotten. */
const KEPT_MAX = 20_000;

type Count = { failures: number; endMs: number };

export function countAttempts(nowMs: () => number): Attempts {
  const counts = new Map<string, Count>();
  const live = (name: string): Count | undefined => {
    const count = counts.get(name);
    return count !== undefined && count.endMs > nowMs() ? count : undefined;
  };
  const waitFor = (name: string, most: number): number => {
    const count = live(name);
    return count !== undefined && count.failures >= most ? count.endMs - nowMs() : 0;
  };
  const add = (name: string): void => {
    const count = live(name) ?? { failures: 0, endMs: nowMs() + WINDOW_MS };
    count.failures++;
    counts.delete(name);
    counts.set(name, count);
    if (counts.size > KEPT_MAX) counts.delete(counts.keys().next().value as string);
  };
  // Names of families have no line feed.
  const pair = (family: string, address: string): string => `${family}\n${address}`;
  return {
    waitMs: (family, address) =>
      Math.max(waitFor(pair(family, address), OF_ONE_ADDRESS), waitFor(family, OF_A_FAMILY)),
    failed: (family, address) => {
      add(pair(family, address));
      add(family);
    },
    succeeded: (family, address) => {
      counts.delete(pair(family, address));
    },
  };
}
