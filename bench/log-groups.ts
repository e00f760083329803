import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogServers } from '../scripts/log-servers.ts';
import type { Journal } from '../src/journal/journal.ts';
import { openMemory } from '../src/journal/memory.ts';
import { openSegments } from '../src/journal/segments.ts';
import { leaderOf } from '../src/replication/leader.fixture.ts';
import { openNatsLog } from '../src/replication/nats-log.ts';
import type { Figure } from './figures.ts';

export type GroupFigures = {
  readonly entriesPerGroup: number;
  readonly groupsPerSecond: number;
  readonly commandsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
};

/** About the size of a command with its digest. */
const ENTRY_BYTES = 200;
export const GROUP_SIZES = [1, 64, 256, 1_024];

/** Appends groups one after another, as the sequencer does. */
export async function appendGroups(
  journal: Journal,
  entriesPerGroup: number,
  groups: number,
): Promise<GroupFigures> {
  const entries = Array.from({ length: entriesPerGroup }, () => new Uint8Array(ENTRY_BYTES));
  const tookMs: number[] = [];
  for (let group = 0; group < groups; group++) {
    const beganMs = performance.now();
    await journal.append(entries, journal.lastSequence + 1);
    tookMs.push(performance.now() - beganMs);
  }
  tookMs.sort((one, other) => one - other);
  const seconds = tookMs.reduce((sum, ms) => sum + ms, 0) / 1_000;
  const at = (part: number): number => Number((tookMs[Math.floor(groups * part)] ?? 0).toFixed(2));
  return {
    entriesPerGroup,
    groupsPerSecond: Math.round(groups / seconds),
    commandsPerSecond: Math.round((groups * entriesPerGroup) / seconds),
    medianMs: at(0.5),
    p99Ms: at(0.99),
  };
}

/** Appends to three log servers, each of which fsyncs, alternating with a local journal that fsyncs. */
export async function benchLogGroups(servers: LogServers, groups: number): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-bench-'));
  const log = await openNatsLog({ servers: servers.servers, stream: 'groups', name: 'groups' });
  const disk = await openSegments({ directory: join(directory, 'journal'), stamp: 'bench' });
  try {
    await log.create('groups', 3);
    const replicated = await leaderOf(log, openMemory());
    const figures: Figure[] = [];
    for (const size of GROUP_SIZES) {
      const local = await appendGroups(disk, size, groups);
      const remote = await appendGroups(replicated, size, groups);
      const name = `groups of ${size} on three log servers`;
      const to = 'of a local journal with fsync';
      figures.push(
        {
          ...{ id: 'C1', name, value: remote.groupsPerSecond, unit: 'groups/s', to },
          ratio: remote.groupsPerSecond / local.groupsPerSecond,
        },
        {
          ...{ id: 'C1', name: `${name}, p50 (p99 ${remote.p99Ms} ms)`, value: remote.medianMs },
          ...{ unit: 'ms', ratio: remote.medianMs / local.medianMs, to },
        },
      );
    }
    return figures;
  } finally {
    await log.close();
    await disk.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
