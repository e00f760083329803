import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocsFiles } from './api/server.ts';
import { HOME } from './home.ts';

/** Beside the program, in the repository and in an installed package alike. */
const FOLDER = join(HOME, 'docs');
/** What a newcomer reads first; the others follow by name. */
const READING_ORDER = ['quickstart', 'order-types', 'margin', 'cookbook', 'ccxt', 'running'];

export const docsFiles: DocsFiles = {
  read: async (name) => {
    try {
      return await readFile(join(FOLDER, name));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw cause;
    }
  },
  guides: async () => {
    const rank = (name: string): number => {
      const at = READING_ORDER.indexOf(name);
      return at < 0 ? READING_ORDER.length : at;
    };
    const names = await readdir(join(FOLDER, 'guides')).catch(() => []);
    return names
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -'.md'.length))
      .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  },
};
