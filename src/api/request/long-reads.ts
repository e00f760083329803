import type { FamilyIndex } from '../../domain/units.ts';

/** Accounts with more open orders have long reads: a tenth of a millisecond and more. */
const SHORT_ROWS = 100;

/**
 * Reads that may keep the engine's thread busy for milliseconds each: the list of an account's open orders, a preview.
 * One long one runs in each turn of the event loop. Whoever sends many together would otherwise stop the venue for the
 * sum of them. Short ones run at once: they are as cheap as anything else.
 *
 * Families take turns, so those of one that sends many do not go before the only one of another. How many wait is
 * bounded by the requests that may be in progress.
 */
export type LongReads = <Result>(
  family: FamilyIndex,
  rows: number,
  read: () => Promise<Result>,
) => Promise<Result>;

/** `soon` runs a function in the next turn (setImmediate). */
export function longReads(soon: (run: () => void) => void): LongReads {
  const waiting = new Map<FamilyIndex, (() => void)[]>();
  let hasRun = false;
  const run = (read: () => void): void => {
    hasRun = true;
    soon(next);
    read();
  };
  const next = (): void => {
    hasRun = false;
    for (const [family, reads] of waiting) {
      const first = reads.shift();
      waiting.delete(family);
      // At the end of the line.
      if (reads.length > 0) waiting.set(family, reads);
      if (first !== undefined) run(first);
      return;
    }
  };
  return (family, rows, read) => {
    if (rows <= SHORT_ROWS) return read();
    return new Promise((resolve, reject) => {
      // Also what throws before its first wait fails its own request, and nothing else.
      const begin = (): void => void (async () => resolve(await read()))().catch(reject);
      const reads = waiting.get(family);
      if (!hasRun) run(begin);
      else if (reads === undefined) waiting.set(family, [begin]);
      else reads.push(begin);
    });
  };
}
