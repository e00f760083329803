import { dropOldest } from '../http/drop-oldest.ts';

/**
 * Counts failed sign-ins, by family and by source address. The low limit per address stops guessing; the
 * higher limit over all addresses bounds a distributed attack, and is far above a user's own mistakes. The limit
 * of an address over all families stops one that tries the same password on many names.
 */
export type Attempts = {
  /** How long to wait before another try; 0 when one may be made now. */
  waitMs(family: string, address: string): number;
  /**
   * A try begins; `end` says that its result is known. Those under way count like failures, so that guesses sent
   * at the same time are not more than guesses sent one after another.
   */
  begin(family: string, address: string): void;
  end(family: string, address: string): void;
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
const OF_ALL_FAMILIES = 50;
/** How long to wait for tries that are under way. */
const UNDER_WAY_MS = 1_000;
/** In place of a family, for those of an address over all of them. */
const ALL_FAMILIES = '\nall';
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
  const underWay = new Map<string, number>();
  const waitFor = (name: string, most: number): number => {
    const count = live(name);
    const failures = count?.failures ?? 0;
    if (count !== undefined && failures >= most) return count.endMs - nowMs();
    return failures + (underWay.get(name) ?? 0) >= most ? UNDER_WAY_MS : 0;
  };
  const add = (name: string): void => {
    const count = live(name);
    if (count !== undefined) {
      count.failures++;
      return;
    }
    // In the order in which their windows end.
    counts.delete(name);
    counts.set(name, { failures: 1, endMs: nowMs() + WINDOW_MS });
    if (counts.size > KEPT_MAX) dropOldest(counts);
  };
  let unsent: string[] = [];
  const queue = (name: string): void => {
    if (unsent.length < UNSENT_MAX) unsent.push(name);
  };
  // Names of families have no line feed.
  const pair = (family: string, address: string): string => `${family}\n${address}`;
  const namesOf = (family: string, address: string): readonly [string, string, string] => [
    pair(family, address),
    family,
    pair(ALL_FAMILIES, address),
  ];
  return {
    waitMs: (family, address) => {
      const [ofOne, ofFamily, ofAddress] = namesOf(family, address);
      return Math.max(
        waitFor(ofOne, OF_ONE_ADDRESS),
        waitFor(ofFamily, OF_A_FAMILY),
        waitFor(ofAddress, OF_ALL_FAMILIES),
      );
    },
    begin: (family, address) => {
      for (const name of namesOf(family, address)) {
        underWay.set(name, (underWay.get(name) ?? 0) + 1);
      }
    },
    end: (family, address) => {
      for (const name of namesOf(family, address)) {
        const left = (underWay.get(name) ?? 1) - 1;
        if (left === 0) underWay.delete(name);
        else underWay.set(name, left);
      }
    },
    failed: (family, address) => {
      for (const name of namesOf(family, address)) {
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
