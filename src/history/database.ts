import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { assert } from '../domain/assert.ts';
import { HistoryFailed, HistoryRefused } from './refused.ts';

/**
 * The one place that knows which store holds history: embedded SQLite here, PostgreSQL one day.
 *
 * Invariant: the rows of an event and the cursor that has passed it are written in one transaction,
 * so a crash at any instant leaves both or neither. Everything in the file can be made again from
 * the event log; that is why it may be relaxed about durability and why an older schema is
 * dropped and rebuilt instead of migrated. No checksums guard the pages: a flipped bit is found where
 * it breaks a structure or parts an index from its table (`verify`), not inside an amount.
 */
export class Database {
  readonly #native: DatabaseSync;
  readonly #file: string;

  constructor(native: DatabaseSync, file: string) {
    this.#native = native;
    this.#file = file;
  }

  /** Rows as records; every whole number comes as a bigint. */
  query<Row>(sql: string): (...values: readonly SQLInputValue[]) => Row[] {
    const statement = this.#explained(() => this.#native.prepare(sql));
    return (...values) => this.#explained(() => statement.all(...values) as Row[]);
  }

  /** Returns how many rows were changed. The transaction around it translates errors. */
  change(sql: string): (...values: readonly SQLInputValue[]) => number {
    const statement = this.#explained(() => this.#native.prepare(sql));
    return (...values) => Number(statement.run(...values).changes);
  }

  /**
   * For rows that come by the thousand: they go to the table many to a statement, because calling
   * the store costs as much as a row. What was added is written at the latest by `flush`.
   */
  inserter(table: string, columns: readonly string[]): RowInserter {
    const row = `(${columns.map(() => '?').join(', ')})`;
    const into = `INSERT INTO ${table} (${columns.join(', ')}) VALUES`;
    const insertOne = this.change(`${into} ${row}`);
    const insertMany = this.change(`${into} ${Array(ROWS_AT_ONCE).fill(row).join(', ')}`);
    const values: SQLInputValue[] = [];
    return {
      get pending() {
        return values.length / columns.length;
      },
      add: (...more) => {
        values.push(...more);
        if (values.length < ROWS_AT_ONCE * columns.length) return;
        insertMany(...values);
        values.length = 0;
      },
      flush: () => {
        for (let at = 0; at < values.length; at += columns.length) {
          insertOne(...values.slice(at, at + columns.length));
        }
        values.length = 0;
      },
      clear: () => {
        values.length = 0;
      },
    };
  }

  execute(sql: string): void {
    this.#explained(() => this.#native.exec(sql));
  }

  /** Commits all of `work` or nothing. */
  transaction(work: () => void): void {
    this.#explained(() => {
      this.#native.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#native.exec('COMMIT');
      } catch (cause) {
        this.#rollBack();
        throw cause;
      }
    });
  }

  /** All reads of `work` see the same moment. */
  snapshot<Result>(work: () => Result): Result {
    if (this.#native.isTransaction) return work();
    return this.#explained(() => {
      this.#native.exec('BEGIN');
      try {
        return work();
      } finally {
        this.#rollBack();
      }
    });
  }

  close(): void {
    if (this.#native.isOpen) this.#native.close();
  }

  #rollBack(): void {
    // A full disk or a failed write has often rolled back already.
    if (!this.#native.isTransaction) return;
    try {
      this.#native.exec('ROLLBACK');
    } catch {
      // The first failure is the one to report. Closing drops what was not committed.
      this.#native.close();
    }
  }

  #explained<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      throw explained(this.#file, cause);
    }
  }
}

/** Rows added to a table, written some at a time. */
export type RowInserter = {
  /** How many wait to be written; what they point to must not change until then. */
  readonly pending: number;
  add(...values: readonly SQLInputValue[]): void;
  flush(): void;
  /** Forgets what waits, because the transaction it was part of has failed. */
  clear(): void;
};
export const ROWS_AT_ONCE = 16;

export type Schema = { readonly version: number; readonly tables: readonly string[] };
export type Opening = { readonly file: string; readonly stamp: string; readonly schema: Schema };

/**
 * Makes the file if there is none, and makes it anew if its schema is older than this program's.
 * The stamp is compared first: another venue's history is never dropped, whatever its age.
 */
export function openToWrite(opening: Opening): Database {
  const { file, schema } = opening;
  const found = connect(file, 'write', WRITER_PRAGMAS);
  try {
    const about = readAbout(found, file);
    if (about === undefined) {
      create(found, opening);
      return found;
    }
    checkAbout(about, opening);
    if (about.schemaVersion === schema.version) return found;
  } catch (cause) {
    found.close();
    throw cause;
  }
  found.close();
  dropFiles(file);
  return openToWrite(opening);
}

/** A read-only connection; the writer must have created the file. */
export function openToRead(opening: Opening): Database {
  const { file, schema } = opening;
  if (!existsSync(file)) throw new HistoryRefused('missing', `there is no history at ${file}`);
  const database = connect(file, 'read', READER_PRAGMAS);
  try {
    const about = readAbout(database, file);
    if (about === undefined) throw new HistoryRefused('missing', `${file} holds no history yet`);
    checkAbout(about, opening);
    if (about.schemaVersion < schema.version) {
      throw new HistoryRefused('missing', `${file} has an older schema and is not made anew yet`);
    }
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** What a file says of itself, whoever wrote it; undefined when it is empty. */
export function peek(file: string): About | undefined {
  const database = connect(file, 'read', READER_PRAGMAS);
  try {
    return readAbout(database, file);
  } finally {
    database.close();
  }
}

export type About = {
  readonly schemaVersion: number;
  readonly stamp: string;
  /** Everything up to this sequence is in the rows. */
  readonly cursor: number;
  /** The time of that sequence: the next one is not earlier. */
  readonly cursorMs: number;
};

/** The one row of the table `about`, or undefined when there is no table at all. */
export function readAbout(database: Database, file: string): About | undefined {
  const names = database.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  )();
  if (names.length === 0) return undefined;
  if (!names.some(({ name }) => name === 'about')) {
    throw new HistoryRefused('foreign', `${file} is a database, but not a history`);
  }
  const [row] = database.query<{ version: bigint; stamp: string; cursor: bigint; ms: bigint }>(
    `SELECT schema_version AS version, stamp, cursor, cursor_ms AS ms FROM about WHERE only_row = 1`,
  )();
  if (row === undefined) throw damaged(file, 'it does not say what it holds');
  return {
    schemaVersion: Number(row.version),
    stamp: row.stamp,
    cursor: Number(row.cursor),
    cursorMs: Number(row.ms),
  };
}

/** How far the rows have come. */
export type Reached = {
  readonly sequence: number;
  readonly timeMs: number;
  /** How many events the log holds up to there: entries are numbered by them, see entry-ids.ts. */
  readonly events: number;
};

/** Where the projector goes on. Only of a file with this program's schema: older ones count none. */
export function readReached(database: Database): Reached {
  const [row] = database.query<{ sequence: bigint; ms: bigint; events: bigint }>(
    'SELECT cursor AS sequence, cursor_ms AS ms, events FROM about WHERE only_row = 1',
  )();
  assert(row !== undefined, 'a history that was opened says what it holds');
  return { sequence: Number(row.sequence), timeMs: Number(row.ms), events: Number(row.events) };
}

/** Moves the cursor from where the caller believes it to be; false when it is elsewhere. */
export function cursorMover(database: Database): (from: number, to: Reached) => boolean {
  const move = database.change(
    'UPDATE about SET cursor = ?, cursor_ms = ?, events = ? WHERE only_row = 1 AND cursor = ?',
  );
  return (from, to) => move(to.sequence, to.timeMs, to.events, from) === 1;
}

/** Reads every page and holds every index against its table. Costs as long as the file is large. */
export function verify(database: Database, file: string): void {
  const found = database.query<{ integrity_check: string }>('PRAGMA integrity_check(1)')();
  const verdict = found[0]?.integrity_check ?? 'no verdict';
  if (verdict !== 'ok') throw damaged(file, verdict);
}

/**
 * WAL lets readers go on while the projector writes. synchronous=NORMAL calls fsync only at a
 * checkpoint: a power cut may lose the last transactions, whole and with their cursor, and they are
 * projected again. 20,000 pages (80 MB) between checkpoints keep them rare.
 */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 20000;
  PRAGMA journal_size_limit = 268435456;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY;`;
const READER_PRAGMAS = `
  PRAGMA query_only = ON;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;`;
const BUSY_WAIT_MS = 5_000;

/** The first five never change: every older and newer program must be able to read them. */
const ABOUT_TABLE = `
  CREATE TABLE about (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    schema_version INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    cursor_ms INTEGER NOT NULL,
    events INTEGER NOT NULL
  ) STRICT`;

function connect(file: string, mode: 'read' | 'write', pragmas: string): Database {
  try {
    const native = new DatabaseSync(file, {
      readOnly: mode === 'read',
      timeout: BUSY_WAIT_MS,
      readBigInts: true,
    });
    try {
      native.exec(pragmas);
    } catch (cause) {
      native.close();
      throw cause;
    }
    return new Database(native, file);
  } catch (cause) {
    throw explained(file, cause);
  }
}

function create(database: Database, { stamp, schema }: Opening): void {
  database.transaction(() => {
    for (const table of [ABOUT_TABLE, ...schema.tables]) database.execute(table);
    const insert = 'INSERT INTO about (only_row, schema_version, stamp, cursor, cursor_ms, events)';
    database.change(`${insert} VALUES (1, ?, ?, 0, 0, 0)`)(schema.version, stamp);
  });
}

function checkAbout(about: About, { file, stamp, schema }: Opening): void {
  if (about.stamp !== stamp) {
    throw new HistoryRefused(
      'foreign',
      `${file} is the history of ${about.stamp}, not of ${stamp}: give this venue another file`,
    );
  }
  if (about.schemaVersion > schema.version) {
    throw new HistoryRefused(
      'newer',
      `${file} has schema ${about.schemaVersion}, this program knows ${schema.version}: ` +
        'run the newer program, or delete the file to have it made again',
    );
  }
}

/** The main file goes first: SQLite discards a WAL that it finds beside an empty database. */
function dropFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function damaged(file: string, what: string, cause?: unknown): HistoryRefused {
  return new HistoryRefused(
    'damaged',
    `the history at ${file} is damaged (${what}): delete it to have it made again`,
    cause,
  );
}

/** Result codes of SQLite (the low byte; the rest is detail). */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Names the file, and separates damage from a full disk, a lock and our own mistakes. */
function explained(file: string, cause: unknown): unknown {
  if (!(cause instanceof Error && 'errcode' in cause)) return cause;
  const code = Number(cause.errcode) & 0xff;
  if (code === CORRUPT || code === NOT_A_DATABASE) return damaged(file, cause.message, cause);
  return new HistoryFailed(`history at ${file}: ${cause.message}`, { cause });
}
