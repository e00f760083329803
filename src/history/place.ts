import type { About, Opening, Reached, WritableDatabase } from './database.ts';
import { reachedReader } from './database.ts';
import { openPostgresToWrite, type PostgresPlace, peekPostgres, postgresName } from './postgres.ts';
import { openPostgresSessions } from './postgres-sessions.ts';
import type { Sessions } from './sessions.ts';
import { oneSession } from './sessions.ts';
import { openFileToRead, openFileToWrite, peekFile, verifyFile } from './sqlite.ts';

/** Where history is stored: a file on this machine, or a PostgreSQL server that all nodes of a cluster share. */
export type Place = FilePlace | ServerPlace;
export type FilePlace = { readonly file: string };
export type ServerPlace = { readonly postgres: PostgresPlace };

/** For messages. */
export const nameOf = (place: Place): string =>
  'file' in place ? place.file : postgresName(place.postgres);

export const openToWrite = (place: Place, opening: Opening): Promise<WritableDatabase> =>
  'file' in place
    ? openFileToWrite({ ...opening, file: place.file })
    : openPostgresToWrite(place.postgres, opening);

/** Connections for reads; the history must have been prepared. */
export async function openSessions(place: Place, opening: Opening): Promise<Sessions> {
  if ('postgres' in place) return openPostgresSessions(place.postgres, opening);
  const database = await openFileToRead({ ...opening, file: place.file });
  return oneSession(database, (await reachedReader(database)()).sequence);
}

/** What a history says about itself, whoever wrote it; undefined if there is none. */
export const peek = (place: Place): Promise<About | undefined> =>
  'file' in place ? peekFile(place.file) : peekPostgres(place.postgres);

/**
 * Reads a whole file and refuses it if it is damaged. A server checks its own disks: there only the content's
 * description is read.
 */
export async function verifyPlace(place: Place, opening: Opening): Promise<Reached> {
  if ('file' in place) {
    const database = await openFileToRead({ ...opening, file: place.file });
    try {
      await verifyFile(place.file);
      return await reachedReader(database)();
    } finally {
      await database.close();
    }
  }
  const sessions = await openPostgresSessions(place.postgres, opening);
  try {
    return await sessions.use((database) => reachedReader(database)());
  } finally {
    await sessions.close();
  }
}
