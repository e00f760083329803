import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER_HOST, type LocalCluster, startLocalCluster } from '../scripts/local-cluster.ts';
import { logServer } from '../scripts/log-server.ts';
import { benchJoin } from './cluster-join.ts';
import { benchPromotion } from './cluster-promotion.ts';
import { type Figure, median } from './figures.ts';
import { type LoadFigures, runLoad } from './load.ts';
import { benchLogGroups } from './log-groups.ts';
import { cpuMicroseconds, runtimeFlags, startVenue, stop } from './program.ts';
import { checkPlaced, Signer } from './rest.ts';

/**
 * The cluster: three log servers, engines and gateways as processes of this machine. C1 is the log alone, C2
 * is S3 over it, S6 is S3 through gateways, C3 kills a leader, in C4 a node joins. All of them share the
 * machine's cores with the clients.
 */
export type ClusterSizes = {
  /** Groups of each size for the log. */
  readonly groups: number;
  /** Signed requests per flood. */
  readonly requests: number;
  readonly rounds: number;
  /** Orders before the first figure, per process that takes requests. */
  readonly warmUp: number;
  readonly kills: number;
  /** Open orders of the venue that a node joins. */
  readonly openOrders: number;
};

const CONNECTIONS = 64;
const GATEWAYS = [1, 2, 4];
/** Signatures are valid for a minute. */
const FLOOD_MAX = 10_000;
/** Follower, history and standbys continue for a moment after the last answer: that is part of the cost. */
const SETTLE_MS = 500;

export async function benchCluster(sizes: ClusterSizes): Promise<Figure[]> {
  const found = logServer();
  if ('missing' in found) {
    console.error(`the cluster was left out: ${found.missing}`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'rialto-bench-'));
  try {
    const { program } = found;
    const nodeFlags = runtimeFlags();
    const cluster = await startLocalCluster({
      ...{ program, folder: join(folder, 'venue'), nodeFlags, gateways: Math.max(...GATEWAYS) },
      later: ['engine-2', 'engine-3', 'gateway-1', 'gateway-2', 'gateway-3', 'gateway-4'],
    });
    const figures: Figure[] = [];
    try {
      await cluster.untilLed();
      figures.push(...(await benchLogGroups(cluster.servers, sizes.groups)));
      figures.push(...(await benchReplicated(cluster, sizes)));
      figures.push(...(await benchGateways(cluster, sizes)));
      figures.push(...(await benchPromotion(cluster, sizes.kills)));
    } finally {
      await cluster.stop();
    }
    const { openOrders } = sizes;
    const join4 = { program, folder: join(folder, 'joined'), nodeFlags, openOrders };
    return [...figures, ...(await benchJoin(join4))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * C2: signed orders directly to an engine alone whose journal is on the log, compared with a venue with its
 * own journal.
 */
async function benchReplicated(cluster: LocalCluster, sizes: ClusterSizes): Promise<Figure[]> {
  const { requests, rounds, warmUp } = sizes;
  const venue = await startVenue(runtimeFlags());
  try {
    const [engine] = cluster.engines;
    const local: Flooded[] = [];
    const replicated: Flooded[] = [];
    const log: number[] = [];
    const floodLocal = (count: number): Promise<Flooded> =>
      flood(
        { ports: [venue.port], handout: venue.handout, host: `localhost:${venue.port}` },
        count,
        [venue.child.pid],
      );
    const floodCluster = (count: number, pids: readonly (number | undefined)[]) =>
      flood({ ...clientsOf(cluster), ports: [portOf(engine?.url)] }, count, pids);
    await floodLocal(warmUp);
    await floodCluster(warmUp, []);
    for (let round = 0; round < rounds; round++) {
      local.push(await floodLocal(requests));
      const before = logCpu(cluster);
      replicated.push(await floodCluster(requests, [engine?.pid()]));
      log.push((logCpu(cluster) - before) / requests);
    }
    return replicatedFigures(local, replicated, median(log));
  } finally {
    await stop(venue.child);
    rmSync(venue.directory, { recursive: true, force: true });
  }
}

const logCpu = ({ servers }: LocalCluster): number =>
  servers.pids().reduce((sum, pid) => sum + cpuMicroseconds({ pid }), 0);

function replicatedFigures(
  local: readonly Flooded[],
  replicated: readonly Flooded[],
  logPerOrder: number,
): Figure[] {
  const figure = (name: string, unit: string, of: (taken: Flooded) => number): Figure => {
    const value = median(replicated.map(of));
    const ratio = value / median(local.map(of));
    return { id: 'C2', name, value, unit, ratio, to: 'with a local journal' };
  };
  const name = 'signed REST over the log, one order';
  return [
    figure(name, 'requests/s', ({ perSecond }) => perSecond),
    figure(`${name}, its engine`, 'us CPU', ({ cpuPerOrder }) => cpuPerOrder),
    { id: 'C2', name: `${name}, three log servers`, value: logPerOrder, unit: 'us CPU' },
    figure(`${name}, p50`, 'ms', ({ p50Ms }) => p50Ms),
    figure(`${name}, p99`, 'ms', ({ p99Ms }) => p99Ms),
  ];
}

/**
 * S6: the same through 1, 2 and 4 gateways, and back again, so that a change in the machine's speed favours
 * none.
 */
async function benchGateways(cluster: LocalCluster, sizes: ClusterSizes): Promise<Figure[]> {
  const { requests, warmUp } = sizes;
  const taken = new Map<number, Flooded[]>(GATEWAYS.map((count) => [count, []]));
  const measure = async (count: number): Promise<void> => {
    const chosen = cluster.gateways.slice(0, count);
    for (const gateway of cluster.gateways.slice(count)) await gateway.end();
    const cold = chosen.filter((gateway) => !gateway.isWanted());
    for (const gateway of cold) gateway.start();
    await cluster.untilAllUp();
    const clients = clientsOf(cluster);
    for (const gateway of cold) {
      await flood({ ...clients, ports: [portOf(gateway.url)] }, warmUp, []);
    }
    const ports = chosen.map(({ url }) => portOf(url));
    const pids = [...chosen, ...cluster.engines].flatMap((node) => node.pid() ?? []);
    taken.get(count)?.push(await flood({ ...clients, ports }, requests, pids));
  };
  for (const count of [...GATEWAYS, ...GATEWAYS.toReversed()]) await measure(count);
  const rateOf = (count: number): number =>
    mean((taken.get(count) ?? []).map(({ perSecond }) => perSecond));
  const cpuOf = (count: number): number =>
    mean((taken.get(count) ?? []).map(({ cpuPerOrder }) => cpuPerOrder));
  return GATEWAYS.flatMap((count) => {
    const name = `signed REST through ${count} gateway${count === 1 ? '' : 's'}, one leader`;
    const [rate, cpu] = [rateOf(count), cpuOf(count)];
    const cpuFigure = {
      id: 'S6',
      name: `${name}, engine and gateways`,
      value: cpu,
      unit: 'us CPU',
    };
    const figure = { id: 'S6', name, value: rate, unit: 'requests/s' };
    if (count === 1) return [figure, cpuFigure];
    const ratio = rate / rateOf(1);
    const goal = { goal: '>= 1 of one', isMet: ratio >= 1 };
    return [
      { ...figure, ratio, to: 'of one', ...goal },
      { ...cpuFigure, ratio: cpu / cpuOf(1), to: "one's" },
    ];
  });
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

type Flooded = LoadFigures & { readonly cpuPerOrder: number };
type Clients = {
  readonly ports: readonly number[];
  readonly handout: LocalCluster['handout'];
  readonly host: string;
};

const clientsOf = ({ handout }: LocalCluster): Omit<Clients, 'ports'> => ({
  handout,
  host: CLUSTER_HOST,
});
const portOf = (url = ''): number => Number(new URL(url).port);

/** Sends signed orders, and returns what the given processes used for each. */
async function flood(
  { ports, handout, host }: Clients,
  count: number,
  pids: readonly (number | undefined)[],
): Promise<Flooded> {
  const used = (): number => pids.reduce<number>((sum, pid) => sum + cpuMicroseconds({ pid }), 0);
  const before = used();
  const signer = new Signer(handout, host);
  const taken: LoadFigures[] = [];
  for (let sent = 0; sent < count; sent += FLOOD_MAX) {
    const requests = signer.requests(Math.min(FLOOD_MAX, count - sent), 1);
    taken.push(await runLoad({ ports, requests, connections: CONNECTIONS, check: checkPlaced }));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return {
    perSecond: median(taken.map(({ perSecond }) => perSecond)),
    p50Ms: median(taken.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(taken.map(({ p99Ms }) => p99Ms)),
    cpuPerOrder: (used() - before) / count,
  };
}
