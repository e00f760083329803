/**
 * Counts failed sign-ins, by family and by source address. The low limit per address stops guessing; the
 * higher limit over all addresses bounds a distributed attack, and is far above a user's own mistakes.
 */
export type Attempts = {
  /** How long to wait before another try; 0 when one may be made now. */
  waitMs(family: string, address: string): number;
  failed(family: string, address: string): void;
  succeeded(family: string, address: string): void;
  /** What has failed here since the last call, for other nodes of a cluster. */
  takeUnsent(): string[];
  /** Failures at other nodes. */
  applyRemote(names: readonly string[]): void;
};

const WINDOW_MS = 10 * 60_000;
const OF_ONE_ADDRESS = 5;
const OF_A_FAMILY = 50;
/** Names that do not exist are counted, too: the oldest entries are dropped. */
const KEPT_MAX = 20_000;
const UNSENT_MAX = 1_000;

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
  let unsent: string[] = [];
  const queue = (name: string): void => {
    if (unsent.length < UNSENT_MAX) unsent.push(name);
  };
  // Names of families have no line feed.
  const pair = (family: string, address: string): string => `${family}\n${address}`;
  return {
    waitMs: (family, address) =>
      Math.max(waitFor(pair(family, address), OF_ONE_ADDRESS), waitFor(family, OF_A_FAMILY)),
    failed: (family, address) => {
      for (const name of [pair(family, address), family]) {
        add(name);
        queue(name);
      }
    },
    succeeded: (family, address) => {
      counts.delete(pair(family, address));
    },
    takeUnsent: () => {
      const sent = unsent;
      unsent = [];
      return sent;
    },
    applyRemote: (names) => names.slice(0, UNSENT_MAX).forEach(add),
  };
}
