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
  /** A further column behind the equal ones, by which the list lies in several parts. */
  readonly parts?: { readonly column: string; readonly codes: readonly number[] };
  readonly columns: readonly string[];
};

/**
 * Reads one page of a list, newest first, the higher id first within a millisecond.
 *
 * Its cost is that of the rows it answers: one descent of the tree and a walk that stops at the
 * limit, or a few of them side by side where the list lies in parts. The pair (at_ms, id) says
 * where the walk begins, whatever is asked; `id < beforeId` drops the few rows between that id and
 * the nearest marked one.
 */
export function pageReader<Row>(
  database: Database,
  { table, index, equal, parts, columns }: List,
): (values: readonly number[], ask: PageAsk) => Row[] {
  const latestMs = latestMsBefore(database);
  // Left to itself the planner walks the clustered table and filters, as if a list were short.
  const source = index === undefined ? table : `${table} INDEXED BY ${index}`;
  const [fromMs, endMs, endId, limit] = [1, 2, 3, 4].map((n) => `?${equal.length + n}`);
  const walk = (...part: readonly string[]): string =>
    `SELECT ${columns.join(', ')} FROM ${source}
      WHERE ${[...equal.map((column, n) => `${column} = ?${n + 1}`), ...part].join(' AND ')}
        ${equal.length + part.length > 0 ? 'AND' : ''} at_ms >= ${fromMs}
        AND (at_ms, id) < (${endMs}, ${endId}) AND id < ${endId}`;
  const walks = parts?.codes.map((code) => walk(`${parts.column} = ${code}`)) ?? [walk()];
  const read = database.query<Row>(
    `${walks.join(' UNION ALL ')} ORDER BY at_ms DESC, id DESC LIMIT ${limit}`,
  );
  return (values, ask) => {
    assert(Number.isSafeInteger(ask.limit) && ask.limit >= 0, 'a page has a limit');
    const { beforeId = ID_MAX } = ask;
    const latest = ask.beforeId === undefined ? ask.toMs : Math.min(ask.toMs, latestMs(beforeId));
    return read(...values, ask.fromMs, latest, beforeId, ask.limit);
  };
}

/** Above every id: they are counted from 1 and stay exact in a double. */
const ID_MAX = 2n ** 62n;
