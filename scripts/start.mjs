// `npm start` and `npm run rialto`: installs what is missing, then hands over to the pinned runtime.
// `--script FILE ARGS` runs another program of the project the same way.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handOver } from './hand-over.mjs';
import { installIfNeeded, pinnedNode, root } from './install.mjs';

const [first, ...rest] = process.argv.slice(2);
const isScript = first === '--script';
installIfNeeded(isScript ? 'everything' : 'production');
const [script, args] = isScript
  ? [rest[0], rest.slice(1)]
  : ['src/cli/rialto.ts', process.argv.slice(2)];
// A larger young generation and deeper inlining (docs/PERFORMANCE.md says what they were seen to gain).
const flags = JSON.parse(readFileSync(join(root, 'scripts/runtime-flags.json'), 'utf8'));
// npm runs scripts in the folder of the project; paths are meant from where the user stands.
const cwd = isScript ? root : (process.env.INIT_CWD ?? process.cwd());
// The second start need not strip types and compile again: that is half of its time.
const cache = join(root, 'node_modules/.cache/compiled');
const env = { NODE_COMPILE_CACHE: cache, ...process.env };
handOver(pinnedNode(), [...flags, join(root, script), ...args], { cwd, env });
