import { assert } from '../domain/assert.ts';
import { HistoryRefused } from './refused.ts';
import type { Merge, Schema, Table } from './tables.ts';

/**
 * One query layer over the stores that may hold history: embedded SQLite (sqlite.ts) and PostgreSQL
 * (postgres.ts). Both get the same SQL, with `?` for values; only what both understand is used.
 *
 * Invariant: the rows of an event and the cursor that has passed it are written in one transaction, so a
 * crash at any instant leaves both or neither. Everything here can be rebuilt from the event log; that is why
 * an older schema is dropped and rebuilt instead of migrated.
 */
export interface Database {
  /** Rows as records; every integer is returned as a bigint, bytes as an array of their own. */
  query<Row>(sql: string): Query<Row>;
  /** All reads of `work` see the same state. One at a time: a connection does not run statements in parallel. */
  snapshot<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
export type Query<Row> = (...values: readonly Value[]) => Promise<Row[]>;
export type Value = number | bigint | string | Uint8Array | null;

/** For the projector. */
export interface WritableDatabase extends Database {
  /** Inserts rows into one table. With `merge` an existing row is updated, otherwise there must be none. */
  inserter(table: Table, columns: readonly string[], merge?: Merge): RowInserter;
  /** Returns how many rows were changed. */
  change(sql: string): (...values: readonly Value[]) => Promise<number>;
  /** Commits all of `work` and all rows that it added, or nothing. */
  transaction(work: () => Promise<void>): Promise<void>;
}

/**
 * Rows added within a transaction, written in batches and at the latest when it ends; reads in the same
 * transaction do not see them.
 */
export type RowInserter = {
  /** How many of the last rows hold bytes that must not change yet: fewer than ROWS_AT_ONCE. */
  readonly pending: number;
  /** Returns the number of rows, which is always 1. */
  add(...values: readonly Value[]): 1;
};
export const ROWS_AT_ONCE = 16;

/** Which history: its venue and the tables that this program knows. */
export type Opening = {
  readonly stamp: string;
  readonly schema: Schema;
  /** Called often while a transaction is written: the thread may let others have its core for a moment. */
  readonly rest?: (() => void) | undefined;
};

export type About = {
  readonly schemaVersion: number;
  /** Digest of the tables; undefined for tables older than the digest. */
  readonly digest: string | undefined;
  readonly stamp: string;
  /** Everything up to this sequence is in the rows. */
  readonly cursor: number;
};

/**
 * The one row that says what a history holds. The first five columns never change: every older and newer
 * program must be able to read them.
 */
export const ABOUT: Table = {
  name: 'about',
  columns: {
    only_row: 'integer',
    schema_version: 'integer',
    stamp: 'text',
    cursor: 'integer',
    cursor_ms: 'integer',
    events: 'integer',
    digest: 'text',
  },
  key: ['only_row'],
  hasLargeRows: true,
};

/** The row of `about`; undefined where it is missing. */
export async function readAbout(database: Database): Promise<About | undefined> {
  const [row] = await database.query<Readonly<Record<string, unknown>>>(
    'SELECT * FROM about WHERE only_row = 1',
  )();
  if (row === undefined) return undefined;
  return {
    schemaVersion: Number(row['schema_version']),
    digest: row['digest'] === undefined ? undefined : String(row['digest']),
    stamp: String(row['stamp']),
    cursor: Number(row['cursor']),
  };
}

export async function writeAbout(database: WritableDatabase, opening: Opening): Promise<void> {
  const { stamp, schema } = opening;
  const columns = Object.keys(ABOUT.columns).join(', ');
  const insert = database.change(`INSERT INTO about (${columns}) VALUES (1, ?, ?, 0, 0, 0, ?)`);
  await insert(schema.version, stamp, schema.digest);
}

/** How a refusal names a history, and how its operator can have it rebuilt. */
export type Described = { readonly name: string; readonly again: string; readonly other: string };

/**
 * Refuses another venue's history, a newer one, and one whose tables are not those of its version. The stamp
 * is compared first: another venue's history is never dropped, whatever its age. Returns whether it can be
 * used as it is; otherwise it is older and must be rebuilt.
 */
export function isCurrent(about: About, { stamp, schema }: Opening, described: Described): boolean {
  const { name, again, other } = described;
  if (about.stamp !== stamp) {
    throw new HistoryRefused(
      'foreign',
      `${name} is the history of ${about.stamp}, not of ${stamp}: ${other}`,
    );
  }
  if (about.schemaVersion > schema.version) {
    throw new HistoryRefused(
      'newer',
      `${name} has schema ${about.schemaVersion}, this program knows ${schema.version}: ` +
        `run the newer program, or ${again}`,
    );
  }
  if (about.schemaVersion < schema.version) return false;
  if (about.digest !== schema.digest) {
    throw new HistoryRefused(
      'unknown',
      `${name} has schema ${about.schemaVersion} with other tables (${about.digest}) than this program's ` +
        `(${schema.digest}): run the program that wrote it, or ${again}`,
    );
  }
  return true;
}

/** How far the rows are. */
export type Reached = {
  readonly sequence: number;
  readonly timeMs: number;
  /** The number of events in the log up to there: entries are numbered by them, see entry-ids.ts. */
  readonly events: number;
};

/** Where the projector continues. Only for a history with this program's schema: older ones have no count. */
export function reachedReader(database: Database): () => Promise<Reached> {
  const read = database.query<{ sequence: bigint; ms: bigint; events: bigint }>(
    'SELECT cursor AS sequence, cursor_ms AS ms, events FROM about WHERE only_row = 1',
  );
  return async () => {
    const [row] = await read();
    assert(row !== undefined, 'a history that was opened says what it holds');
    return { sequence: Number(row.sequence), timeMs: Number(row.ms), events: Number(row.events) };
  };
}

/**
 * Moves the cursor from where the caller believes it to be; false if it is elsewhere. This is the fence: of
 * two projectors that continue from the same cursor, one finds it moved and writes nothing.
 */
export function cursorMover(
  database: WritableDatabase,
): (from: number, to: Reached) => Promise<boolean> {
  const move = database.change(
    'UPDATE about SET cursor = ?, cursor_ms = ?, events = ? WHERE only_row = 1 AND cursor = ?',
  );
  return async (from, to) => (await move(to.sequence, to.timeMs, to.events, from)) === 1;
}
