import { appendGroups, GROUP_SIZES, type GroupFigures } from '../../bench/log-groups.ts';
import { openMemory } from '../../src/journal/memory.ts';
import { leaderOf } from '../../src/replication/leader.fixture.ts';
import { openNatsLog } from '../../src/replication/nats-log.ts';
import { threeServers, withRetry } from './real-servers.ts';

/** How fast three real servers acknowledge groups, one after another, as the sequencer appends them. */
export async function logFigures(groups: number): Promise<{
  readonly figures: readonly GroupFigures[];
  readonly faults: readonly string[];
}> {
  const servers = await threeServers();
  if (servers === undefined) return { figures: [], faults: ['there is no log server here'] };
  const options = { servers: servers.servers, stream: 'figures', name: 'figures' };
  const log = await withRetry(() => openNatsLog(options));
  try {
    await withRetry(() => log.create('figures', 3));
    const journal = await leaderOf(log, openMemory());
    const figures: GroupFigures[] = [];
    for (const size of GROUP_SIZES) figures.push(await appendGroups(journal, size, groups));
    return { figures, faults: [] };
  } finally {
    await log.close();
    await servers.stop();
  }
}
