import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Handout } from '../src/cli/handout.ts';
import { freePorts } from './free-ports.ts';
import { type LogServers, startLogServers } from './log-servers.ts';
import { PROGRAM } from './started-program.ts';

/** Three log servers, three engines and two gateways on this machine, with a demo venue: for the drill, tests and soaks. */
export type LocalCluster = {
  readonly servers: LogServers;
  readonly engines: readonly LocalNode[];
  readonly gateways: readonly LocalNode[];
  readonly handout: Handout;
  /** The engine that answers as a venue; undefined while none does. */
  leader(): Promise<LocalNode | undefined>;
  /** Until all engines answer, as a leader or as standbys, and all gateways. */
  untilAllUp(): Promise<void>;
  /** Until one answers; waits as long as a loaded machine may take. */
  untilLed(isMeant?: (engine: LocalNode) => boolean): Promise<LocalNode>;
  stop(): Promise<void>;
};

export type LocalNode = {
  readonly name: string;
  readonly url: string;
  readonly configFile: string;
  readonly data: string;
  isRunning(): boolean;
  /** Exit codes so far; null for a kill. */
  readonly exits: readonly (number | null)[];
  start(): void;
  /** kill -9; it stays down until it is started. */
  kill(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
};

/** What clients of any engine may sign for, so that the same bytes serve all of them. */
export const CLUSTER_HOST = 'rialto.cluster';
const ENGINES = ['engine-1', 'engine-2', 'engine-3'];
const GATEWAYS = ['gateway-1', 'gateway-2', 'gateway-3', 'gateway-4'];
/** Of a leader that was replaced: started again it is a standby. */
const LOST_LEAD = 75;
const START_WITHIN_MS = 120_000;

const rialto = (...args: string[]): string[] => [PROGRAM, ...args];
const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

export async function startLocalCluster(options: {
  readonly program: string;
  readonly folder: string;
  /** Gets what the engines print. */
  readonly onOutput?: (name: string, text: string) => void;
  /** Two unless set, four at most. */
  readonly gateways?: number;
}): Promise<LocalCluster> {
  const { program, folder, onOutput = () => undefined, gateways = 2 } = options;
  const servers = await startLogServers({ program, folder, count: 3 });
  try {
    return await startNodes(servers, { folder, onOutput, gateways });
  } catch (cause) {
    await servers.stop();
    throw cause;
  }
}

async function startNodes(
  servers: LogServers,
  options: {
    readonly folder: string;
    readonly onOutput: (name: string, text: string) => void;
    readonly gateways: number;
  },
): Promise<LocalCluster> {
  const { folder, onOutput } = options;
  const names = [...ENGINES, ...GATEWAYS.slice(0, options.gateways)];
  const dataOf = (name: string): string => join(folder, name);
  const handout = await makeVenue(dataOf('engine-1'), folder);
  // A node needs no more than what opens the venue's secrets: the rest comes from the log.
  for (const name of names.slice(1)) {
    mkdirSync(dataOf(name), { recursive: true });
    for (const file of ['master.key', 'operators.json', 'operator.json']) {
      copyFileSync(join(dataOf('engine-1'), file), join(dataOf(name), file));
    }
  }
  const ports = await freePorts(2 * names.length);
  const nodes = names.map((name, at) => {
    const [port, managementPort] = ports.slice(2 * at, 2 * at + 2);
    const configFile = join(folder, `${name}.json`);
    const url = `http://127.0.0.1:${port}`;
    const { servers: addresses, monitors } = servers;
    const cluster = { node: name, servers: addresses, monitors, url };
    const hostAliases = [CLUSTER_HOST];
    const config = {
      data: dataOf(name),
      port,
      managementPort,
      limits: false,
      hostAliases,
      cluster,
    };
    writeFileSync(configFile, `${JSON.stringify(config, null, 2)}\n`);
    return nodeOf({ name, url, configFile, data: dataOf(name), onOutput });
  });
  const engines = nodes.slice(0, ENGINES.length);
  const gateways = nodes.slice(ENGINES.length);
  const first = engines[0]?.configFile ?? '';
  execFileSync(process.execPath, rialto('cluster', 'create', '--config', first), { stdio: 'pipe' });
  for (const node of nodes) node.start();
  const leader = async (): Promise<LocalNode | undefined> => {
    const found = await Promise.all(engines.map(isOpen));
    return engines[found.indexOf(true)];
  };
  return {
    servers,
    engines,
    gateways,
    handout,
    leader,
    untilAllUp: async () => {
      const untilMs = Date.now() + START_WITHIN_MS;
      for (const node of nodes) {
        while ((await statusOf(node)) === undefined && Date.now() < untilMs) await pause(50);
      }
    },
    untilLed: async (isMeant = () => true) => {
      const untilMs = Date.now() + START_WITHIN_MS;
      while (Date.now() < untilMs) {
        const found = await leader();
        if (found !== undefined && isMeant(found)) return found;
        await pause(50);
      }
      throw new Error('no engine leads');
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await servers.stop();
    },
  };
}

/** A venue of `dev`, stopped: its journal is what the log begins with. */
async function makeVenue(data: string, folder: string): Promise<Handout> {
  const file = join(folder, 'handout.json');
  const args = ['dev', '--port', '0', '--data', data, '--handout', file, '--market', 'off'];
  const child = spawn(process.execPath, rialto(...args), { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const untilMs = Date.now() + START_WITHIN_MS;
  while (!existsSync(file) && child.exitCode === null && Date.now() < untilMs) await pause(25);
  if (!existsSync(file)) throw new Error(`the venue for the cluster did not start in ${data}`);
  const handout = JSON.parse(readFileSync(file, 'utf8')) as Handout;
  child.kill('SIGTERM');
  await exited;
  return handout;
}

function nodeOf(options: {
  readonly name: string;
  readonly url: string;
  readonly configFile: string;
  readonly data: string;
  readonly onOutput: (name: string, text: string) => void;
}): LocalNode {
  const { name, configFile, onOutput } = options;
  let child: ChildProcess | undefined;
  let isWanted = false;
  const exits: (number | null)[] = [];
  const run = (): void => {
    const role = name.startsWith('gateway') ? 'gateway' : 'engine';
    const args = rialto('serve', '--role', role, '--config', configFile);
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    started.stdout.on('data', (text: Buffer) => onOutput(name, text.toString()));
    started.stderr.on('data', (text: Buffer) => onOutput(name, text.toString()));
    started.once('exit', (code) => {
      exits.push(code);
      if (child === started) child = undefined;
      // What a unit does: any failure is tried again, a lost lead at once.
      if (isWanted)
        setTimeout(() => isWanted && child === undefined && run(), code === LOST_LEAD ? 0 : 500);
    });
  };
  return {
    ...options,
    exits,
    isRunning: () => child !== undefined,
    start: () => {
      isWanted = true;
      if (child === undefined) run();
    },
    kill: async () => {
      isWanted = false;
      const killed = child;
      if (killed === undefined) return;
      const exited = new Promise((resolve) => killed.once('exit', resolve));
      killed.kill('SIGCONT');
      killed.kill('SIGKILL');
      await exited;
    },
    signal: (signal) => void child?.kill(signal),
  };
}

const isOpen = async (engine: LocalNode): Promise<boolean> => (await statusOf(engine)) === 200;

/** 200 from a leader, 503 from a standby; undefined where nobody answers. */
async function statusOf({ url }: LocalNode): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(1_000);
    return (await fetch(`${url}/v3/markets`, { signal })).status;
  } catch {
    return undefined;
  }
}
