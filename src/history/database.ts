import { assert } from '../domain/assert.ts';
import { HistoryRefused } from './refused.ts';
import type { Merge, Schema, Table } from './tables.ts';

/**
 * One query layer over the stores that may hold history: embedded SQLite (sqlite.ts) and PostgreSQL (postgres.ts).
 * Both are given the same SQL, with `?` for values; what one of them does not know is not used.
 *
 * Invariant: the rows of an event and the cursor that has passed it are written in one transaction,
 * so a crash at any instant leaves both or neither. Everything here can be made again from the event log; that
 * is why an older schema is dropped and rebuilt instead of migrated.
 */
export interface Database {
  /** Rows as records; every whole number comes as a bigint, bytes as an array of their own. */
  query<Row>(sql: string): Query<Row>;
  /** All reads of `work` see the same moment. One at a time: a connection does one thing after another. */
  snapshot<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
export type Query<Row> = (...values: readonly Value[]) => Promise<Row[]>;
export type Value = number | bigint | string | Uint8Array | null;

/** For the projector. */
export interface WritableDatabase extends Database {
  /** Rows for one table. With `merge` a row that is there already is changed, else there is none. */
  inserter(table: Table, columns: readonly string[], merge?: Merge): RowInserter;
  /** Returns how many rows were changed. */
  change(sql: string): (...values: readonly Value[]) => Promise<number>;
  /** Commits all of `work` and all rows that it added, or nothing. */
  transaction(work: () => Promise<void>): Promise<void>;
}

/**
 * Rows added within a transaction, written some at a time and at the latest when it ends; reads of the same
 * transaction do not see them.
 */
export type RowInserter = {
  /** How many of the last rows hold bytes that must not change yet: fewer than ROWS_AT_ONCE. */
  readonly pending: number;
  /** Returns how many rows that is. */
  add(...values: readonly Value[]): 1;
};
export const ROWS_AT_ONCE = 16;

/** Which history: its venue and the tables this program knows. */
export type Opening = { readonly stamp: string; readonly schema: Schema };

export type About = {
  readonly schemaVersion: number;
  /** Of the tables; undefined where they were made before it was kept. */
  readonly digest: string | undefined;
  readonly stamp: string;
  /** Everything up to this sequence is in the rows. */
  readonly cursor: number;
};

/**
 * The one row that says what a history holds. The first five columns never change: every older and newer program must be
 * able to read them.
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

/** How a refusal names a history, and what its operator does to have it made again. */
export type Described = { readonly name: string; readonly again: string; readonly other: string };

/**
 * Refuses another venue's history, a newer one, and one whose tables are not those of its version. The stamp is
 * compared first: another venue's history is never dropped, whatever its age. Returns whether it can be used as
 * it is; if not, it is older and to be made anew.
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

/** How far the rows have come. */
export type Reached = {
  readonly sequence: number;
  readonly timeMs: number;
  /** How many events the log holds up to there: entries are numbered by them, see entry-ids.ts. */
  readonly events: number;
};

/** Where the projector goes on. Only of a history with this program's schema: older ones count none. */
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
 * Moves the cursor from where the caller believes it to be; false when it is elsewhere. This is the fence: of two
 * projectors that write what follows one cursor, one finds it moved and writes nothing.
 */
export function cursorMover(
  database: WritableDatabase,
): (from: number, to: Reached) => Promise<boolean> {
  const move = database.change(
    'UPDATE about SET cursor = ?, cursor_ms = ?, events = ? WHERE only_row = 1 AND cursor = ?',
  );
  return async (from, to) => (await move(to.sequence, to.timeMs, to.events, from)) === 1;
}
