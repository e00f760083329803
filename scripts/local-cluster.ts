import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Handout } from '../src/cli/handout.ts';
import { freePorts } from './free-ports.ts';
import { type LogServers, startLogServers } from './log-servers.ts';
import { PROGRAM } from './started-program.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** Three log servers, three engines and two gateways on this machine, with a demo venue: for the drill, tests and soaks. */
export type LocalCluster = {
  readonly servers: LogServers;
  readonly engines: readonly LocalNode[];
  readonly gateways: readonly LocalNode[];
  readonly handout: Handout;
  /** The engine that answers as a venue; undefined while none does. */
  leader(): Promise<LocalNode | undefined>;
  /** Until all nodes that were started answer: engines as a leader or as standbys, and gateways. */
  untilAllUp(): Promise<void>;
  /** Until one answers; waits as long as a loaded machine may take. */
  untilLed(isMeant?: (engine: LocalNode) => boolean): Promise<LocalNode>;
  stop(): Promise<void>;
};

export type LocalNode = {
  readonly name: string;
  readonly url: string;
  readonly managementUrl: string;
  readonly configFile: string;
  readonly data: string;
  isRunning(): boolean;
  pid(): number | undefined;
  /** It was started, and neither killed nor ended. */
  isWanted(): boolean;
  /** Exit codes so far; null for a kill. */
  readonly exits: readonly (number | null)[];
  start(): void;
  /** kill -9; it stays down until it is started. */
  kill(): Promise<void>;
  /** SIGTERM; it stays down until it is started. Resolves when it has ended. */
  end(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Removes all that it has but what opens the venue's secrets; of one that is down. */
  wipe(): void;
  /** Its lines to the log servers, in the directions named; none named makes them whole. Only with `lines`. */
  cut(directions: readonly ('out' | 'in')[]): void;
};

/** What clients of any engine may sign for, so that the same bytes serve all of them. */
export const CLUSTER_HOST = 'rialto.cluster';
export const ENGINES = ['engine-1', 'engine-2', 'engine-3'];
export const GATEWAYS = ['gateway-1', 'gateway-2', 'gateway-3', 'gateway-4'];
/** A node needs no more: the rest comes from the log. */
const SECRETS = ['master.key', 'operators.json', 'operator.json'];
/** Of a leader that was replaced: started again it is a standby. */
const LOST_LEAD = 75;
const START_WITHIN_MS = 120_000;

const run = promisify(execFile);
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
  /** Three unless set. */
  readonly engines?: number;
  /** Three unless set; fewer are no log for a venue, and its nodes are started with --unsafe-log. */
  readonly logServers?: number;
  /** Between nodes and log servers lie lines that can be cut. */
  readonly lines?: boolean;
  /** The address of a PostgreSQL server for the history of all nodes; without it each has a file of its own. */
  readonly history?: string | undefined;
  /** The `cluster.snapshots` of every node. */
  readonly snapshots?: Readonly<Record<string, unknown>>;
  /** Nodes that are not started with the others. */
  readonly later?: readonly string[];
  /** Flags of the runtime of every node. */
  readonly nodeFlags?: readonly string[];
  /** What nodes run from their next start on; the program of this run unless set. */
  readonly rialto?: () => string;
  /** May add to the journal of the venue before the log is made of it. */
  readonly onVenue?: (data: string) => Promise<void>;
}): Promise<LocalCluster> {
  const { program, folder, onOutput = () => undefined, gateways = 2, lines = false } = options;
  const { history } = options;
  const { engines = 3, logServers: count = 3 } = options;
  const servers = await startLogServers({ program, folder, count });
  try {
    const isUnsafe = count < 3;
    const { snapshots, later = [], nodeFlags = [], rialto = () => PROGRAM, onVenue } = options;
    return await startNodes(servers, {
      ...{ folder, onOutput, engines, gateways, lines, isUnsafe, history, snapshots },
      ...{ later, nodeFlags, rialto, onVenue },
    });
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
    readonly engines: number;
    readonly gateways: number;
    readonly lines: boolean;
    readonly isUnsafe: boolean;
    readonly history: string | undefined;
    readonly snapshots: Readonly<Record<string, unknown>> | undefined;
    readonly later: readonly string[];
    readonly nodeFlags: readonly string[];
    readonly rialto: () => string;
    readonly onVenue: ((data: string) => Promise<void>) | undefined;
  },
): Promise<LocalCluster> {
  const { folder, onOutput } = options;
  const engineNames = ENGINES.slice(0, options.engines);
  const names = [...engineNames, ...GATEWAYS.slice(0, options.gateways)];
  const unsafe = options.isUnsafe ? ['--unsafe-log'] : [];
  const dataOf = (name: string): string => join(folder, name);
  const handout = await makeVenue(dataOf('engine-1'), folder);
  await options.onVenue?.(dataOf('engine-1'));
  for (const name of names.slice(1)) {
    mkdirSync(dataOf(name), { recursive: true });
    for (const file of SECRETS) {
      copyFileSync(join(dataOf('engine-1'), file), join(dataOf(name), file));
    }
  }
  const ports = await freePorts(2 * names.length);
  const proxies = new Map<string, TcpProxy[]>();
  for (const name of options.lines ? names : []) {
    proxies.set(name, await linesTo(servers.servers));
  }
  const nodes = names.map((name, at) => {
    const [port, managementPort] = ports.slice(2 * at, 2 * at + 2);
    const configFile = join(folder, `${name}.json`);
    const url = `http://127.0.0.1:${port}`;
    const managementUrl = `http://127.0.0.1:${managementPort}`;
    const { monitors } = servers;
    const own = proxies.get(name);
    const addresses = own?.map((line) => `nats://127.0.0.1:${line.port}`) ?? servers.servers;
    const { snapshots } = options;
    const cluster = { node: name, servers: addresses, monitors, url, snapshots };
    const hostAliases = [CLUSTER_HOST];
    const config = {
      data: dataOf(name),
      port,
      managementPort,
      limits: false,
      hostAliases,
      cluster,
      ...(options.history === undefined ? {} : { history: { postgres: options.history } }),
    };
    writeFileSync(configFile, `${JSON.stringify(config, null, 2)}\n`);
    return nodeOf({
      ...{ name, url, managementUrl, configFile, data: dataOf(name), onOutput },
      ...{ lines: own ?? [], args: unsafe, nodeFlags: options.nodeFlags, rialto: options.rialto },
    });
  });
  const engines = nodes.slice(0, engineNames.length);
  const gateways = nodes.slice(engineNames.length);
  const first = engines[0]?.configFile ?? '';
  // Not synchronously: the lines to the log servers may lie in this program.
  await run(process.execPath, rialto('cluster', 'create', '--config', first, ...unsafe));
  for (const node of nodes) if (!options.later.includes(node.name)) node.start();
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
      for (const node of nodes.filter((one) => one.isWanted())) {
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
      await Promise.all([...proxies.values()].flat().map((line) => line.close()));
    },
  };
}

async function linesTo(servers: readonly string[]): Promise<TcpProxy[]> {
  const ports = await freePorts(servers.length);
  return Promise.all(
    servers.map((server, at) => startTcpProxy(ports[at] as number, Number(new URL(server).port))),
  );
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
  readonly managementUrl: string;
  readonly configFile: string;
  readonly data: string;
  readonly onOutput: (name: string, text: string) => void;
  readonly lines: readonly TcpProxy[];
  readonly args: readonly string[];
  readonly nodeFlags: readonly string[];
  readonly rialto: () => string;
}): LocalNode {
  const { name, configFile, onOutput, lines } = options;
  let child: ChildProcess | undefined;
  let isWanted = false;
  const exits: (number | null)[] = [];
  const start = (): void => {
    const role = name.startsWith('gateway') ? 'gateway' : 'engine';
    const args = ['serve', '--role', role, '--config', configFile, ...options.args];
    const started = spawn(process.execPath, [...options.nodeFlags, options.rialto(), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    started.stdout.on('data', (text: Buffer) => onOutput(name, text.toString()));
    started.stderr.on('data', (text: Buffer) => onOutput(name, text.toString()));
    started.once('exit', (code) => {
      exits.push(code);
      if (child === started) child = undefined;
      // What a unit does: any failure is tried again, a lost lead at once.
      if (isWanted)
        setTimeout(() => isWanted && child === undefined && start(), code === LOST_LEAD ? 0 : 500);
    });
  };
  return {
    ...options,
    exits,
    isRunning: () => child !== undefined,
    isWanted: () => isWanted,
    pid: () => child?.pid,
    start: () => {
      isWanted = true;
      if (child === undefined) start();
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
    end: async () => {
      isWanted = false;
      const ended = child;
      if (ended === undefined) return;
      const exited = new Promise((resolve) => ended.once('exit', resolve));
      ended.kill('SIGTERM');
      await exited;
    },
    signal: (signal) => void child?.kill(signal),
    wipe: () => {
      for (const file of readdirSync(options.data)) {
        if (!SECRETS.includes(file)) rmSync(join(options.data, file), { recursive: true });
      }
    },
    cut: (directions) => {
      for (const line of lines) {
        if (directions.length === 0) line.heal();
        else line.cut(directions);
      }
    },
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
