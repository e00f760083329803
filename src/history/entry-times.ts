import type { Database } from './database.ts';
import { SLOTS } from './entry-ids.ts';
import type { Subject } from './subject.ts';

/**
 * When about an entry was made: the time of every 256th event.
 *
 * Ids follow the order of the journal and the engine's time never runs backwards, so whatever is
 * numbered below an entry is not later than it. A page before an id can thus begin at that id's
 * time instead of at the end of the window, and costs the same however deep it lies.
 */
export const ENTRY_TIMES: Subject = {
  name: 'entry-times',
  revision: 2,
  tables: [
    `CREATE TABLE entry_times (
      id INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      PRIMARY KEY (id)
    ) STRICT, WITHOUT ROWID`,
  ],
  projection: () => ({}),
  queries: () => ({}),
};

/** Hears of every event, whatever its kind; answers how many rows it became. */
export function timeMarker(database: Database): (id: number, timeMs: number) => number {
  const insert = database.change('INSERT INTO entry_times (id, at_ms) VALUES (?, ?)');
  return (id, timeMs) => (id % MARK_EVERY === 0 ? insert(id, timeMs) : 0);
}

/** Answers a time that no entry below `id` is later than. */
export function latestMsBefore(database: Database): (id: bigint) => number {
  const markAfter = database.query<{ at_ms: bigint }>(
    'SELECT at_ms FROM entry_times WHERE id >= ? ORDER BY id LIMIT 1',
  );
  return (id) => {
    const [mark] = markAfter(id);
    return mark === undefined ? Number.MAX_SAFE_INTEGER : Number(mark.at_ms);
  };
}

const MARK_EVERY = 256 * SLOTS;
