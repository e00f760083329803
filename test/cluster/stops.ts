import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LocalCluster,
  type LocalNode,
  startLocalCluster,
} from '../../scripts/local-cluster.ts';
import { logServer } from '../../scripts/log-server.ts';
import { startLoad } from './load.ts';

export type StopsReport = {
  readonly stops: number;
  readonly answered: number;
  /** How long each took to end. */
  readonly endedMs: Readonly<Record<string, readonly number[]>>;
  readonly faults: readonly string[];
};

const ROLES = ['leader', 'standby', 'gateway'] as const;
const MOMENTS = ['running', 'joining'] as const;
const CUTS: readonly (readonly ('in' | 'out')[])[] = [['in'], ['out'], ['in', 'out']];
/** How long units and containers wait before they kill. */
const END_WITHIN_MS = 10_000;
/** So that it is cut off at any moment of a start. */
const JOIN_MS = 4_000;

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/**
 * Under signed requests a node is cut off from its log, in one direction or both, while it runs or still
 * joins, and is asked to end. It must end within the time that a unit waits, come back, and nothing that was
 * answered may be missing.
 */
export async function runStops(count: number, random: () => number): Promise<StopsReport> {
  const found = logServer();
  if ('missing' in found) return { stops: 0, answered: 0, endedMs: {}, faults: [found.missing] };
  const folder = mkdtempSync(join(tmpdir(), 'rialto-stops-'));
  const cluster = await startLocalCluster({ program: found.program, folder, lines: true });
  const endedMs: Record<string, number[]> = {};
  const faults: string[] = [];
  try {
    await cluster.untilAllUp();
    const load = await startLoad(cluster);
    for (let at = 0; at < count; at++) {
      await cluster.untilAllUp();
      await load.moreAnswers(20);
      const role = ROLES[at % ROLES.length] as (typeof ROLES)[number];
      const moment = MOMENTS[Math.floor(at / ROLES.length) % MOMENTS.length];
      const cut = CUTS[Math.floor(random() * CUTS.length)] ?? [];
      const node = await nodeOf(cluster, role, random);
      if (moment === 'joining') {
        await node.end();
        node.start();
        await pause(JOIN_MS * random());
        node.cut(cut);
      } else node.cut(cut);
      await pause(2_000 * random());
      const tookMs = await ended(node);
      const what = `${role}, ${moment}, cut ${cut.join(' and ')}`;
      endedMs[what] = [...(endedMs[what] ?? []), tookMs];
      console.error(`  ${what}: ended in ${tookMs} ms`);
      if (tookMs > END_WITHIN_MS) faults.push(`${node.name} (${what}) took ${tookMs} ms to end`);
      node.cut([]);
      node.start();
    }
    await cluster.untilAllUp();
    await load.moreAnswers(20);
    await load.stop();
    const { answered } = load.counts();
    return { stops: count, answered, endedMs, faults: [...faults, ...load.faults] };
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function nodeOf(
  cluster: LocalCluster,
  role: (typeof ROLES)[number],
  random: () => number,
): Promise<LocalNode> {
  const leader = await cluster.untilLed();
  if (role === 'leader') return leader;
  const others = cluster.engines.filter((engine) => engine !== leader);
  const choice = role === 'gateway' ? cluster.gateways : others;
  return choice[Math.floor(random() * choice.length)] as LocalNode;
}

async function ended(node: LocalNode): Promise<number> {
  const sinceMs = performance.now();
  await Promise.race([node.end(), pause(3 * END_WITHIN_MS)]);
  const tookMs = Math.round(performance.now() - sinceMs);
  if (node.isRunning()) await node.kill();
  return tookMs;
}
