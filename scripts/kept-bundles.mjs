// Which bundles in dist/ are kept: the newest, and those that a running program was started from.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Sources change back and forth: the bundle of a moment ago is often needed again. */
const KEPT_MAX = 4;
const USED_BY = 'used-by-';
/** Named by the hash of its sources. */
const BUNDLE = /-[0-9a-f]{16}$/;

/**
 * Keeps the bundle of this file for as long as the process runs: a venue starts threads from it when they are
 * first needed, and may run for months beside newer sources.
 */
export function useBundle(file, pid) {
  if (pid === undefined || file === undefined || !BUNDLE.test(dirname(file))) return;
  const mark = join(dirname(file), `${USED_BY}${pid}`);
  try {
    writeFileSync(mark, '');
  } catch {
    // In a folder that cannot be written nothing is deleted either.
    return;
  }
  process.on('exit', () => rmSync(mark, { force: true }));
}

export function forgetOldest(folder, bundle) {
  const timeOf = (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newestFirst = readdirSync(folder)
    .filter((name) => name.startsWith(`${bundle}-`) && BUNDLE.test(name))
    .sort((one, other) => timeOf(other) - timeOf(one));
  for (const name of newestFirst.slice(KEPT_MAX)) {
    if (!isUsed(join(folder, name))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isUsed(kept) {
  try {
    return readdirSync(kept).some((name) => name.startsWith(USED_BY) && isRunning(name));
  } catch {
    // Another start forgot it a moment ago.
    return false;
  }
}

function isRunning(mark) {
  try {
    return process.kill(Number(mark.slice(USED_BY.length)), 0);
  } catch (error) {
    // It runs, but belongs to somebody else.
    return error.code === 'EPERM';
  }
}
