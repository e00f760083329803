import type { FamilyIndex } from '../../domain/units.ts';

/**
 * Reads that keep the engine's thread busy for milliseconds each: the whole list of an account's orders, a preview.
 * One of them runs in each turn of the event loop. Whoever sends many together would otherwise stop the venue for the
 * sum of them.
 *
 * Families take turns, so those of one that sends many do not go before the only one of another. How many wait is
 * bounded by the requests that may be in progress.
 */
export type LongReads = <Result>(
  family: FamilyIndex,
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
  return (family, read) =>
    new Promise((resolve, reject) => {
      // Also what throws before its first wait fails its own request, and nothing else.
      const begin = (): void => void (async () => resolve(await read()))().catch(reject);
      const reads = waiting.get(family);
      if (!hasRun) run(begin);
      else if (reads === undefined) waiting.set(family, [begin]);
      else reads.push(begin);
    });
}
