// Shared by `npm start` and `npm test` on a fresh clone: plain JS for any Node >= 20.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinnedNodeFrom } from './runtime.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (path) => join(root, path);
const mtime = (path) => (existsSync(at(path)) ? statSync(at(path)).mtimeMs : 0);

const INSTALLED = 'node_modules/.package-lock.json';

/**
 * Installs what is missing or older than the lockfile. The production packages are enough to start a venue;
 * those for tests and scripts are added later, by a command that removes nothing: a venue may be running from
 * this folder.
 */
export function installIfNeeded(what) {
  const isInstalled = mtime(INSTALLED) >= mtime('package-lock.json');
  const hasTools = existsSync(at('node_modules/vitest'));
  if (isInstalled && (hasTools || what === 'production')) return;
  if (!existsSync(at('node_modules'))) {
    console.error('Installing dependencies (once, about half a minute) ...');
    npm('ci', ...(what === 'production' ? ['--omit=dev'] : []));
  } else {
    console.error('Adding dependencies that are missing ...');
    // Omitting development packages would remove installed ones.
    npm('install', '--no-save', ...(what === 'production' && !hasTools ? ['--omit=dev'] : []));
  }
}

function npm(...args) {
  const run = () =>
    spawnSync('npm', [...args, '--no-fund', '--no-audit'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    }).status;
  let status = run();
  if (status !== 0) {
    // What has been loaded is in npm's cache: the second time mostly needs what failed the first time.
    console.error('That failed. Once more ...');
    status = run();
  }
  if (status !== 0) process.exit(status ?? 1);
  // npm does not touch it if nothing was added.
  const now = new Date();
  if (existsSync(at(INSTALLED))) utimesSync(at(INSTALLED), now, now);
}

/** The pinned runtime, or this one if there is none for the platform. */
export const pinnedNode = () => pinnedNodeFrom(root) ?? process.execPath;
