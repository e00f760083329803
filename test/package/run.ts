import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '../cli/running.ts';
import { installPacked, MODULE_BOT, npm, REQUIRE_BOT, runBot } from './packed.ts';

/**
 * `npm run package-check`: the package in an empty project, its bots on every supported Node.js. Downloads
 * those from the registry (Linux, x64 and arm64).
 */
const VERSIONS = ['20', '22', '24'];
const NODE = `node-linux-${process.arch}`;

const packed = await installPacked();
const handout = join(packed.project, 'venue.json');
const files = ['--data', join(packed.project, 'data'), '--handout', handout];
const venue = startProgram(['dev', '--port', '0', '--market', 'off', '--limits', 'off', ...files], {
  program: join(packed.project, 'node_modules/rialto/dist/bin/rialto.mjs'),
});
try {
  await venue.until({ file: handout });
  for (const version of VERSIONS) {
    const folder = join(packed.project, `node-${version}`);
    mkdirSync(folder);
    await npm(folder, 'install', '--prefix', folder, '--no-save', `${NODE}@${version}`);
    const node = join(folder, 'node_modules', NODE, 'bin/node');
    const bots = { 'bot.mjs': MODULE_BOT, 'bot.cjs': REQUIRE_BOT };
    for (const [name, text] of Object.entries(bots)) {
      const result = await runBot(packed, { name, text, node }, handout);
      console.log(name, JSON.stringify(result));
      if (result.placed !== 'OPEN' || !result.canceled) process.exitCode = 1;
    }
  }
} finally {
  await venue.stop();
  packed.remove();
}
