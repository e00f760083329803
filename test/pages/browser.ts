import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { keepWhole } from '../../scripts/distribution-packages.ts';
import { headlessShell } from '../../scripts/headless-shell.ts';

/**
 * The Chromium that CHROMIUM names; else the one that npm has for Linux on x64, or the distribution's own on
 * another Linux. A string says why there is none. Only that is a reason to skip tests: a browser that exists
 * and does not start is a failure.
 */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser | string> {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) {
    if (!existsSync(named)) return `CHROMIUM is ${named}, which does not exist`;
    return chromium.launch({ executablePath: named, args: [...ARGS, ...flags] });
  }
  if (process.platform !== 'linux')
    return `no Chromium comes with npm for ${process.platform}; set CHROMIUM`;
  if (process.arch !== 'x64') return openOfDistribution(flags);
  const { default: carried } = await import('@sparticuz/chromium');
  const args = [...ARGS, ...flags, ...carried.args.filter((flag) => !UNWANTED.test(flag))];
  const executablePath = await unpacked();
  try {
    return await chromium.launch({ executablePath, args });
  } catch (cause) {
    const lacks = /error while loading shared libraries: [^\n]*/.exec((cause as Error).message);
    if (lacks === null) throw cause;
    return `Chromium lacks a library of the system: ${lacks[0]}`;
  }
}

/** No graphics card, real or emulated: an emulated one took two thirds of the tests' time. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];

/**
 * Removed from npm's flags: with a single process, closing a page would end the browser; and the page keeps
 * its policy.
 */
const UNWANTED = /single-process|gpu|-gl=|angle|swiftshader|disable-web-security|insecure/;

async function openOfDistribution(flags: readonly string[]): Promise<Browser | string> {
  const found = headlessShell();
  if ('missing' in found) return found.missing;
  const { program, environment } = found;
  const env = { ...process.env, ...environment };
  return chromium.launch({ executablePath: program, args: [...ARGS, ...flags], env });
}

const CACHE = resolve('node_modules/.cache');
const UNPACK = `import('@sparticuz/chromium').then(({ default: carried }) => carried.executablePath())`;

/**
 * The package unpacks into the folder for temporary files, and takes a half-written file there for a complete
 * one: two concurrent workers got a browser that did not start. So it is unpacked into its own folder, which
 * is then renamed, and kept for the next run: unpacking takes longer than most tests.
 */
async function unpacked(): Promise<string> {
  const kept = join(CACHE, `chromium-${versionOf('@sparticuz/chromium')}`);
  const path = join(kept, 'chromium');
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${kept}-`);
  const child = spawn(process.execPath, ['-e', UNPACK], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`Chromium was not unpacked: ended with ${code}`);
  keepWhole(folder, kept);
  return path;
}

function versionOf(name: string): string {
  const main = createRequire(import.meta.url).resolve(name);
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name: found, version } = JSON.parse(readFileSync(file, 'utf8'));
    if (found === name) return version;
  }
  throw new Error(`${name} has no package.json`);
}
