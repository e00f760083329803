import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAYOUT } from '../../src/engine/stamp.ts';

/** A program as users would get it, and its data layout. */
export type ProgramVersion = {
  readonly home: string;
  readonly program: string;
  readonly layout: string;
};

const RULES = /export const RULES_VERSION = (\d+);/;
const READERS = 'const READERS: Readonly<Record<string, Reader>> = {';

/**
 * The program as the next version: its rules version is one higher, and it reads what this one wrote. A copy
 * of the sources in an existing folder; the first is made from this project, each further one from the
 * previous one.
 */
export function nextVersion(folder: string, before?: ProgramVersion): ProgramVersion {
  const home = before?.home ?? '.';
  const layoutBefore = before?.layout ?? LAYOUT.name;
  const next = join(folder, `after-${layoutBefore.replaceAll(' ', '-')}`);
  mkdirSync(next);
  for (const name of ['src', 'package.json', 'scripts/bundle.ts']) {
    cpSync(join(home, name), join(next, name), { recursive: true });
  }
  symlinkSync(realpathSync('node_modules'), join(next, 'node_modules'));
  change(join(next, 'src/core/snapshot.ts'), RULES, (_, rules) => {
    return `export const RULES_VERSION = ${Number(rules) + 1};`;
  });
  const reader = `'${layoutBefore}': { version: 'the version before', read: (bytes) => factsOf(stateFrom(bytes)) },`;
  change(join(next, 'src/core/upgrade.ts'), READERS, (readers) => `${readers}\n  ${reader}`);
  if (before === undefined) {
    const imports = `import { stateFrom } from './snapshot.ts';\nimport { factsOf } from './upgrade/export.ts';\n`;
    change(join(next, 'src/core/upgrade.ts'), /^/, () => imports);
  }
  const bundled = join(next, 'dist/program');
  execFileSync(process.execPath, [join(next, 'scripts/bundle.ts'), 'program', bundled]);
  return { home: next, program: join(bundled, 'rialto.js'), layout: layoutIn(next) };
}

function change(file: string, part: string | RegExp, to: (...found: string[]) => string): void {
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(part, to);
  if (changed === text) throw new Error(`${file} does not have ${part}`);
  writeFileSync(file, changed);
}

function layoutIn(folder: string): string {
  const print = `import('./src/engine/stamp.ts').then(({ LAYOUT }) => console.log(LAYOUT.name))`;
  return execFileSync(process.execPath, ['-e', print], { cwd: folder, encoding: 'utf8' }).trim();
}
