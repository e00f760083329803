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
  /** The engine that answers as a leader; undefined if none does. */
  leader(): Promise<LocalNode | undefined>;
  /** Waits until all started nodes answer: engines as leader or standby, and gateways. */
  untilAllUp(): Promise<void>;
  /** Waits until one answers, as long as a loaded machine may take. */
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
  /** It was started, and neither killed nor stopped. */
  isWanted(): boolean;
  /** Exit codes so far; null for a kill. */
  readonly exits: readonly (number | null)[];
  start(): void;
  /** kill -9; it stays down until it is started. */
  kill(): Promise<void>;
  /** SIGTERM; it stays down until it is started. Resolves when it has ended. */
  end(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Removes its data, except what opens the venue's secrets; only while it is down. */
  wipe(): void;
  /**
   * Cuts its connections to the log servers in the given directions; an empty list restores them. Only with
   * `lines`.
   */
  cut(directions: readonly ('out' | 'in')[]): void;
};

/** The host that clients of any engine may sign for, so that the same bytes are valid for all of them. */
export const CLUSTER_HOST = 'rialto.cluster';
export const ENGINES = ['engine-1', 'engine-2', 'engine-3'];
export const GATEWAYS = ['gateway-1', 'gateway-2', 'gateway-3', 'gateway-4'];
/** A node needs only these: the rest comes from the log. */
const SECRETS = ['master.key', 'operators.json', 'operator.json'];
/** The exit code of a replaced leader: started again it is a standby. */
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
  /** Receives the output of the engines. */
  readonly onOutput?: (name: string, text: string) => void;
  /** The default is 2, the maximum 4. */
  readonly gateways?: number;
  /** The default is 3. */
  readonly engines?: number;
  /** The default is 3; fewer are not a valid log for a venue, and its nodes are started with --unsafe-log. */
  readonly logServers?: number;
  /** Puts proxies that can be cut between nodes and log servers. */
  readonly lines?: boolean;
  /** The address of a PostgreSQL server for the history of all nodes; without it each has its own file. */
  readonly history?: string | undefined;
  /** The `cluster.snapshots` of every node. */
  readonly snapshots?: Readonly<Record<string, unknown>>;
  /** Nodes that are not started with the others. */
  readonly later?: readonly string[];
  /** Runtime flags of every node. */
  readonly nodeFlags?: readonly string[];
  /** What nodes run from their next start on; by default the program of this run. */
  readonly rialto?: () => string;
  /** May append to the journal of the venue before the log is created from it. */
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
  // Asynchronous: the proxies to the log servers may be in this process.
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
        while ((await statusOf(node)) === undefined) {
          if (Date.now() > untilMs) throw new Error(`${node.name} is not up; ${endsOf(node)}`);
          await pause(50);
        }
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

/** A venue created with `dev`, stopped: the log begins with its journal. */
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
      // As a systemd unit does: any failure is restarted, a lost lead immediately.
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

/** A node that cannot listen, say, ends again and again. */
const endsOf = ({ exits }: LocalNode): string =>
  exits.length === 0 ? 'it runs' : `it has ended with ${exits.slice(-5).join(', ')}`;

const isOpen = async (engine: LocalNode): Promise<boolean> => (await statusOf(engine)) === 200;

/** 200 from a leader, 503 from a standby; undefined if nobody answers. */
async function statusOf({ url }: LocalNode): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(1_000);
    return (await fetch(`${url}/v3/markets`, { signal })).status;
  } catch {
    return undefined;
  }
}
