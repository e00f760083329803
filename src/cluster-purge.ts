import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterIn, logOfVenue, streamOf } from './cluster.ts';
import { beatsOf, withLog } from './cluster-admin.ts';
import { goodSnapshots, openSnapshotStore } from './cluster-snapshots.ts';
import type { VenueConfig } from './config.ts';
import { stampOf } from './engine/stamp.ts';
import { historyCursor } from './history/open.ts';
import { openSegments } from './journal/segments.ts';
import { LogCursor, placeOf } from './replication/log-cursor.ts';
import { decodeMessage } from './replication/message.ts';
import type { NatsLog } from './replication/nats-log.ts';

/**
 * The newest one might turn out to be damaged: the log is purged only if a node has a second one to start
 * from.
 */
const SNAPSHOTS_NEEDED = 2;

export type PurgeOptions = {
  /** Reports what would be removed, and changes nothing. */
  readonly isDryRun: boolean;
  /** Where removed entries are written first, as a journal; undefined to keep none. */
  readonly archive: string | undefined;
};

export type Purged = {
  /** The first message, and the first sequence, that stays. */
  readonly place: number;
  readonly sequence: number;
  /** Messages that were, or would be, removed. */
  readonly messages: number;
  /** What must stay, and why: the smallest place decides. */
  readonly bounds: readonly { readonly place: number; readonly words: string }[];
  /** Snapshots that cannot be used, with the reason. */
  readonly refused: readonly string[];
  readonly archivedTo: number | undefined;
};

/**
 * Removes the beginning of the log that nobody needs: what comes before the oldest good snapshot that is
 * kept, before what every running node has read, and before what history on a server has. A stopped node
 * whose journal ends earlier starts from a snapshot.
 */
export const purgeCluster = (config: VenueConfig, options: PurgeOptions): Promise<Purged> =>
  withLog(config, async (log) => {
    const cluster = clusterIn(config);
    const described = await streamOf(log, cluster);
    const of = logOfVenue(log, cluster, described);
    const store = await openSnapshotStore(of);
    const folder = mkdtempSync(join(tmpdir(), 'rialto-purge-'));
    try {
      const { good, refused } = await goodSnapshots({ ...of, store, folder });
      const oldest = good.at(-1);
      if (oldest === undefined || good.length < SNAPSHOTS_NEEDED) {
        throw new Error(
          `the ${store.place} has ${good.length} good snapshot${good.length === 1 ? '' : 's'}, and ${SNAPSHOTS_NEEDED} are needed: ` +
            `nothing is purged${refused.map((words) => `; ${words}`).join('')}`,
        );
      }
      const bounds = await boundsOf(log, config, oldest);
      const { firstPlace } = await log.end();
      const place = Math.max(firstPlace, Math.min(...bounds.map((bound) => bound.place)));
      const found = await log.at(place);
      const sequence = found === undefined ? 0 : decodeMessage(place, found.bytes).firstSequence;
      const plan = { place, sequence, messages: place - firstPlace, bounds, refused };
      if (options.isDryRun || place === firstPlace) return { ...plan, archivedTo: undefined };
      const { archive } = options;
      const archivedTo =
        archive === undefined
          ? undefined
          : await archived(log, { archive, venueId: of.venueId, before: place });
      await log.purgeBefore(place);
      return { ...plan, archivedTo };
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await store.close();
    }
  });

async function boundsOf(
  log: NatsLog,
  { history }: VenueConfig,
  oldest: { readonly sequence: number; readonly name: string },
): Promise<Purged['bounds']> {
  const bounds = [
    {
      place: await placeOf(log, oldest.sequence),
      words: `snapshot ${oldest.name}, the oldest good one that is kept`,
    },
  ];
  for (const { node, role, place } of await beatsOf(log)) {
    bounds.push({ place, words: `${role} ${node} has read up to here` });
  }
  if (history !== undefined) {
    const cursor = await historyCursor({ postgres: history });
    const place = cursor === 0 ? 1 : await placeOf(log, cursor);
    bounds.push({ place, words: `history is at sequence ${cursor}` });
  }
  return bounds;
}

/** Writes removed entries as a journal, after those of an earlier purge, and returns its last sequence. */
async function archived(
  log: NatsLog,
  to: { readonly archive: string; readonly venueId: string; readonly before: number },
): Promise<number> {
  const { firstPlace } = await log.end();
  const first = await log.at(firstPlace);
  if (first === undefined) throw new Error(`the log has no message ${firstPlace} any more`);
  const { firstSequence, node, writer } = decodeMessage(firstPlace, first.bytes);
  const journal = await openSegments({
    directory: join(to.archive, 'journal'),
    stamp: stampOf(to.venueId),
    beginsAfter: firstSequence - 1,
  });
  try {
    const { lastSequence } = journal;
    if (lastSequence < firstSequence - 1) {
      throw new Error(
        `the archive ${to.archive} ends at sequence ${lastSequence}, the log begins at ${firstSequence}: ` +
          'what is between them was purged without it; use another folder',
      );
    }
    const start = { place: firstPlace - 1, nextSequence: firstSequence };
    const cursor = new LogCursor({ ...start, leader: { node, writer } });
    await log.read(
      firstPlace,
      async (message) => {
        const sequence = cursor.nextSequence;
        const { entries } = cursor.accept(message);
        // An earlier purge may have been interrupted after the archive was written.
        const lacking = entries.slice(Math.max(0, journal.lastSequence + 1 - sequence));
        if (lacking.length > 0) await journal.append(lacking, journal.lastSequence + 1);
      },
      () => cursor.place >= to.before - 1,
    );
    return journal.lastSequence;
  } finally {
    await journal.close();
  }
}
