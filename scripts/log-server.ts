import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  aptSources,
  cacheFolder,
  type Found,
  osRelease,
  reasonOf,
  unpackPackages,
} from './distribution-packages.ts';

/** Older versions lose acknowledged messages or break the expected sequence. */
const OLDEST = [2, 12, 3] as const;
/** The distribution's release after the current one; packages of the current one are too old. */
const NEXT_RELEASE: Readonly<Record<string, { readonly suite: string; readonly part: string }>> = {
  debian: { suite: 'testing', part: 'main' },
  ubuntu: { suite: 'devel', part: 'universe' },
};

/**
 * The log server (nats-server) for tests and the drill: the one that RIALTO_LOG_SERVER names, the machine's
 * own if it is new enough, else the package of the distribution's next release, downloaded once with a
 * separate sources list and unpacked into a cache folder. The system is not changed.
 */
export function logServer(): Found {
  const given = process.env['RIALTO_LOG_SERVER'];
  if (given !== undefined) {
    return isNewEnough(given)
      ? { program: given }
      : { missing: `RIALTO_LOG_SERVER=${given} is no nats-server of ${OLDEST.join('.')} or later` };
  }
  if (isNewEnough('nats-server')) return { program: 'nats-server' };
  const place = join(cacheFolder(), 'log-server');
  const program = join(place, 'usr', 'sbin', 'nats-server');
  if (isNewEnough(program)) return { program };
  try {
    unpackPackages({ names: ['nats-server'], place, source: sourceOfDistribution() });
  } catch (cause) {
    return {
      missing: `no nats-server here, and none could be fetched (${reasonOf(cause)}): set RIALTO_LOG_SERVER`,
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

/** A line of a sources list for the next release, with the address from this machine's own lists. */
function sourceOfDistribution(): string {
  const { ID = '', VERSION_CODENAME = '' } = osRelease();
  const next = NEXT_RELEASE[ID];
  if (next === undefined) throw new Error(`no package is known for "${ID}"`);
  const found = aptSources().find(({ suites }) => suites.includes(VERSION_CODENAME));
  if (found === undefined) throw new Error(`the sources of apt have no ${VERSION_CODENAME}`);
  const key = found.signedBy === undefined ? '' : `[signed-by=${found.signedBy}] `;
  return `deb ${key}${found.uri} ${next.suite} ${next.part}`;
}
