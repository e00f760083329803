import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Programs for tests and the drill that npm does not have are taken from packages of the distribution. The
 * system is not changed.
 */

/** The program, or why there is none, as text. */
export type Found = { readonly program: string } | { readonly missing: string };

export const cacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rialto');

export const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message.split('\n')[0] : undefined) ?? String(cause);

export type PackagesRequest = {
  readonly names: readonly string[];
  /** The folder that holds them afterwards: `usr`, `lib` and so on. */
  readonly place: string;
  /** A line of a sources list, if it is not the machine's own release. */
  readonly source?: string;
  /** If it is not the machine's own. */
  readonly architecture?: string;
  /** Also installs dependencies that the machine does not have. */
  readonly withWhatTheyNeed?: boolean;
};

/**
 * Downloaded with separate package lists, unpacked under a temporary name and renamed, so that two runs at
 * the same time do not conflict.
 */
export function unpackPackages(request: PackagesRequest): void {
  const { names, place, withWhatTheyNeed = false } = request;
  mkdirSync(dirname(place), { recursive: true });
  rmSync(place, { recursive: true, force: true });
  const aside = mkdtempSync(join(dirname(place), 'fetching-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'root']) {
      mkdirSync(join(aside, name), { recursive: true });
    }
    const options = optionsOf(aside, request).flatMap((option) => ['-o', option]);
    const apt = (...args: string[]): string =>
      execFileSync('apt-get', [...options, ...args], {
        ...{ cwd: aside, stdio: 'pipe', encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
      });
    apt('update');
    const wanted = withWhatTheyNeed
      ? apt('install', '--simulate', '--no-install-recommends', ...names)
          .split('\n')
          .flatMap((line) => /^Inst (\S+)/.exec(line)?.[1] ?? [])
      : names;
    apt('download', ...wanted);
    const files = readdirSync(aside).filter((name) => name.endsWith('.deb'));
    if (files.length < names.length) throw new Error('apt-get fetched nothing');
    for (const file of files) {
      execFileSync('dpkg-deb', ['-x', join(aside, file), join(aside, 'root')], { stdio: 'pipe' });
    }
    keepWhole(join(aside, 'root'), place);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Renames a complete folder; if another run was first, its folder stays: it may be in use. */
export function keepWhole(folder: string, place: string): void {
  try {
    renameSync(folder, place);
  } catch (cause) {
    if (!existsSync(place)) throw cause;
    rmSync(folder, { recursive: true, force: true });
  }
}

function optionsOf(aside: string, { source, architecture }: PackagesRequest): string[] {
  const options = [
    `Dir::State::lists=${join(aside, 'lists')}`,
    `Dir::Cache=${join(aside, 'cache')}`,
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=3',
  ];
  if (source !== undefined) {
    writeFileSync(join(aside, 'sources.list'), `${source}\n`);
    options.push(`Dir::Etc::sourcelist=${join(aside, 'sources.list')}`);
    options.push('Dir::Etc::sourceparts=-');
  }
  if (architecture !== undefined) {
    writeFileSync(join(aside, 'status'), '');
    options.push(`APT::Architecture=${architecture}`, `APT::Architectures::=${architecture}`);
    options.push(`Dir::State::status=${join(aside, 'status')}`);
  }
  return options;
}

export function osRelease(): Record<string, string> {
  const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
  const pairs = lines
    .map((line) => /^(\w+)="?([^"]*)"?$/.exec(line))
    .filter((pair) => pair !== null);
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

type AptSource = {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly signedBy: string | undefined;
};

/** Both file formats that apt reads. */
export function aptSources(): AptSource[] {
  const folder = '/etc/apt/sources.list.d';
  const more = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return ['/etc/apt/sources.list', ...more]
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return file.endsWith('.sources') ? blocksOf(text) : linesOf(text);
    });
}

const linesOf = (text: string): AptSource[] =>
  text.split('\n').flatMap((line) => {
    const found = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)/.exec(line.trim());
    if (found === null) return [];
    const [, options = '', uri = '', suite = ''] = found;
    return [{ uri, suites: [suite], signedBy: /signed-by=(\S+)/.exec(options)?.[1] }];
  });

const blocksOf = (text: string): AptSource[] =>
  text.split(/\n\s*\n/).flatMap((block) => {
    const member = (name: string): string[] =>
      new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(block)?.[1]?.trim().split(/\s+/) ?? [];
    const [uri] = member('URIs');
    if (uri === undefined || !member('Types').includes('deb')) return [];
    return [{ uri, suites: member('Suites'), signedBy: member('Signed-By')[0] }];
  });
