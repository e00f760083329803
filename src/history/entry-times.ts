import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/**
 * When about an entry was made: the time of every 256th.
 *
 * Entries are counted in the order of the journal and the engine's time never runs backwards, so
 * whatever is numbered below an entry is not later than it. A page before an id can thus begin at
 * that id's time instead of at the end of the window, and costs the same however deep it lies.
 */
export const ENTRY_TIMES: Subject = {
  name: 'entry-times',
  revision: 1,
  tables: [
    `CREATE TABLE entry_times (
      id INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      PRIMARY KEY (id)
    ) STRICT, WITHOUT ROWID`,
  ],
  projection: (database) => {
    const insert = database.change('INSERT INTO entry_times (id, at_ms) VALUES (?, ?)');
    const mark = (firstEntry: number, count: number, timeMs: number): number => {
      const marked = Math.ceil(firstEntry / MARK_EVERY) * MARK_EVERY;
      return marked < firstEntry + count ? insert(marked, timeMs) : 0;
    };
    return {
      'genesis-credited': ({ entry }, timeMs) => mark(entry, 1, timeMs),
      transferred: ({ entry }, timeMs) => mark(entry, 3, timeMs),
    };
  },
  queries: () => ({}),
};

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

const MARK_EVERY = 256;
