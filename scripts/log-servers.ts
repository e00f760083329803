import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';

/** Log servers on this machine, for tests and the drill: a cluster that fsyncs before it acknowledges. */
export type LogServers = {
  /** Addresses for clients. */
  readonly servers: readonly string[];
  /** Monitoring addresses, which report each server's configuration. */
  readonly monitors: readonly string[];
  readonly names: readonly string[];
  /** Process ids of the running servers. */
  pids(): number[];
  isRunning(at: number): boolean;
  /** kill -9. */
  kill(at: number): Promise<void>;
  pause(at: number): void;
  resume(at: number): void;
  /** The same server with the same disk. */
  start(at: number): void;
  /** Stops all of them, by their process ids. */
  stop(): Promise<void>;
};

export type LogServersOptions = {
  readonly program: string;
  /** Their disks and logs. */
  readonly folder: string;
  readonly count: number;
  /** `sync_interval`; only a test sets another one. */
  readonly sync?: string;
};

/** A silent client is dropped as quickly as a client drops a silent server. */
export const SERVER_SETTINGS = [
  'max_payload: 8MB',
  'ping_interval: "1s"',
  'ping_max: 2',
  'write_deadline: "2s"',
];

export async function startLogServers(options: LogServersOptions): Promise<LogServers> {
  const { program, folder, count, sync = 'always' } = options;
  const ports = await freePorts(3 * count);
  const portOf = (at: number, which: number): number => ports[3 * at + which] as number;
  const ats = Array.from({ length: count }, (_, at) => at);
  const names = ats.map((at) => `log-${at + 1}`);
  const routes = ats.map((at) => `nats-route://127.0.0.1:${portOf(at, 2)}`);
  for (const at of ats) {
    const home = join(folder, names[at] as string);
    mkdirSync(home, { recursive: true });
    const cluster =
      count === 1
        ? []
        : [
            `cluster { name: rialto, listen: "127.0.0.1:${portOf(at, 2)}", no_advertise: true, routes: [${routes.join(', ')}] }`,
          ];
    writeFileSync(
      join(home, 'server.conf'),
      [
        `server_name: ${names[at]}`,
        `listen: "127.0.0.1:${portOf(at, 0)}"`,
        `http: "127.0.0.1:${portOf(at, 1)}"`,
        ...SERVER_SETTINGS,
        `jetstream { store_dir: "${home}", sync_interval: ${sync}, max_memory_store: 0, max_file_store: 4GB }`,
        ...cluster,
        '',
      ].join('\n'),
    );
  }
  const running = new Map<number, ChildProcess>();
  const isRunning = (at: number): boolean => {
    const child = running.get(at);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  };
  const start = (at: number): void => {
    // A second server on the same port would exit, and the first would no longer be tracked.
    if (isRunning(at)) return;
    const home = join(folder, names[at] as string);
    const output = openSync(join(home, 'server.log'), 'a');
    const args = ['-c', join(home, 'server.conf')];
    running.set(at, spawn(program, args, { stdio: ['ignore', output, output] }));
  };
  const kill = async (at: number): Promise<void> => {
    const child = running.get(at);
    running.delete(at);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  };
  // Also when the run is aborted, or ends without asking them to stop.
  const killAll = (): void => {
    for (const child of running.values()) child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  ats.forEach(start);
  return {
    servers: ats.map((at) => `nats://127.0.0.1:${portOf(at, 0)}`),
    monitors: ats.map((at) => `http://127.0.0.1:${portOf(at, 1)}`),
    names,
    pids: () => [...running.values()].flatMap(({ pid }) => pid ?? []),
    isRunning,
    kill,
    pause: (at) => void running.get(at)?.kill('SIGSTOP'),
    resume: (at) => void running.get(at)?.kill('SIGCONT'),
    start,
    stop: async () => {
      for (const at of ats) await kill(at);
      process.off('exit', killAll);
    },
  };
}
