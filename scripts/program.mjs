// What `npm start` and `npm run bench` run: bundles of the sources, cached by their hash. Plain JS for any
// Node >= 20.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedNode, root } from './install.mjs';
import { forgetOldest } from './kept-bundles.mjs';

const KEPT_IN = join(root, 'dist');

/** The file that starts the program. */
export const programFile = () => bundledFile('program', 'src/cli/rialto.ts', ['src']);

/** The file that runs the benchmarks. */
export const benchFile = () => bundledFile('bench', 'bench/run.ts', ['src', 'bench']);

/** The source itself if it cannot be bundled: then Node reports what is wrong with it. */
function bundledFile(name, source, folders) {
  const kept = join(KEPT_IN, `${name}-${hashOf(folders)}`);
  const started = name === 'program' ? 'rialto.js' : `${name}.js`;
  if (existsSync(join(kept, started))) return join(kept, started);
  if (!existsSync(join(root, 'node_modules/rolldown'))) return join(root, source);
  // Another start may build the same bundle at this moment: each uses its own folder, and one of them is
  // kept.
  const made = `${kept}.${process.pid}`;
  const args = [join(root, 'scripts/bundle.ts'), name, made];
  const { status } = spawnSync(pinnedNode(), args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) rmSync(made, { recursive: true, force: true });
  else {
    keep(made, kept);
    forgetOldest(KEPT_IN, name);
  }
  return existsSync(join(kept, started)) ? join(kept, started) : join(root, source);
}

function keep(made, kept) {
  try {
    renameSync(made, kept);
  } catch {
    rmSync(made, { recursive: true, force: true });
  }
}

function hashOf(folders) {
  const hash = createHash('sha256');
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path))
      .map((path) => join(folder, path)),
  );
  for (const path of [...sources.sort(), 'scripts/bundle.ts', 'package-lock.json']) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex').slice(0, 16);
}
