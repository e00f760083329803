// Type-checks the trading page. Without its packages (production install) there is nothing to check against.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedNode, root } from './install.mjs';

if (!existsSync(join(root, 'node_modules/react'))) {
  console.error('The page in web/ was not checked: its packages are not installed (npm ci).');
  process.exit(process.env.CI === 'true' ? 1 : 0);
}
const { status } = spawnSync(
  pinnedNode(),
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'web', '--singleThreaded'],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
