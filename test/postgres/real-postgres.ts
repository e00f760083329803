import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import {
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from '../../scripts/postgres-server.ts';
import type { PostgresPlace } from '../../src/history/history.ts';
import { SCHEMA } from '../../src/history/subjects.ts';

/** A server for a suite; undefined, with the reason on the terminal, if there is none. */
export async function onePostgres(): Promise<PostgresServer | undefined> {
  const found = postgresPrograms();
  if ('missing' in found) {
    if (process.env['CI'] === 'true') throw new Error(found.missing);
    console.warn(`skipped, tests against PostgreSQL: ${found.missing}`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'rialto-postgres-'));
  const server = await startPostgres({ found, folder, isDurable: false });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

let places = 0;

/** A new schema on the server. */
export const placeOn = ({ url }: Pick<PostgresServer, 'url'>): PostgresPlace => ({
  url,
  schema: `history_${++places}`,
  connections: 4,
});

/**
 * Reused places: creating the tables costs more than most tests do with them. A place is emptied after its
 * test.
 */
export function placesOn(server: Pick<PostgresServer, 'url'>): () => PostgresPlace {
  const free: PostgresPlace[] = [];
  return () => {
    const place = free.pop() ?? placeOn(server);
    onTestFinished(async () => {
      const deletes = SCHEMA.tables.map(({ name }) => `DELETE FROM ${name}`);
      await tamperOn(
        place,
        [...deletes, 'UPDATE about SET cursor = 0, cursor_ms = 0, events = 0'].join(';'),
      );
      free.push(place);
    });
    return place;
  };
}

/** Runs statements without the program; returns the rows of the last. */
export async function tamperOn(place: PostgresPlace, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    await client.query(`SET search_path TO ${place.schema}`);
    const results: unknown = await client.query(sql);
    const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryResult;
    return last.rows;
  } finally {
    await client.end();
  }
}

/** A user who has to give a password; everybody else is trusted. Returns the address with their name. */
export async function userWithPassword(place: PostgresPlace, password: string): Promise<string> {
  const name = `sealed_${place.schema}`;
  const [row] = await tamperOn(
    place,
    `CREATE ROLE ${name} LOGIN PASSWORD ${pg.escapeLiteral(password)};
     GRANT CREATE ON DATABASE postgres TO ${name};
     SHOW hba_file`,
  );
  const { hba_file: file } = row as { readonly hba_file: string };
  const rest = readFileSync(file, 'utf8');
  writeFileSync(file, `host all ${name} 127.0.0.1/32 scram-sha-256\n${rest}`);
  await tamperOn(place, 'SELECT pg_reload_conf()');
  const address = new URL(place.url);
  address.username = name;
  // The server reads the file again a moment after it was asked to.
  for (;;) {
    const client = new pg.Client({ connectionString: address.href });
    const entered = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (!entered) return address.href;
  }
}

/** Until it is released nobody can write this history, but it can be read. Locks its progress row. */
export async function holdHistory(
  place: PostgresPlace,
): Promise<{ readonly cursor: number; release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: place.url });
  // A failing test stops the server before it is released.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`SET search_path TO ${place.schema}`);
  await client.query('BEGIN');
  const { rows } = await client.query('SELECT cursor FROM about FOR UPDATE');
  return { cursor: Number(rows[0].cursor), release: () => client.end() };
}
