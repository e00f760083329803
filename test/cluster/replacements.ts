import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type LocalCluster,
  type LocalNode,
  startLocalCluster,
} from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { PROGRAM } from '../../scripts/started-program.ts';
import { type Load, startLoad } from './load.ts';
import { nextVersion, type ProgramVersion } from './next-version.ts';

export type ReplacementsReport = {
  readonly replaced: number;
  readonly answered: number;
  readonly repeated: number;
  readonly reads: number;
  /** How long nothing was answered, and how long each node took to come back. */
  readonly gapsMs: Readonly<Record<string, readonly number[]>>;
  readonly backMs: Readonly<Record<string, readonly number[]>>;
  /** Messages that purges have removed. */
  readonly purged: number;
  readonly faults: readonly string[];
};

const run = promisify(execFile);
/** Small, so that there are several in a short run. */
const SNAPSHOTS = { everyCommands: 100, keep: 3 };

type Round = {
  readonly cluster: LocalCluster;
  readonly folder: string;
  /** The program that nodes run from their next start on. */
  readonly runFromNow: (program: string) => void;
  readonly load: Load;
  /** Records what happened to a node that is back. */
  readonly done: (what: string, node: LocalNode, sinceMs: number) => Promise<void>;
  readonly output: () => string;
  /** Reports progress. */
  readonly say: (words: string) => void;
};

/** The log is purged, and an engine with an empty disk joins, repeatedly, under signed requests. */
export const runJoins = (count: number, random: () => number): Promise<ReplacementsReport> =>
  underLoad(async ({ cluster, load, done, output, say }) => {
    let purged = 0;
    for (let at = 0; at < count; at++) {
      await load.moreAnswers(4 * SNAPSHOTS.everyCommands);
      const { messages, place } = await purge(cluster);
      purged += messages;
      say(`purged ${messages} messages, the log begins at ${place}`);
      const node = cluster.engines[Math.floor(random() * cluster.engines.length)] as LocalNode;
      await node.kill();
      node.wipe();
      const before = output().length;
      const sinceMs = performance.now();
      node.start();
      await done('an engine without a disk', node, sinceMs);
      if (!output().slice(before).includes('begins with the snapshot')) {
        throw new Error(`${node.name} came back without a snapshot`);
      }
    }
    return purged;
  });

/** Every gateway, then every engine, is stopped and restarted, as in a rolling upgrade. */
export const runUpgrades = (count: number): Promise<ReplacementsReport> =>
  underLoad(async ({ cluster, done }) => {
    for (let at = 0; at < count; at++) {
      const leader = await cluster.untilLed();
      const standbys = cluster.engines.filter((engine) => engine !== leader);
      for (const node of [...cluster.gateways, ...standbys, leader]) {
        await node.end();
        const sinceMs = performance.now();
        node.start();
        await done(node.name.replace(/-.*/, ''), node, sinceMs);
      }
    }
    return 0;
  });

/**
 * The log is closed for the nodes' data layout, and all of them continue as the next version, as units do if
 * it was installed before. Then an engine joins with an empty disk.
 */
export const runGates = (
  count: number,
  _random?: () => number,
  how: How = LOUD,
): Promise<ReplacementsReport> =>
  underLoad(async ({ cluster, folder, done, runFromNow }) => {
    let version: ProgramVersion | undefined;
    for (let at = 0; at < count; at++) {
      const next = nextVersion(folder, version);
      const { configFile } = await cluster.untilLed();
      runFromNow(next.program);
      const sinceMs = performance.now();
      const program = version?.program ?? PROGRAM;
      await run(process.execPath, [program, 'cluster', 'gate', '--config', configFile]);
      const led = await cluster.untilLed();
      await done('all nodes, the next version', led, sinceMs);
      const empty = cluster.engines.find((engine) => engine !== led) as LocalNode;
      await empty.kill();
      empty.wipe();
      const againMs = performance.now();
      empty.start();
      await done('an engine without a disk', empty, againMs);
      version = next;
    }
    return 0;
  }, how);

type Size = Pick<Parameters<typeof startLocalCluster>[0], 'engines' | 'gateways' | 'logServers'>;
type How = { readonly size: Size; readonly say: (words: string) => void };

const LOUD: How = { size: {}, say: (words) => console.error(`  ${words}`) };

async function underLoad(
  work: (round: Round) => Promise<number>,
  { size, say }: How = LOUD,
): Promise<ReplacementsReport> {
  const nothing = { replaced: 0, answered: 0, repeated: 0, reads: 0, purged: 0 };
  const found = logServer();
  if ('missing' in found) return { ...nothing, gapsMs: {}, backMs: {}, faults: [found.missing] };
  const folder = mkdtempSync(join(tmpdir(), 'rialto-replaced-'));
  let output = '';
  let program = PROGRAM;
  const cluster = await startLocalCluster({
    ...{ program: found.program, folder, snapshots: SNAPSHOTS, rialto: () => program, ...size },
    onOutput: (_, text) => {
      output += text;
    },
  });
  const gapsMs: Record<string, number[]> = {};
  const backMs: Record<string, number[]> = {};
  const faults: string[] = [];
  let replaced = 0;
  try {
    await cluster.untilAllUp();
    const load = await startLoad(cluster);
    await load.moreAnswers(50);
    load.restartGap();
    const done: Round['done'] = async (what, node, sinceMs) => {
      await cluster.untilAllUp();
      await load.moreAnswers(30);
      const backIn = Math.round(performance.now() - sinceMs);
      gapsMs[what] = [...(gapsMs[what] ?? []), load.longestGapMs()];
      backMs[what] = [...(backMs[what] ?? []), backIn];
      say(
        `${node.name}, ${what}: back in ${backIn} ms, ${load.longestGapMs()} ms without an answer`,
      );
      load.restartGap();
      replaced++;
    };
    const runFromNow = (next: string): void => {
      program = next;
    };
    const round = { cluster, load, done, folder, runFromNow, say, output: () => output };
    const purged = await work(round).catch((cause: Error) => {
      faults.push(cause.message);
      return 0;
    });
    await load.stop();
    const counts = { ...load.counts(), replaced, purged };
    return { ...counts, gapsMs, backMs, faults: [...faults, ...load.faults] };
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function purge({ engines }: LocalCluster): Promise<{ messages: number; place: number }> {
  const args = ['cluster', 'purge', '--json', '--config', engines[0]?.configFile ?? ''];
  const { stdout } = await run(process.execPath, [PROGRAM, ...args]);
  return JSON.parse(stdout) as { messages: number; place: number };
}
