import { openMemory } from '../../src/journal/memory.ts';
import { leaderOf } from '../../src/replication/leader.fixture.ts';
import { openNatsLog } from '../../src/replication/nats-log.ts';
import { patiently, threeServers } from './real-servers.ts';

/** Of a command with its digest, about. */
const ENTRY_BYTES = 200;

export type LogFigures = {
  readonly entriesPerGroup: number;
  readonly groupsPerSecond: number;
  readonly commandsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
};

/** How quickly three real servers acknowledge groups, one after the other, as the sequencer appends them. */
export async function logFigures(groups: number): Promise<{
  readonly figures: readonly LogFigures[];
  readonly faults: readonly string[];
}> {
  const servers = await threeServers();
  if (servers === undefined) return { figures: [], faults: ['there is no log server here'] };
  const options = { servers: servers.servers, stream: 'figures', name: 'figures' };
  const log = await patiently(() => openNatsLog(options));
  try {
    await patiently(() => log.create('figures', 3));
    const journal = await leaderOf(log, openMemory());
    const figures: LogFigures[] = [];
    for (const entriesPerGroup of [1, 64, 256, 1_024]) {
      const entries = Array.from({ length: entriesPerGroup }, () => new Uint8Array(ENTRY_BYTES));
      const tookMs: number[] = [];
      for (let group = 0; group < groups; group++) {
        const beganMs = performance.now();
        await journal.append(entries, journal.lastSequence + 1);
        tookMs.push(performance.now() - beganMs);
      }
      tookMs.sort((one, other) => one - other);
      const seconds = tookMs.reduce((sum, ms) => sum + ms, 0) / 1_000;
      const at = (part: number): number =>
        Number((tookMs[Math.floor(groups * part)] ?? 0).toFixed(2));
      figures.push({
        entriesPerGroup,
        groupsPerSecond: Math.round(groups / seconds),
        commandsPerSecond: Math.round((groups * entriesPerGroup) / seconds),
        medianMs: at(0.5),
        p99Ms: at(0.99),
      });
    }
    return { figures, faults: [] };
  } finally {
    await log.close();
    await servers.stop();
  }
}
