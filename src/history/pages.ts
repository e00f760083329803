import { assert } from '../domain/assert.ts';
import type { Database } from './database.ts';
import { idsOf, type Window } from './entry-times.ts';

/** Which part of a list is asked for; `beforeId` is the last id of the page before. */
export type PageAsk = Window & { readonly limit: number };

/** A list: what is equal in all its rows, and a table or index that is ordered by that, then by id. */
export type List = {
  readonly table: string;
  readonly equal: readonly string[];
  readonly columns: readonly string[];
};

/**
 * Reads one page of a list with a row for each entry, newest first: the higher id first.
 *
 * It costs one descent of the tree and a walk over the rows it returns. The walk begins at an id; rows
 * between the window and the nearest marked id are dropped by their time.
 *
 * Columns are compared as one, `(account, type, id) < (?, ?, ?)`, and the page is in that order: only the index that
 * begins with them can serve it. Compared one by one, a planner may walk another index past all that differs, if it
 * believes that little does.
 */
export function pageReader<Row>(
  database: Database,
  { table, equal, columns }: List,
): (values: readonly number[], ask: PageAsk) => Promise<Row[]> {
  const idsOfPage = idsOf(database);
  const read = database.query<Row>(
    `SELECT ${columns.join(', ')} FROM ${table}
      WHERE ${within([...equal, 'id'])} AND at_ms >= ? AND at_ms <= ?
      ORDER BY ${downwards([...equal, 'id'])} LIMIT ?`,
  );
  return async (values, ask) => {
    assert(Number.isSafeInteger(ask.limit) && ask.limit >= 0, 'a page has a limit');
    const { afterId, beforeId } = await idsOfPage(ask);
    const ends = [...values, afterId, ...values, beforeId];
    return read(...ends, ask.fromMs, ask.toMs, ask.limit);
  };
}

/** Between two places of an index, both outside. Takes the values of the one, then of the other. */
export function within(columns: readonly string[]): string {
  const place = `(${columns.join(', ')})`;
  const values = `(${columns.map(() => '?').join(', ')})`;
  return `${place} > ${values} AND ${place} < ${values}`;
}

export const downwards = (columns: readonly string[]): string =>
  columns.map((column) => `${column} DESC`).join(', ');
