import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';

/** All pages in one step: a copy in several steps would restart whenever the projector has written. */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies a history while it is written to, as of one moment. Returns whether there was one. */
export async function copyHistory(file: string, to: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  return true;
}
