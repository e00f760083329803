import type { Journal } from '../journal/journal.ts';
import type { ReplicatedLog } from './log.ts';
import { findPlace } from './log-cursor.ts';
import { ReplicatedJournal, type ReplicatedParts, takeOver } from './replicated-journal.ts';

/** In tests a retry follows after the next turn of the event loop. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** What a node does when it begins to lead, in short: catch up, take over, and write. */
export async function leaderOf(
  log: ReplicatedLog,
  local: Journal,
  more: Partial<ReplicatedParts> & {
    readonly node?: string;
    readonly nowMs?: () => number;
  } = {},
): Promise<ReplicatedJournal> {
  const { node = 'engine-1', nowMs = () => 0, ...parts } = more;
  const pause = parts.pause ?? nextTurn;
  for (;;) {
    const { lastSequence } = local;
    const isLast = (entry: Uint8Array): boolean => {
      const mine = local.read(lastSequence).next().value?.bytes;
      return mine !== undefined && Buffer.compare(entry, mine) === 0;
    };
    const { cursor, rest } = await findPlace(log, { lastSequence, isLast });
    const store = async (entries: readonly Uint8Array[]): Promise<void> => {
      if (entries.length > 0) await local.append(entries, local.lastSequence + 1);
    };
    await store(rest);
    const { lastPlace } = await log.end();
    await log.read(
      cursor.place + 1,
      (message) => store(cursor.accept(message).entries),
      () => cursor.place >= lastPlace,
    );
    if (await takeOver({ log, pause, isGivenUp: () => false }, cursor, node)) {
      const clocks = { monotonicMs: nowMs, wallMs: nowMs };
      const standard = { pause, clocks, onFenced: () => undefined };
      return new ReplicatedJournal({ log, local, cursor, ...standard, ...parts });
    }
  }
}
