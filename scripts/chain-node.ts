import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  cacheFolder,
  type Found,
  keepWhole,
  reasonOf,
  unpackPackages,
} from './distribution-packages.ts';

const PACKAGE = '@foundry-rs/anvil-linux-amd64';
const ROOT = join(import.meta.dirname, '..');
const MANIFEST = join(ROOT, 'package.json');

/**
 * The development node of a chain (anvil) for tests and soaks: the one that RIALTO_ANVIL names, or the one
 * installed by npm. npm has it for x64 only: on another Linux the same program runs in an emulator, with the
 * three libraries it needs, all downloaded once into a cache folder.
 */
export function chainNode(): Found {
  const given = process.env['RIALTO_ANVIL'];
  if (given !== undefined) {
    return runs(given)
      ? { program: given }
      : { missing: `RIALTO_ANVIL=${given} is no anvil that runs here` };
  }
  const brought = join(ROOT, 'node_modules', PACKAGE, 'bin', 'anvil');
  if (existsSync(brought)) return { program: brought };
  if (process.platform !== 'linux' || process.arch === 'x64') {
    return { missing: 'npm has brought no anvil for this platform: set RIALTO_ANVIL' };
  }
  const version = requestedVersion();
  const place = join(cacheFolder(), `anvil-${version}`);
  const program = join(place, 'anvil');
  if (runs(program)) return { program };
  try {
    fetchEmulated(place, version);
  } catch (cause) {
    return {
      missing: `npm has no anvil for ${process.arch}, and it could not be fetched to be emulated (${reasonOf(cause)}): set RIALTO_ANVIL`,
    };
  }
  return runs(program) ? { program } : { missing: `${program} does not run here` };
}

function requestedVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  return optionalDependencies[PACKAGE];
}

const runs = (program: string): boolean =>
  existsSync(program) && spawnSync(program, ['--version']).status === 0;

function fetchEmulated(place: string, version: string): void {
  mkdirSync(dirname(place), { recursive: true });
  rmSync(place, { recursive: true, force: true });
  const aside = mkdtempSync(`${place}-`);
  try {
    unpackPackages({ names: ['qemu-user-static'], place: join(aside, 'emulator') });
    const libraries = join(aside, 'libraries');
    unpackPackages({ names: ['libc6', 'libgcc-s1'], place: libraries, architecture: 'amd64' });
    // The emulator looks for the loader below its folder, but follows links from the root of the machine.
    const loader = join(libraries, 'lib64', 'ld-linux-x86-64.so.2');
    const target = readlinkSync(loader);
    if (target.startsWith('/')) {
      rmSync(loader);
      symlinkSync(relative(dirname(loader), join(libraries, target)), loader);
    }
    const file = execFileSync('npm', ['pack', '--silent', `${PACKAGE}@${version}`], {
      ...{ cwd: aside, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    }).trim();
    execFileSync('tar', ['xf', join(aside, file)], { cwd: aside, stdio: 'pipe' });
    rmSync(join(aside, file));
    const text = [
      '#!/bin/sh',
      'here=$(dirname "$0")',
      'exec "$here/emulator/usr/bin/qemu-x86_64-static" -L "$here/libraries" "$here/package/bin/anvil" "$@"',
    ];
    writeFileSync(join(aside, 'anvil'), `${text.join('\n')}\n`);
    chmodSync(join(aside, 'anvil'), 0o755);
    keepWhole(aside, place);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
