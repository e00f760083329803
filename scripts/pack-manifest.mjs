// Around `npm pack` and `npm publish`. The package is not the repository: it holds what was built, needs neither the
// tools that built it nor those of the tests, and runs no script when it is installed. So it has a manifest of its own,
// which lies in package.json only while npm packs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const MANIFEST = join(root, 'package.json');
const KEPT = join(root, 'dist/package.json.kept');
/** The page and the program are made with them, and the package has both built. */
const BUILD_PARTS = [
  '@fontsource-variable/inter',
  '@vitejs/plugin-react',
  'lightweight-charts',
  'qrcode',
  'react',
  'react-dom',
  'rolldown',
  'vite',
];

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
  const without = (parts, dropped) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => !dropped.includes(name)));
  const client = {
    import: { types: './dist/lib/client/index.d.ts', default: './dist/lib/client/index.js' },
    require: { types: './dist/cjs/types/client/index.d.ts', default: './dist/cjs/client.cjs' },
  };
  const testNode = Object.keys(kept.optionalDependencies).filter((name) => name.includes('anvil'));
  return {
    ...kept,
    exports: { '.': './dist/lib/main.js', './client': client, './package.json': './package.json' },
    bin: { rialto: './dist/bin/rialto.mjs' },
    dependencies: without(kept.dependencies, BUILD_PARTS),
    optionalDependencies: without(kept.optionalDependencies, testNode),
    scripts: { postpack: scripts.postpack },
  };
}
