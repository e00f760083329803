// Runs around `npm pack` and `npm publish`. The package is not the repository: it contains what was built,
// needs neither the build tools nor those of the tests, and runs no script when it is installed. So it has
// its own manifest, which replaces package.json only while npm packs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const MANIFEST = join(root, 'package.json');
const KEPT = join(root, 'dist/package.json.kept');
/** The packages that its files load by name: the program is a bundle, and the SDK's types use typebox. */
const LOADED = ['pg', 'pino', 'prom-client', 'typebox', 'ws'];

restore();
if (process.argv[2] === 'before') {
  execFileSync(
    process.execPath,
    [join(root, 'scripts/start.mjs'), '--script', 'scripts/build-package.ts'],
    {
      stdio: ['ignore', 2, 2],
    },
  );
  const text = readFileSync(MANIFEST, 'utf8');
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(KEPT, text);
  writeFileSync(MANIFEST, `${JSON.stringify(packed(JSON.parse(text)), null, 2)}\n`);
}

/** Also after an `npm pack` that was killed. */
function restore() {
  if (existsSync(KEPT)) renameSync(KEPT, MANIFEST);
}

function packed({ scripts, devDependencies, overrides, private: _, ...kept }) {
  const only = (parts, isKept) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => isKept(name)));
  const client = {
    import: { types: './dist/lib/client/index.d.ts', default: './dist/lib/client/index.js' },
    require: { types: './dist/cjs/types/client/index.d.ts', default: './dist/cjs/client.cjs' },
  };
  return {
    ...kept,
    exports: {
      '.': './dist/program/main.js',
      './client': client,
      './package.json': './package.json',
    },
    bin: { rialto: './dist/bin/rialto.mjs' },
    dependencies: only(kept.dependencies, (name) => LOADED.includes(name)),
    // The pinned runtime, but not the chain node of the tests.
    optionalDependencies: only(kept.optionalDependencies, (name) => !name.includes('anvil')),
    scripts: { postpack: scripts.postpack },
  };
}
