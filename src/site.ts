import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import type { Site, SiteFile, SiteState } from './api/server.ts';
import { HOME } from './home.ts';

/**
 * The trading page as files in memory. It is built from `web/` when somebody first requests it, by another
 * process at low priority, and kept under the hash of its sources: the next start finds it there.
 */
export type OpenSite = Site & { close(): void };

/** All sources of the page. */
const SOURCES = [
  ...['web', 'src/client', 'src/domain', 'src/wire', 'src/bytes'],
  ...['package-lock.json', 'vite.config.ts'],
];
const TOOL = 'node_modules/vite/bin/vite.js';
/** What only the page needs: production installs omit it. */
const NEEDED = [TOOL, 'node_modules/react', 'node_modules/lightweight-charts'];
const KEPT = 'dist';
/** Beside the program, in an installed package. */
const PACKED = 'page';

const BUILDING = 'The trading page is being built. It will be here in a few seconds.';
const NO_TOOLS =
  'The trading page has not been built, and the tools that build it are not installed: this is a production ' +
  'install. Run "npm ci" and "npm run build" where the venue is packed, and take its folder "dist" along.';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export function openSite(warn: (words: string) => void): OpenSite {
  let state: SiteState = { isComing: true, words: BUILDING };
  let begun: Promise<void> | undefined;
  let child: ChildProcess | undefined;
  const begin = async (): Promise<void> => {
    try {
      const folder = await builtSite((started) => {
        child = started;
      });
      state =
        folder === undefined
          ? { isComing: false, words: NO_TOOLS }
          : { files: await filesIn(folder) };
    } catch (cause) {
      const words = `The trading page could not be built.\n${(cause as Error).message}`;
      warn(words);
      state = { isComing: false, words };
    }
    child = undefined;
  };
  return {
    state: () => {
      begun ??= begin();
      return state;
    },
    settled: async () => {
      begun ??= begin();
      await begun;
      return state;
    },
    close: () => child?.kill(),
  };
}

/** The folder of the built page, which is built if needed; undefined if that is not possible. */
export async function builtSite(
  onChild: (child: ChildProcess) => void = () => undefined,
): Promise<string | undefined> {
  if (existsSync(join(HOME, PACKED, 'index.html'))) return join(HOME, PACKED);
  const kept = join(HOME, KEPT, `page-${await hashOfSources()}`);
  if (existsSync(join(kept, 'index.html'))) return kept;
  if (!NEEDED.every((path) => existsSync(join(HOME, path)))) return undefined;
  // Another venue may build the same now: each in its own folder, and one of them is kept.
  const made = `${kept}.${process.pid}-${threadId}`;
  await runBuild(made, onChild);
  await forgetOthers(kept, made);
  try {
    await rename(made, kept);
  } catch {
    await rm(made, { recursive: true, force: true });
  }
  return kept;
}

async function runBuild(outDir: string, onChild: (child: ChildProcess) => void): Promise<void> {
  await mkdir(dirname(outDir), { recursive: true });
  const child = spawn(
    process.execPath,
    [join(HOME, TOOL), 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'],
    {
      cwd: HOME,
      stdio: ['ignore', 'ignore', 'pipe'],
      // Whatever environment started this venue: the page is built for production.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  onChild(child);
  if (child.pid !== undefined) setPriority(child.pid, 5);
  let errorText = '';
  child.stderr?.on('data', (text: Buffer) => {
    errorText = (errorText + text.toString()).slice(-4_000);
  });
  const code = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code === 0) return;
  await rm(outDir, { recursive: true, force: true });
  throw new Error(errorText.trim() || `the build ended with ${code}`);
}

/** Removes pages of other sources. One that is being built has its process id after a dot. */
async function forgetOthers(kept: string, made: string): Promise<void> {
  const folder = dirname(kept);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!/^page-[0-9a-f]+$/.test(name) || path === kept || path === made) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const path of await pathsOf(join(HOME, source))) {
      hash.update(`${path.slice(HOME.length)}\n`).update(await readFile(path));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function pathsOf(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  if (extname(path) !== '') return [path];
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const compressed = promisify(gzip);

async function filesIn(folder: string): Promise<Map<string, SiteFile>> {
  const files = new Map<string, SiteFile>();
  for (const path of (await pathsOf(folder)).sort()) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const bytes = await readFile(path);
    const packed =
      extname(path) === '.woff2' ? {} : { gzip: await compressed(bytes, { level: 9 }) };
    files.set(path.slice(folder.length).replaceAll('\\', '/'), { type, bytes, ...packed });
  }
  return files;
}
