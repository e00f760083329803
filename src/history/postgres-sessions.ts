import type { PoolClient } from 'pg';
import type { Opening } from './database.ts';
import {
  beginSession,
  checkToRead,
  clientConfig,
  PostgresDatabase,
  type PostgresPlace,
  postgresName,
} from './postgres.ts';
import { reasonOf } from './postgres-driver.ts';
import { HistoryFailed } from './refused.ts';
import type { Sessions } from './sessions.ts';

/** Queries that may wait for a connection; a server that is further behind gets no more. */
const WAITING_MAX = 256;
const IDLE_MS = 60_000;

/** A bounded number of connections, opened on demand. A broken one is dropped, and the next query opens another. */
export async function openPostgresSessions(
  place: PostgresPlace,
  opening: Opening,
): Promise<Sessions> {
  const { default: pg } = await import('pg');
  const name = postgresName(place);
  const pool = new pg.Pool({
    ...(await clientConfig(place, 'read')),
    max: place.connections,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
  });
  // Errors of idle connections: they are dropped, nothing else to do.
  pool.on('error', () => undefined);
  const known = new WeakMap<PoolClient, PostgresDatabase>();
  let cursor = 0;
  const databaseOf = async (client: PoolClient): Promise<PostgresDatabase> => {
    const found = known.get(client);
    if (found !== undefined) return found;
    const database = new PostgresDatabase(client, name);
    await beginSession(database, place, 'read');
    cursor = await checkToRead(database, place, opening);
    known.set(client, database);
    return database;
  };
  const use: Sessions['use'] = async (work) => {
    if (pool.waitingCount >= WAITING_MAX) {
      throw new HistoryFailed(`history at ${name} is slow, and too many reads wait for it`);
    }
    const client = await connected(() => pool.connect(), name);
    let isWhole = false;
    try {
      const result = await work(await databaseOf(client));
      isWhole = true;
      return result;
    } finally {
      // After a failure it may be in the middle of a transaction.
      client.release(!isWhole);
    }
  };
  try {
    await use(() => Promise.resolve());
  } catch (cause) {
    await pool.end();
    throw cause;
  }
  return {
    cursor,
    use,
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

async function connected(connect: () => Promise<PoolClient>, name: string): Promise<PoolClient> {
  try {
    return await connect();
  } catch (cause) {
    throw new HistoryFailed(`history at ${name}: ${reasonOf(cause)}`, { cause });
  }
}
