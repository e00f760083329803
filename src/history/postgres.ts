import { createHash } from 'node:crypto';
import type { Client, ClientBase, ClientConfig } from 'pg';
import {
  ABOUT,
  type About,
  type Described,
  isCurrent,
  type Opening,
  type Query,
  type RowInserter,
  readAbout,
  type Value,
  type WritableDatabase,
  writeAbout,
} from './database.ts';
import { addressWith, reasonOf } from './postgres-driver.ts';
import { storedText, UnnestRows } from './postgres-rows.ts';
import { HistoryFailed, HistoryRefused } from './refused.ts';
import type { Column, Merge, Table } from './tables.ts';

/** Where history is stored on a PostgreSQL server. */
export type PostgresPlace = {
  /** postgres://user@host:port/database?sslmode=verify-full, without the password. */
  readonly url: string;
  readonly password?: string | undefined;
  /** The schema of its tables: several venues may share a database. */
  readonly schema: string;
  /** The maximum number of connections for reads; the projector has its own. */
  readonly connections: number;
};

/** A read that takes longer has a fault; a transaction of the projector may be large. */
const READ_TIMEOUT_MS = 5_000;
const WRITE_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** The server's timeout comes first: its error message is better. */
const GRACE_MS = 1_000;

/** For messages: who and where, never a password or a parameter. */
export function postgresName({ url, schema }: PostgresPlace): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname} (${schema})`;
}

/**
 * One connection, using the text protocol: integers arrive as bigints, however large, and bytes as an array
 * of their own.
 */
export class PostgresDatabase implements WritableDatabase {
  readonly #client: ClientBase;
  readonly #name: string;
  readonly #pending: UnnestRows[] = [];
  #isInSnapshot = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: ClientBase, name: string) {
    this.#client = client;
    this.#name = name;
  }

  query<Row>(sql: string): Query<Row> {
    const text = translated(sql);
    return async (...values) => (await this.#run(text, values)).rows as Row[];
  }

  change(sql: string): (...values: readonly Value[]) => Promise<number> {
    const text = translated(sql);
    return async (...values) => (await this.#run(text, values)).rowCount ?? 0;
  }

  inserter(table: Table, columns: readonly string[], merge?: Merge): RowInserter {
    const rows = new UnnestRows(table, columns, merge);
    this.#pending.push(rows);
    return rows;
  }

  /** Several statements at once, without values. */
  async execute(sql: string): Promise<void> {
    await this.#explained(() => this.#client.query(sql));
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    for (const rows of this.#pending) rows.clear();
    await this.execute('BEGIN');
    try {
      await work();
      const statements = this.#pending.flatMap((rows) => rows.take());
      for (const { text, values } of statements) await this.#run(text, values);
      await this.execute('COMMIT');
    } catch (cause) {
      await this.#rollBack();
      throw cause;
    }
  }

  async snapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isInSnapshot) return work();
    await this.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    this.#isInSnapshot = true;
    try {
      return await work();
    } finally {
      this.#isInSnapshot = false;
      await this.#rollBack();
    }
  }

  async close(): Promise<void> {
    // It does not matter whether this reaches the server: it rolls back a lost connection.
    await (this.#client as Client).end().catch(() => undefined);
  }

  /** The first failure is the one to report; the server rolls back a broken connection. */
  async #rollBack(): Promise<void> {
    await this.execute('ROLLBACK').catch(() => undefined);
  }

  #run(text: string, values: readonly Value[]) {
    return this.#explained(() =>
      this.#client.query({ name: statementName(text), text, values: values.map(sent) }),
    );
  }

  /** Statements run one after another, although a page may look up several things at once. */
  async #explained<Result>(work: () => Promise<Result>): Promise<Result> {
    const answer = this.#last.then(work);
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
    } catch (cause) {
      throw failed(this.#name, cause);
    }
  }
}

const failed = (name: string, cause: unknown): HistoryFailed =>
  new HistoryFailed(`history at ${name}: ${reasonOf(cause)}`, { cause });

function sent(value: Value): string | Buffer | null {
  if (value === null) return null;
  if (typeof value === 'string') return storedText(value);
  return value instanceof Uint8Array ? Buffer.from(value) : String(bounded(value));
}

/** An id or a time that a caller invented may exceed what a column can hold. */
function bounded(value: number | bigint): bigint {
  const whole = BigInt(typeof value === 'number' ? Math.trunc(value) : value);
  return whole > INT8_MAX ? INT8_MAX : whole < -INT8_MAX ? -INT8_MAX : whole;
}
const INT8_MAX = 2n ** 63n - 1n;

/** Replaces `?` by numbered parameters. */
function translated(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}

/** Statements are prepared once per connection. Their number is bounded by the SQL texts in this program. */
const nameByText = new Map<string, string>();
function statementName(text: string): string {
  const known = nameByText.get(text);
  if (known !== undefined) return known;
  const name = `s${nameByText.size}`;
  nameByText.set(text, name);
  return name;
}

const INT8 = 20;
const BYTEA = 17;

/** The driver is loaded only if it is used. */
export async function clientConfig(
  { url, password }: PostgresPlace,
  use: 'read' | 'write',
): Promise<ClientConfig> {
  const { default: pg } = await import('pg');
  const timeoutMs = use === 'read' ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS;
  return {
    connectionString: addressWith(url, password),
    application_name: `rialto history (${use})`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: timeoutMs + GRACE_MS,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') => {
        if (oid === INT8) return BigInt;
        if (oid === BYTEA) return bytesOf;
        return pg.types.getTypeParser(oid, format);
      }) as NonNullable<ClientConfig['types']>['getTypeParser'],
    },
  };
}

/** Decodes "\x0a1b" into memory of its own. */
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'));

/**
 * Every user of a history holds this lock shared; rebuilding it needs the lock exclusively. So no program
 * reads tables of a version that it does not know.
 */
const lockKey = (schema: string): string =>
  createHash('sha256').update(`rialto history ${schema}`).digest().readBigInt64BE().toString();

/** The settings of a new connection, and the lock that all users share. */
export async function beginSession(
  database: PostgresDatabase,
  place: PostgresPlace,
  use: 'read' | 'write',
): Promise<void> {
  const timeoutMs = use === 'read' ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS;
  // Every query has an index of its own: a planner that believes a list to be short would scan it.
  await database.execute(
    `SET search_path TO ${place.schema};
     SET statement_timeout = ${timeoutMs};
     SET lock_timeout = ${timeoutMs / 2};
     SET enable_seqscan = off;
     SET enable_bitmapscan = off;
     SET enable_sort = off;
     SET enable_incremental_sort = off;
     SET jit = off;
     SET client_min_messages = warning`,
  );
  if (await tryLock(database, 'pg_try_advisory_lock_shared', place)) return;
  throw new HistoryFailed(`history at ${postgresName(place)} is being made anew: try again`);
}

async function tryLock(
  database: PostgresDatabase,
  call: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  { schema }: PostgresPlace,
): Promise<boolean> {
  const [row] = await database.query<{ locked: boolean }>(
    `SELECT ${call}(${lockKey(schema)}) AS locked`,
  )();
  return row?.locked === true;
}

/** Creates the tables if there are none, and rebuilds them if their schema is older than this program's. */
export async function openPostgresToWrite(
  place: PostgresPlace,
  opening: Opening,
): Promise<WritableDatabase> {
  const database = await connect(place);
  try {
    await beginSession(database, place, 'write');
    await database.transaction(async () => {
      // One program at a time checks whether there is a history, and creates one.
      await database.execute(`SELECT pg_advisory_xact_lock(${lockKey(`${place.schema} tables`)})`);
      const about = await aboutIn(database, place);
      if (about === undefined) await create(database, place, opening);
      else if (!isCurrent(about, opening, describe(place))) {
        await lockAlone(database, place, about);
        await dropTables(database, place);
        await create(database, place, opening);
      }
    });
    await shareLock(database, place);
    return database;
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/** Checks a connection for reads: the projector must have created the tables. Returns how far they are. */
export async function checkToRead(
  database: PostgresDatabase,
  place: PostgresPlace,
  opening: Opening,
): Promise<number> {
  const name = postgresName(place);
  const about = await aboutIn(database, place);
  if (about === undefined) throw new HistoryRefused('missing', `there is no history at ${name}`);
  if (!isCurrent(about, opening, describe(place))) {
    throw new HistoryRefused('missing', `${name} has an older schema and is not made anew yet`);
  }
  return about.cursor;
}

/** What a history says about itself, whoever wrote it; undefined if there is none. */
export async function peekPostgres(place: PostgresPlace): Promise<About | undefined> {
  const database = await connect(place);
  try {
    await beginSession(database, place, 'write');
    return await aboutIn(database, place);
  } finally {
    await database.close();
  }
}

async function connect(place: PostgresPlace): Promise<PostgresDatabase> {
  const { default: pg } = await import('pg');
  const name = postgresName(place);
  const client = new pg.Client(await clientConfig(place, 'write'));
  // A broken connection fails the next statement; nobody else needs to know.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw failed(name, cause);
  }
  return new PostgresDatabase(client, name);
}

async function aboutIn(
  database: PostgresDatabase,
  place: PostgresPlace,
): Promise<About | undefined> {
  const names = await tablesOf(database, place);
  if (names.length === 0) return undefined;
  const about = names.includes(ABOUT.name) ? await readAbout(database) : undefined;
  if (about !== undefined) return about;
  throw new HistoryRefused(
    'foreign',
    `${postgresName(place)} has tables, but they are not a history: give it a schema of its own`,
  );
}

async function tablesOf(
  database: PostgresDatabase,
  { schema }: PostgresPlace,
): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(
    'SELECT tablename::text AS name FROM pg_tables WHERE schemaname = ?',
  )(schema);
  return rows.map(({ name }) => name);
}

async function lockAlone(
  database: PostgresDatabase,
  place: PostgresPlace,
  { schemaVersion }: About,
): Promise<void> {
  await database.execute(`SELECT pg_advisory_unlock_shared(${lockKey(place.schema)})`);
  if (await tryLock(database, 'pg_try_advisory_lock', place)) return;
  throw new HistoryFailed(
    `history at ${postgresName(place)} has the older schema ${schemaVersion} and is in use: it is made anew ` +
      'once every program of that version has stopped',
  );
}

/** Downgrades the exclusive lock: there is no moment without it. */
async function shareLock(database: PostgresDatabase, { schema }: PostgresPlace): Promise<void> {
  const key = lockKey(schema);
  await database.execute(
    `SELECT pg_advisory_lock_shared(${key}); SELECT pg_advisory_unlock(${key})`,
  );
}

async function create(
  database: PostgresDatabase,
  { schema }: PostgresPlace,
  opening: Opening,
): Promise<void> {
  const tables = [ABOUT, ...opening.schema.tables].map(definition);
  await database.execute(`CREATE SCHEMA IF NOT EXISTS ${schema};\n${tables.join(';\n')}`);
  await writeAbout(database, opening);
}

async function dropTables(database: PostgresDatabase, place: PostgresPlace): Promise<void> {
  const names = await tablesOf(database, place);
  await database.execute(`DROP TABLE ${names.map((each) => `"${each}"`).join(', ')}`);
}

/** Every amount, price and id fits into 64 bits; sums that might not are stored in two columns or capped. */
const TYPES: Readonly<Record<Column, string>> = {
  integer: 'bigint NOT NULL',
  'integer?': 'bigint',
  text: 'text COLLATE "C" NOT NULL',
  bytes: 'bytea NOT NULL',
};

function definition({ name, columns, key, indexes = [] }: Table): string {
  const lines = Object.entries(columns).map(([column, type]) => `${column} ${TYPES[type]}`);
  const table = `CREATE TABLE ${name} (${lines.join(', ')}, PRIMARY KEY (${key.join(', ')}))`;
  const each = indexes.map((index) => {
    const where = index.where === undefined ? '' : ` WHERE ${index.where}`;
    return `CREATE INDEX ${index.name} ON ${name} (${index.columns.join(', ')})${where}`;
  });
  return [table, ...each].join(';\n');
}

const describe = (place: PostgresPlace): Described => ({
  name: postgresName(place),
  again: `drop its schema to have it made again (DROP SCHEMA ${place.schema} CASCADE)`,
  other: 'give this venue a schema or a database of its own (history.schema)',
});
