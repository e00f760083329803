import { existsSync } from 'node:fs';
import {
  openToRead,
  openToWrite,
  peek,
  type Reached,
  readAbout,
  readReached,
  verify,
} from './database.ts';
import { SCHEMA } from './subjects.ts';

type Place = { readonly file: string; readonly stamp: string };

/**
 * Prepares a history to read: creates it when there is none, rebuilds it when its schema is older, and
 * refuses one that is another venue's, newer or damaged. Returns its cursor: the program compares it
 * with the journal, because a history that is ahead of the journal does not belong to it.
 */
export function prepareHistory({ file, stamp }: Place): number {
  const database = openToWrite({ file, stamp, schema: SCHEMA });
  try {
    return readAbout(database, file)?.cursor ?? 0;
  } finally {
    database.close();
  }
}

/**
 * How far a history has come, without changing it: 0 when there is none, or when its schema is
 * older and it will begin again. Does not check whose it is; opening it does.
 */
export function historyCursor(file: string): number {
  const about = existsSync(file) ? peek(file) : undefined;
  return about === undefined || about.schemaVersion < SCHEMA.version ? 0 : about.cursor;
}

/**
 * Reads the whole file and refuses it when it is damaged. For `verify`, not for every start. Returns
 * how far it has come.
 */
export function verifyHistory({ file, stamp }: Place): Reached {
  const database = openToRead({ file, stamp, schema: SCHEMA });
  try {
    verify(database, file);
    return readReached(database);
  } finally {
    database.close();
  }
}
