import { assert } from '../domain/assert.ts';
import type { Database } from './database.ts';
import { idsOf, type Window } from './entry-times.ts';

/** Which part of a list is requested; `beforeId` is the last id of the previous page. */
export type PageQuery = Window & { readonly limit: number };

/** A list: the columns that are equal in all its rows, and a table or index ordered by them, then by id. */
export type List = {
  readonly table: string;
  readonly equal: readonly string[];
  readonly columns: readonly string[];
};

/**
 * Reads one page of a list with a row per entry, newest first: the higher id first.
 *
 * It costs one descent of the tree and a walk over the rows it returns. The walk begins at an id; rows
 * between the window and the nearest marked id are dropped by their time.
 *
 * Columns are compared as a tuple, `(account, type, id) < (?, ?, ?)`, and the page has that order: only the
 * index that begins with them can serve it. If they were compared one by one, a planner could choose another
 * index and filter, if it estimates that few rows are filtered out.
 */
export function pageReader<Row>(
  database: Database,
  { table, equal, columns }: List,
): (values: readonly number[], query: PageQuery) => Promise<Row[]> {
  const idsOfPage = idsOf(database);
  const read = database.query<Row>(
    `SELECT ${columns.join(', ')} FROM ${table}
      WHERE ${within([...equal, 'id'])} AND at_ms >= ? AND at_ms <= ?
      ORDER BY ${downwards([...equal, 'id'])} LIMIT ?`,
  );
  return async (values, query) => {
    assert(Number.isSafeInteger(query.limit) && query.limit >= 0, 'a page has a limit');
    const { afterId, beforeId } = await idsOfPage(query);
    const ends = [...values, afterId, ...values, beforeId];
    return read(...ends, query.fromMs, query.toMs, query.limit);
  };
}

/** Between two positions of an index, both exclusive. Takes the values of the first, then those of the second. */
export function within(columns: readonly string[]): string {
  const place = `(${columns.join(', ')})`;
  const values = `(${columns.map(() => '?').join(', ')})`;
  return `${place} > ${values} AND ${place} < ${values}`;
}

export const downwards = (columns: readonly string[]): string =>
  columns.map((column) => `${column} DESC`).join(', ');
