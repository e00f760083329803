// `npm start` and `npm run rialto`: installs what is missing, then hands over to the pinned runtime.
// `--script FILE ARGS` runs another program of the project the same way.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installIfNeeded, pinnedNode, root } from './install.mjs';

installIfNeeded();
const [first, ...rest] = process.argv.slice(2);
const [script, args] =
  first === '--script' ? [rest[0], rest.slice(1)] : ['src/cli/rialto.ts', process.argv.slice(2)];
// A larger young generation and deeper inlining (docs/PERFORMANCE.md says what they were seen to gain).
const flags = JSON.parse(readFileSync(join(root, 'scripts/runtime-flags.json'), 'utf8'));
const child = spawn(pinnedNode(), [...flags, join(root, script), ...args], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm does not pass its signals through the shell it starts: when that shell is gone, stop the venue.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
child.on('exit', (code, signal) => process.exit(signal ? 128 + 15 : (code ?? 1)));
