import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import {
  ABOUT,
  type About,
  type Described,
  isCurrent,
  type Opening,
  type Query,
  ROWS_AT_ONCE,
  type RowInserter,
  readAbout,
  type Value,
  type WritableDatabase,
  writeAbout,
} from './database.ts';
import { HistoryFailed, HistoryRefused } from './refused.ts';
import { conflictClause, type Merge, type Table } from './tables.ts';

/**
 * History in one embedded file: the default. Its durability may be relaxed, because it can be rebuilt. Pages
 * have no checksums: a flipped bit is found if it breaks a structure or makes an index differ from its table
 * (`verifyFile`), not inside an amount.
 *
 * The calls return promises because a remote store needs them; none of them waits for anything.
 */
class SqliteDatabase implements WritableDatabase {
  readonly #native: DatabaseSync;
  readonly #file: string;
  readonly #pending: PendingRows[] = [];
  readonly #rest: () => void;

  constructor(native: DatabaseSync, file: string, rest: () => void) {
    this.#native = native;
    this.#file = file;
    this.#rest = rest;
  }

  query<Row>(sql: string): Query<Row> {
    const statement = this.#explained(() => this.#native.prepare(sql));
    return async (...values) => this.#explained(() => statement.all(...values) as Row[]);
  }

  change(sql: string): (...values: readonly Value[]) => Promise<number> {
    const run = this.#runner(sql);
    return async (...values) => run(values);
  }

  /** Many rows per statement, because calling the store costs as much as a row. */
  inserter(table: Table, columns: readonly string[], merge?: Merge): RowInserter {
    const row = `(${columns.map(() => '?').join(', ')})`;
    const into = `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES`;
    const clause = conflictClause(table, merge);
    const rows = new PendingRows(
      columns.length,
      this.#runner(`${into} ${row}${clause}`),
      this.#runner(`${into} ${Array(ROWS_AT_ONCE).fill(row).join(', ')}${clause}`),
    );
    this.#pending.push(rows);
    return rows;
  }

  execute(sql: string): void {
    this.#explained(() => this.#native.exec(sql));
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    for (const rows of this.#pending) rows.clear();
    try {
      this.#native.exec('BEGIN IMMEDIATE');
      await work();
      for (const rows of this.#pending) rows.flush();
      this.#native.exec('COMMIT');
    } catch (cause) {
      this.#rollBack();
      throw explained(this.#file, cause);
    }
  }

  async snapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#native.isTransaction) return work();
    try {
      this.#native.exec('BEGIN');
      return await work();
    } catch (cause) {
      throw explained(this.#file, cause);
    } finally {
      this.#rollBack();
    }
  }

  async close(): Promise<void> {
    if (this.#native.isOpen) this.#native.close();
  }

  #runner(sql: string): (values: readonly Value[]) => number {
    const statement = this.#explained(() => this.#native.prepare(sql));
    return (values) => {
      this.#rest();
      return Number(statement.run(...(values as readonly SQLInputValue[])).changes);
    };
  }

  #rollBack(): void {
    // A full disk or a failed write has often rolled back already.
    if (!this.#native.isOpen || !this.#native.isTransaction) return;
    try {
      this.#native.exec('ROLLBACK');
    } catch {
      // The first failure is the one to report. Closing discards what was not committed.
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

class PendingRows implements RowInserter {
  readonly #width: number;
  readonly #insertOne: (values: readonly Value[]) => number;
  readonly #insertMany: (values: readonly Value[]) => number;
  readonly #values: Value[] = [];

  constructor(
    width: number,
    insertOne: (values: readonly Value[]) => number,
    insertMany: (values: readonly Value[]) => number,
  ) {
    this.#width = width;
    this.#insertOne = insertOne;
    this.#insertMany = insertMany;
  }

  get pending(): number {
    return this.#values.length / this.#width;
  }

  add(...values: readonly Value[]): 1 {
    for (const value of values) this.#values.push(value);
    if (this.#values.length < ROWS_AT_ONCE * this.#width) return 1;
    this.#insertMany(this.#values);
    this.#values.length = 0;
    return 1;
  }

  flush(): void {
    for (let at = 0; at < this.#values.length; at += this.#width) {
      this.#insertOne(this.#values.slice(at, at + this.#width));
    }
    this.#values.length = 0;
  }

  /** Drops what a failed transaction has left. */
  clear(): void {
    this.#values.length = 0;
  }
}

export type FileOpening = Opening & { readonly file: string };

/** Creates the file if there is none, and rebuilds it if its schema is older than this program's. */
export async function openFileToWrite(opening: FileOpening): Promise<WritableDatabase> {
  const { file, rest } = opening;
  const found = connect(file, 'write', rest);
  try {
    const about = await aboutIn(found, file);
    if (about === undefined) {
      await create(found, opening);
      return found;
    }
    if (isCurrent(about, opening, describe(file))) return found;
  } catch (cause) {
    await found.close();
    throw cause;
  }
  await found.close();
  dropFiles(file);
  return openFileToWrite(opening);
}

/** A read-only connection; the writer must have created the file. */
export async function openFileToRead(opening: FileOpening): Promise<WritableDatabase> {
  const { file } = opening;
  if (!existsSync(file)) throw new HistoryRefused('missing', `there is no history at ${file}`);
  const database = connect(file, 'read');
  try {
    const about = await aboutIn(database, file);
    if (about === undefined) throw new HistoryRefused('missing', `${file} holds no history yet`);
    if (!isCurrent(about, opening, describe(file))) {
      throw new HistoryRefused('missing', `${file} has an older schema and is not made anew yet`);
    }
    return database;
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/** What a file says about itself, whoever wrote it; undefined if there is none or it is empty. */
export async function peekFile(file: string): Promise<About | undefined> {
  if (!existsSync(file)) return undefined;
  const database = connect(file, 'read');
  try {
    return await aboutIn(database, file);
  } finally {
    await database.close();
  }
}

/** Reads every page and compares every index with its table. Takes time in proportion to the file. */
export async function verifyFile(file: string): Promise<void> {
  const database = connect(file, 'read');
  try {
    const check = database.query<{ integrity_check: string }>('PRAGMA integrity_check(1)');
    const verdict = (await check())[0]?.integrity_check ?? 'no verdict';
    if (verdict !== 'ok') throw damaged(file, verdict);
  } finally {
    await database.close();
  }
}

/** The one row of the table `about`, or undefined if there is no table at all. */
async function aboutIn(database: SqliteDatabase, file: string): Promise<About | undefined> {
  const names = await database.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  )();
  if (names.length === 0) return undefined;
  if (!names.some(({ name }) => name === ABOUT.name)) {
    throw new HistoryRefused('foreign', `${file} is a database, but not a history`);
  }
  const about = await readAbout(database);
  if (about === undefined) throw damaged(file, 'it does not say what it holds');
  return about;
}

const describe = (file: string): Described => ({
  name: file,
  again: 'delete the file to have it made again',
  other: 'give this venue another file',
});

/**
 * WAL lets readers continue while the projector writes. synchronous=NORMAL calls fsync only at a checkpoint:
 * a power cut may lose the last transactions, whole and with their cursor, and they are projected again.
 * 20,000 pages (80 MB) between checkpoints keep them rare.
 *
 * The cache holds what the largest transaction changes (about 30,000 pages) and the ends of all lists, where
 * the next one continues. With less, pages are written before the commit, again with it, and read again for
 * every transaction: that, not the depth of the trees, made a long history slower than a short one. It grows
 * only if it is needed.
 */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 20000;
  PRAGMA journal_size_limit = 268435456;
  PRAGMA cache_size = -196608;
  PRAGMA temp_store = MEMORY;`;
const READER_PRAGMAS = `
  PRAGMA query_only = ON;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;`;
const BUSY_WAIT_MS = 5_000;

function connect(
  file: string,
  mode: 'read' | 'write',
  rest: () => void = () => {},
): SqliteDatabase {
  try {
    const native = new DatabaseSync(file, {
      readOnly: mode === 'read',
      timeout: BUSY_WAIT_MS,
      readBigInts: true,
    });
    try {
      native.exec(mode === 'read' ? READER_PRAGMAS : WRITER_PRAGMAS);
    } catch (cause) {
      native.close();
      throw cause;
    }
    return new SqliteDatabase(native, file, rest);
  } catch (cause) {
    throw explained(file, cause);
  }
}

async function create(database: SqliteDatabase, opening: FileOpening): Promise<void> {
  await database.transaction(async () => {
    for (const table of [ABOUT, ...opening.schema.tables]) database.execute(definition(table));
    await writeAbout(database, opening);
  });
}

const TYPES = {
  integer: 'INTEGER NOT NULL',
  'integer?': 'INTEGER',
  text: 'TEXT NOT NULL',
  bytes: 'BLOB NOT NULL',
} as const;

/** Rows are stored in the tree of their key (WITHOUT ROWID), except large ones, whose key is the rowid. */
function definition({ name, columns, key, indexes = [], hasLargeRows }: Table): string {
  const lines = Object.entries(columns).map(([column, type]) => `${column} ${TYPES[type]}`);
  const end = hasLargeRows === true ? 'STRICT' : 'STRICT, WITHOUT ROWID';
  const table = `CREATE TABLE ${name} (${lines.join(', ')}, PRIMARY KEY (${key.join(', ')})) ${end}`;
  const each = indexes.map((index) => {
    const where = index.where === undefined ? '' : ` WHERE ${index.where}`;
    return `CREATE INDEX ${index.name} ON ${name} (${index.columns.join(', ')})${where}`;
  });
  return [table, ...each].join(';\n');
}

/** Deletes the main file first: SQLite discards a WAL that it finds beside an empty database. */
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

/** Names the file, and distinguishes damage from a full disk, a lock and our own bugs. */
function explained(file: string, cause: unknown): unknown {
  if (!(cause instanceof Error && 'errcode' in cause)) return cause;
  const code = Number(cause.errcode) & 0xff;
  if (code === CORRUPT || code === NOT_A_DATABASE) return damaged(file, cause.message, cause);
  return new HistoryFailed(`history at ${file}: ${cause.message}`, { cause });
}
