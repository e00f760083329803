import { assert } from '../domain/assert.ts';
import type { Database } from './database.ts';
import { idsOf, type Window } from './entry-times.ts';

/** Which part of a list is asked for; `beforeId` is the last id of the page before. */
export type PageAsk = Window & { readonly limit: number };

/** A list whose table or index is ordered by its equal columns, then by id. */
export type List = {
  readonly table: string;
  /** The index that has this order; left out when it is the table itself. */
  readonly index?: string;
  readonly equal: readonly string[];
  readonly columns: readonly string[];
};

/**
 * Reads one page of a list with a row for each entry, newest first: the higher id first.
 *
 * It costs one descent of the tree and a walk over the rows it returns. The walk begins at an id; rows
 * between the window and the nearest marked id are dropped by their time.
 */
export function pageReader<Row>(
  database: Database,
  { table, index, equal, columns }: List,
): (values: readonly number[], ask: PageAsk) => Row[] {
  const idsOfPage = idsOf(database);
  // Without a hint the planner scans the clustered table and filters, as if a list were short.
  const source = index === undefined ? table : `${table} INDEXED BY ${index}`;
  const conditions = [...equal.map((column) => `${column} = ?`), 'id > ? AND id < ?'];
  const read = database.query<Row>(
    `SELECT ${columns.join(', ')} FROM ${source}
      WHERE ${conditions.join(' AND ')} AND at_ms >= ? AND at_ms <= ? ORDER BY id DESC LIMIT ?`,
  );
  return (values, ask) => {
    assert(Number.isSafeInteger(ask.limit) && ask.limit >= 0, 'a page has a limit');
    const { afterId, beforeId } = idsOfPage(ask);
    return read(...values, afterId, beforeId, ask.fromMs, ask.toMs, ask.limit);
  };
}
