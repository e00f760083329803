import type { Database, WritableDatabase } from './database.ts';
import { SLOTS } from './entry-ids.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';

const TABLE: Table = {
  name: 'entry_times',
  columns: { at_ms: 'integer', id: 'integer' },
  key: ['at_ms', 'id'],
};

/**
 * Approximate times of entries: the time of every 256th event.
 *
 * Ids follow the order of the journal and the engine's time never runs backwards, so lists are ordered by id
 * alone, and a window of time is one of ids. These rows find it to within 256 events; within those, the time
 * of each entry decides.
 */
export const ENTRY_TIMES: Subject = {
  name: 'entry-times',
  revision: 3,
  tables: [TABLE],
  projection: () => ({}),
  queries: () => ({}),
};

/** Called for every event; returns how many rows it wrote. */
export function timeMarker(database: WritableDatabase): (id: number, timeMs: number) => number {
  const rows = database.inserter(TABLE, ['at_ms', 'id']);
  return (id, timeMs) => (id % MARK_EVERY === 0 ? rows.add(timeMs, id) : 0);
}

/** Both ends are inclusive; only ids below `beforeId`. */
export type Window = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly beforeId?: bigint | undefined;
};
/** Both ends are exclusive. */
export type IdRange = { readonly afterId: number; readonly beforeId: number };

/** Returns an id range that contains the entries of a window, and few others. */
export function idsOf(database: Database): (window: Window) => Promise<IdRange> {
  const marksAround = database.query<{ before: bigint | null; after: bigint | null }>(
    `SELECT (SELECT id FROM entry_times WHERE at_ms < ? ORDER BY at_ms DESC, id DESC LIMIT 1) AS before,
      (SELECT id FROM entry_times WHERE at_ms > ? ORDER BY at_ms, id LIMIT 1) AS after`,
  );
  return async ({ fromMs, toMs, beforeId }) => {
    const [marks] = await marksAround(fromMs, toMs);
    const end = Number(marks?.after ?? ID_MAX);
    return {
      afterId: Number(marks?.before ?? 0n),
      beforeId: Math.min(end, Number(beforeId ?? end)),
    };
  };
}

const MARK_EVERY = 256 * SLOTS;
/** Above every id: they stay exact in a double. */
const ID_MAX = Number.MAX_SAFE_INTEGER;
