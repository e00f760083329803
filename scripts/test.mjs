// `npm test` on a fresh clone: installs what is missing, then runs the tests on the pinned runtime.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installIfNeeded, pinnedNode, root } from './install.mjs';
import { useBundle } from './kept-bundles.mjs';
import { programFile } from './program.mjs';

installIfNeeded('everything');
const program = process.env.RIALTO_PROGRAM ?? programFile();
useBundle(program, process.pid);
const { status } = spawnSync(
  pinnedNode(),
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
  // Tests start what users run.
  { cwd: root, stdio: 'inherit', env: { ...process.env, RIALTO_PROGRAM: program } },
);
process.exit(status ?? 1);
