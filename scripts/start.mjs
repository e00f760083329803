// `npm start` and `npm run rialto`: installs what is missing, then starts the pinned runtime. `--bench ARGS`
// runs the benchmarks the same way, `--script FILE ARGS` another program of the project from its source.
import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { installIfNeeded, pinnedNode, root } from './install.mjs';
import { useBundle } from './kept-bundles.mjs';
import { benchFile, programFile } from './program.mjs';
import { runtimeFlags } from './runtime.mjs';

const given = process.argv.slice(2);
const isVenue = given[0] !== '--script' && given[0] !== '--bench';
installIfNeeded(isVenue ? 'production' : 'everything');
const [file, args] = chosen();
const flags = runtimeFlags(join(root, 'scripts'));
// npm runs scripts in the project folder; paths are relative to the user's current folder.
const cwd = isVenue ? (process.env.INIT_CWD ?? process.cwd()) : root;
// Saves compiling again at the second start.
const cache = join(root, 'node_modules/.cache/compiled');
const env = { NODE_COMPILE_CACHE: cache, ...process.env };
// Benchmarks, tests and drills start what users run.
if (!isVenue) env.RIALTO_PROGRAM ??= programFile();
const { pid } = handOver(pinnedNode(), [...flags, file, ...args], { cwd, env });
for (const used of [file, env.RIALTO_PROGRAM]) useBundle(used, pid);

function chosen() {
  if (isVenue) return [programFile(), given];
  if (given[0] === '--bench') return [benchFile(), given.slice(1)];
  return [join(root, given[1]), given.slice(2)];
}
