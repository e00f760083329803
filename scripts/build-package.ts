import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { builtSite } from '../src/site.ts';
import { bundle } from './bundle.ts';

/**
 * Builds the content of the npm package in `dist/`: the program as a bundle, the SDK as ESM and CommonJS with
 * its types, the trading page as it is served, and the command that starts it all.
 */
const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const PARTS = ['program', 'lib', 'cjs', 'page', 'docs', 'bin'];
/** A relative path as a declaration names it. */
const IMPORTED = /((?:from|import\()\s*'\.[^']*)\.ts'/g;
const STARTING = ['hand-over.mjs', 'runtime.mjs', 'runtime-flags.json'];

for (const part of PARTS) rmSync(join(DIST, part), { recursive: true, force: true });
compile();
addLicences(await bundle('program', join(DIST, 'program'), '..'));
await bundleForRequire();
await addPage();
addDocs();
addCommand();

function compile(): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const project = join(ROOT, 'scripts/tsconfig.package.json');
  execFileSync(process.execPath, [tsc, '-p', project, '--singleThreaded'], { stdio: 'inherit' });
  // Declarations keep the names of the source files.
  for (const path of filesIn(join(DIST, 'lib'), '.d.ts')) {
    rewrite(join(DIST, 'lib', path), (text) => text.replaceAll(IMPORTED, "$1.js'"));
  }
}

/** The bundle contains third-party code, so its licences are included. */
function addLicences(files: readonly string[]): void {
  const found = new Map<string, string>();
  for (const file of files) {
    const folder = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];
    if (folder === undefined || found.has(folder)) continue;
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const text = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const words = text === undefined ? '' : readFileSync(join(folder, text), 'utf8').trim();
    found.set(folder, `${name} ${version} (${license})\n\n${words}\n`);
  }
  const parts = [...found.values()].sort();
  writeFileSync(join(DIST, 'program/LICENCES.txt'), parts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** One file including its libraries: older Node cannot `require` ES modules. */
async function bundleForRequire(): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: join(DIST, 'cjs'),
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      lib: { entry: 'src/client/index.ts', formats: ['cjs'], fileName: () => 'client.cjs' },
      rollupOptions: { external: ['ws', /^node:/] },
    },
  });
  // A CommonJS program may use the types of an ES module; the values come from here.
  const types = join(DIST, 'cjs/types');
  for (const path of filesIn(join(DIST, 'lib'), '.d.ts')) {
    const text = readFileSync(join(DIST, 'lib', path), 'utf8');
    mkdirSync(join(types, path, '..'), { recursive: true });
    writeFileSync(join(types, path), text);
  }
  writeFileSync(join(DIST, 'cjs/package.json'), '{ "type": "commonjs" }\n');
}

async function addPage(): Promise<void> {
  const folder = await builtSite();
  if (folder === undefined) throw new Error('the tools that build the page are missing: npm ci');
  cpSync(folder, join(DIST, 'page'), { recursive: true });
}

/** The sources of the pages below /docs. */
function addDocs(): void {
  mkdirSync(join(DIST, 'docs'), { recursive: true });
  for (const name of ['recorded.json', 'guides']) {
    cpSync(join(ROOT, 'docs', name), join(DIST, 'docs', name), { recursive: true });
  }
}

function addCommand(): void {
  mkdirSync(join(DIST, 'bin'), { recursive: true });
  for (const name of STARTING) cpSync(join(ROOT, 'scripts', name), join(DIST, 'bin', name));
  cpSync(join(ROOT, 'scripts/packed-rialto.mjs'), join(DIST, 'bin/rialto.mjs'));
}

function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(ending));
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
