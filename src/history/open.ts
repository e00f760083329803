import { type Reached, reachedReader } from './database.ts';
import { openToWrite, type Place, peek, verifyPlace } from './place.ts';
import { SCHEMA } from './subjects.ts';

type Named = Place & { readonly stamp: string };

/**
 * Prepares a history for reading: creates it if there is none, rebuilds it if its schema is older, and
 * refuses one that is another venue's, newer or damaged. Returns its cursor: the program compares it with the
 * journal, because a history that is ahead of the journal does not belong to it.
 */
export async function prepareHistory(place: Named): Promise<number> {
  const database = await openToWrite(place, { stamp: place.stamp, schema: SCHEMA });
  try {
    return (await reachedReader(database)()).sequence;
  } finally {
    await database.close();
  }
}

/**
 * How far a history is, without changing it: 0 if there is none, or if its schema is older and it will be
 * rebuilt. Does not check whose it is; opening it does.
 */
export async function historyCursor(place: Place): Promise<number> {
  const about = await peek(place);
  return about === undefined || about.schemaVersion < SCHEMA.version ? 0 : about.cursor;
}

/**
 * Whether preparing it would drop what an earlier version has written. Changes nothing; what is wrong with it
 * is said when it is opened.
 */
export async function isOlderHistory(place: Place): Promise<boolean> {
  try {
    const about = await peek(place);
    return about !== undefined && about.schemaVersion < SCHEMA.version;
  } catch {
    return false;
  }
}

/**
 * Refuses a history that is damaged or not this venue's; a file is read completely. For `verify`, not for
 * every start. Returns how far it is.
 */
export const verifyHistory = (place: Named): Promise<Reached> =>
  verifyPlace(place, { stamp: place.stamp, schema: SCHEMA });
