// `npm start` and `npm run rialto`: installs what is missing, then hands over to the pinned runtime.
// `--bench ARGS` runs the benchmarks the same way, `--script FILE ARGS` another program of the project from its source.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { installIfNeeded, pinnedNode, root } from './install.mjs';
import { benchFile, programFile } from './program.mjs';

const given = process.argv.slice(2);
const isVenue = given[0] !== '--script' && given[0] !== '--bench';
installIfNeeded(isVenue ? 'production' : 'everything');
const [file, args] = chosen();
// A larger young generation and deeper inlining (docs/PERFORMANCE.md says what they were seen to gain).
const flags = JSON.parse(readFileSync(join(root, 'scripts/runtime-flags.json'), 'utf8'));
// npm runs scripts in the folder of the project; paths are meant from where the user stands.
const cwd = isVenue ? (process.env.INIT_CWD ?? process.cwd()) : root;
// The second start need not compile again.
const cache = join(root, 'node_modules/.cache/compiled');
const env = { NODE_COMPILE_CACHE: cache, ...process.env };
// Benchmarks, tests and drills start what users do.
if (!isVenue) env.RIALTO_PROGRAM ??= programFile();
handOver(pinnedNode(), [...flags, file, ...args], { cwd, env });

function chosen() {
  if (isVenue) return [programFile(), given];
  if (given[0] === '--bench') return [benchFile(), given.slice(1)];
  return [join(root, given[1]), given.slice(2)];
}
