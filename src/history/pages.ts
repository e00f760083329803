import { assert } from '../domain/assert.ts';
import type { Database } from './database.ts';
import { latestMsBefore } from './entry-times.ts';

/** Which part of a list is asked for. Both ends of the window are inside it. */
export type PageAsk = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  /** Only what is numbered below: the last id of the page before. */
  readonly beforeId?: bigint | undefined;
};

/** A list whose table or index is ordered by its equal columns, then at_ms, then id. */
export type List = {
  readonly table: string;
  /** The index that has this order; left out when it is the table itself. */
  readonly index?: string;
  readonly equal: readonly string[];
  readonly columns: readonly string[];
};

/**
 * Reads one page of a list, newest first, the higher id first within a millisecond.
 *
 * Its cost is that of the rows it answers: one descent of the tree and a walk that stops at the
 * limit. The pair (at_ms, id) says where the walk begins, whatever is asked; `id < beforeId` drops
 * the few rows between that id and the nearest marked one.
 */
export function pageReader<Row>(
  database: Database,
  { table, index, equal, columns }: List,
): (values: readonly number[], ask: PageAsk) => Row[] {
  const latestMs = latestMsBefore(database);
  // Left to itself the planner walks the clustered table and filters, as if a list were short.
  const source = index === undefined ? table : `${table} INDEXED BY ${index}`;
  const read = database.query<Row>(
    `SELECT ${columns.join(', ')} FROM ${source}
      WHERE ${equal.map((column) => `${column} = ?`).join(' AND ')}
        AND at_ms >= ? AND (at_ms, id) < (?, ?) AND id < ?
      ORDER BY at_ms DESC, id DESC LIMIT ?`,
  );
  return (values, { fromMs, toMs, limit, beforeId }) => {
    assert(Number.isSafeInteger(limit) && limit >= 0, 'a page has a limit');
    const endMs = beforeId === undefined ? toMs : Math.min(toMs, latestMs(beforeId));
    const endId = beforeId ?? ID_MAX;
    return read(...values, fromMs, endMs, endId, endId, limit);
  };
}

/** Above every id: they are counted from 1 and stay exact in a double. */
const ID_MAX = 2n ** 62n;
