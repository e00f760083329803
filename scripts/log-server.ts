import { execFileSync, spawnSync } from 'node:child_process';
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
import { join } from 'node:path';

/** The program, or why there is none, in words. */
export type Found = { readonly program: string } | { readonly missing: string };

/** Older ones lose acknowledged messages or break the expected sequence. */
const OLDEST = [2, 12, 3] as const;
/** The distribution's release after the current one; packages of the current one are too old. */
const NEXT_RELEASE: Readonly<Record<string, { readonly suite: string; readonly part: string }>> = {
  debian: { suite: 'testing', part: 'main' },
  ubuntu: { suite: 'devel', part: 'universe' },
};

/**
 * The log server (nats-server) for tests and the drill: the one that RIALTO_LOG_SERVER names, the
 * machine's own where it is new enough, else the package of the distribution's next release, fetched
 * once with a list of sources of its own and unpacked into a cache folder. The system is not touched.
 */
export function logServer(): Found {
  const given = process.env['RIALTO_LOG_SERVER'];
  if (given !== undefined) {
    return isNewEnough(given)
      ? { program: given }
      : { missing: `RIALTO_LOG_SERVER=${given} is no nats-server of ${OLDEST.join('.')} or later` };
  }
  if (isNewEnough('nats-server')) return { program: 'nats-server' };
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rialto');
  const program = join(folder, 'log-server', 'usr', 'sbin', 'nats-server');
  if (isNewEnough(program)) return { program };
  try {
    fetchPackage(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    return {
      missing: `no nats-server here, and none could be fetched (${reason}): set RIALTO_LOG_SERVER`,
    };
  }
  return isNewEnough(program) ? { program } : { missing: `${program} does not run here` };
}

function isNewEnough(program: string): boolean {
  if (program.includes('/') && !existsSync(program)) return false;
  const { stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const found = /v(\d+)\.(\d+)\.(\d+)/.exec(stdout ?? '');
  if (status !== 0 || found === null) return false;
  const version = found.slice(1).map(Number);
  const at = OLDEST.findIndex((part, index) => part !== version[index]);
  return at === -1 || (version[at] ?? 0) > (OLDEST[at] ?? 0);
}

/** Unpacked aside and renamed, so that two who fetch at once do not meet. */
function fetchPackage(folder: string): void {
  const source = sourceOfDistribution();
  mkdirSync(folder, { recursive: true });
  const aside = mkdtempSync(join(folder, 'fetching-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'root']) {
      mkdirSync(join(aside, name), { recursive: true });
    }
    writeFileSync(join(aside, 'sources.list'), `${source}\n`);
    const options = [
      `Dir::Etc::sourcelist=${join(aside, 'sources.list')}`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${join(aside, 'lists')}`,
      `Dir::Cache=${join(aside, 'cache')}`,
      'APT::Sandbox::User=root',
      'Acquire::Languages=none',
      'Acquire::Retries=3',
    ].flatMap((option) => ['-o', option]);
    const apt = (...args: string[]): unknown =>
      execFileSync('apt-get', [...options, ...args], { cwd: aside, stdio: 'pipe' });
    apt('update');
    apt('download', 'nats-server');
    const file = readdirSync(aside).find((name) => name.endsWith('.deb'));
    if (file === undefined) throw new Error('apt-get fetched nothing');
    execFileSync('dpkg-deb', ['-x', join(aside, file), join(aside, 'root')], { stdio: 'pipe' });
    const place = join(folder, 'log-server');
    rmSync(place, { recursive: true, force: true });
    renameSync(join(aside, 'root'), place);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** A line of a sources list for the next release, with the address that this machine's own lists have. */
function sourceOfDistribution(): string {
  const { ID = '', VERSION_CODENAME = '' } = osRelease();
  const next = NEXT_RELEASE[ID];
  if (next === undefined) throw new Error(`no package is known for "${ID}"`);
  const found = aptSources().find(({ suites }) => suites.includes(VERSION_CODENAME));
  if (found === undefined) throw new Error(`the sources of apt have no ${VERSION_CODENAME}`);
  const key = found.signedBy === undefined ? '' : `[signed-by=${found.signedBy}] `;
  return `deb ${key}${found.uri} ${next.suite} ${next.part}`;
}

function osRelease(): Record<string, string> {
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

/** Both forms of files that apt reads. */
function aptSources(): AptSource[] {
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
