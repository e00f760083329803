import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterConfig } from './config-cluster.ts';
import { beginFrom, checkJoining, joinedAt, ownEnd, setAside } from './engine/join-snapshot.ts';
import { stampOf } from './engine/stamp.ts';
import { copyHistory } from './history/copy.ts';
import { historyCursor } from './history/open.ts';
import { writeAtomically } from './identity.ts';
import { peekSnapshots, snapshotName } from './journal/snapshots.ts';
import { openFolderBlobs } from './replication/folder-blobs.ts';
import { entryIn, firstSequenceIn } from './replication/log-cursor.ts';
import type { NatsLog } from './replication/nats-log.ts';
import { type SharedSnapshot, SnapshotStore } from './replication/snapshot-store.ts';

/** What a node knows about its log when it opens the cluster's snapshots. */
export type LogOfVenue = {
  readonly log: NatsLog;
  readonly cluster: ClusterConfig;
  readonly venueId: string;
  /** When the stream was created, and its number of replicas. */
  readonly madeAt: string;
  readonly replicas: number;
};

export async function openSnapshotStore(of: LogOfVenue): Promise<SnapshotStore> {
  const { cluster, venueId, madeAt, replicas } = of;
  const { stream, servers, node, credentialsFile, tls } = cluster;
  const { folder } = cluster.snapshots;
  const owner = { stamp: stampOf(venueId), log: `${stream} of ${madeAt}` };
  if (folder !== undefined) return new SnapshotStore(await openFolderBlobs(folder), owner);
  const { openNatsBlobs } = await import('./replication/nats-blobs.ts');
  const blobs = await openNatsBlobs({
    ...{ servers, name: `${node} snapshots`, credentialsFile, tls, replicas },
    bucket: `${stream}-snapshots`,
  });
  return new SnapshotStore(blobs, owner);
}

type Joining = LogOfVenue & {
  readonly data: string;
  readonly store: SnapshotStore;
  /** History is a file of this node, not on a server. */
  readonly hasHistoryFile: boolean;
  readonly isGateway: boolean;
  readonly onNotice: (words: string) => void;
};

/**
 * Runs before a node is opened: one without a journal, or whose journal ends before the log begins, starts
 * from the newest snapshot that is complete, of this log, and agrees with it. Returns the sequence after
 * which its files begin, 0 if they are complete.
 */
export async function joinFromSnapshot(joining: Joining): Promise<number> {
  const { data, log, onNotice, isGateway } = joining;
  const own = ownEnd(data, isGateway);
  const first = await firstSequenceIn(log);
  if (own >= first) return joinedAt(data);
  const refused: string[] = [];
  const found = await newestGood(joining, first, refused);
  for (const words of refused) onNotice(words);
  if (found === undefined) {
    if (first > 1) throw behind(own, first, joining.store.place);
    if (own === 0 && setAside(data)) onNotice(`what ${data} had without a journal is in aside/`);
    return 0;
  }
  const { snapshot, files, folder } = found;
  if (setAside(data)) onNotice(`what this node had, up to ${own}, is in ${join(data, 'aside')}`);
  const { state, history } = files;
  const { sequence } = snapshot;
  beginFrom(
    data,
    { sequence, state, ...(history === undefined ? {} : { history }) },
    writeAtomically,
  );
  await rm(folder, { recursive: true, force: true });
  onNotice(
    `this node begins with the snapshot of ${snapshot.node} at sequence ${sequence} ` +
      `(${joining.store.place}), and reads the log from there`,
  );
  return sequence;
}

const behind = (own: number, first: number, place: string): Error =>
  new Error(
    `the log begins at sequence ${first}, this node's journal ends at ${own}, and the ${place} has no snapshot ` +
      'that this node can begin with: start it from a backup of another one',
  );

type Good = {
  readonly snapshot: SharedSnapshot;
  readonly files: Awaited<ReturnType<SnapshotStore['fetch']>>;
  readonly folder: string;
};

async function newestGood(
  joining: Joining,
  first: number,
  refused: string[],
): Promise<Good | undefined> {
  const { data, store, log, venueId, hasHistoryFile } = joining;
  const listed = await store.list();
  refused.push(...listed.refused);
  for (const snapshot of listed.found) {
    const { sequence, name } = snapshot;
    if (sequence < first) break;
    const folder = mkdtempSync(join(data, 'joining-'));
    try {
      if (hasHistoryFile && snapshot.historySequence === undefined) {
        throw new Error('it has no history, and this node has no server for one');
      }
      const files = await store.fetch(snapshot, folder);
      const of = { file: files.state, sequence, venueId };
      await checkJoining({ ...of, entryIn: (at) => entryIn(log, at) });
      return { snapshot, files: hasHistoryFile ? files : { ...files, history: undefined }, folder };
    } catch (cause) {
      await rm(folder, { recursive: true, force: true });
      refused.push(`snapshot ${name} in the ${store.place} is not used: ${wordsOf(cause)}`);
    }
  }
  return undefined;
}

/** Reads each kept snapshot as a joining node would; returns the good ones, newest first. */
export async function goodSnapshots(
  of: LogOfVenue & { readonly store: SnapshotStore; readonly folder: string },
): Promise<{ readonly good: readonly SharedSnapshot[]; readonly refused: readonly string[] }> {
  const { store, log, venueId } = of;
  const listed = await store.list();
  const good: SharedSnapshot[] = [];
  const refused = [...listed.refused];
  for (const snapshot of listed.found) {
    const folder = mkdtempSync(join(of.folder, 'checking-'));
    try {
      const { state } = await store.fetch(snapshot, folder);
      const { sequence } = snapshot;
      await checkJoining({ file: state, sequence, venueId, entryIn: (at) => entryIn(log, at) });
      good.push(snapshot);
    } catch (cause) {
      refused.push(`snapshot ${snapshot.name} in the ${store.place}: ${wordsOf(cause)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return { good, refused };
}

export type KeeperParts = {
  readonly data: string;
  readonly cluster: ClusterConfig;
  readonly venueId: string;
  readonly store: SnapshotStore;
  readonly isLeader: () => boolean;
  /** The path of a history that is a file. */
  readonly historyFile: string | undefined;
  readonly every: (periodMs: number, run: () => void) => () => void;
  readonly onTrouble: (words: string) => void;
  readonly onNotice: (words: string) => void;
};

const CHECK_MS = 2_000;
/** A leader publishes one itself when the newest is this many intervals old: then no standby does. */
const LEADER_INTERVALS = 3;
const LEADER_LISTS = 15;

/**
 * Publishes the snapshots that this node's follower makes, so that all nodes can reach them. Standbys do it;
 * the first that has one serves all.
 */
export class SnapshotKeeper {
  readonly #parts: KeeperParts;
  readonly #stop: () => void;
  #working: Promise<void> | undefined;
  #newest = 0;
  #checks = 0;
  #failures = 0;
  #trouble: string | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#stop = parts.every(CHECK_MS, () => void this.storeIfDue());
  }

  /** For metrics: intervals since the newest one, and failures since the start. */
  reading(sequence: number): { readonly intervals: number; readonly failures: number } {
    const { everyCommands } = this.#parts.cluster.snapshots;
    return { intervals: (sequence - this.#newest) / everyCommands, failures: this.#failures };
  }

  /** One at a time; never rejects. */
  storeIfDue(): Promise<void> {
    this.#working ??= this.#keep()
      .then(() => {
        this.#trouble = undefined;
      })
      .catch((cause: unknown) => this.#failed(wordsOf(cause)))
      .finally(() => {
        this.#working = undefined;
      });
    return this.#working;
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#working;
  }

  async #keep(): Promise<void> {
    const { data, venueId, cluster, store, isLeader, historyFile, onNotice } = this.#parts;
    // Only the leader reports the age of the newest.
    if (isLeader() && this.#checks++ % LEADER_LISTS === 0) this.#newest = await this.#listed();
    const stamp = stampOf(venueId);
    // What the joining node's event log will lack must be in its history.
    const upTo =
      historyFile === undefined
        ? Number.MAX_SAFE_INTEGER
        : await historyCursor({ file: historyFile });
    const [own] = peekSnapshots(join(data, 'snapshots')).filter(
      (one) => one.stamp === stamp && one.sequence <= upTo,
    );
    if (own === undefined || own.sequence <= this.#newest) return;
    const { everyCommands, keep } = cluster.snapshots;
    const isNeeded = (): boolean => {
      const since = own.sequence - this.#newest;
      // The first one of this layout: without it no empty node could join.
      if (this.#newest === 0) return true;
      // Two standbys take theirs at about the same time.
      return since >= (isLeader() ? LEADER_INTERVALS * everyCommands : everyCommands / 2);
    };
    if (!isNeeded()) return;
    this.#newest = await this.#listed();
    if (own.sequence <= this.#newest || !isNeeded()) return;
    const folder = mkdtempSync(join(data, 'shelving-'));
    try {
      const history = await historyIn(folder, historyFile);
      const { sequence } = own;
      const about = { sequence, node: cluster.node, madeAt: new Date().toISOString() };
      const state = join(data, 'snapshots', snapshotName(sequence));
      await store.add(
        { ...about, historySequence: history?.sequence },
        { state, history: history?.file },
      );
      this.#newest = own.sequence;
      await store.prune(keep);
      onNotice(`the snapshot at sequence ${own.sequence} is in the ${store.place}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #listed(): Promise<number> {
    return (await this.#parts.store.list()).found[0]?.sequence ?? 0;
  }

  #failed(reason: string): void {
    this.#failures++;
    const words = `no snapshot was put into the ${this.#parts.store.place}: ${reason}`;
    if (words !== this.#trouble) this.#parts.onTrouble(words);
    this.#trouble = words;
  }
}

/** A copy of a history file, and its sequence. */
async function historyIn(
  folder: string,
  file: string | undefined,
): Promise<{ readonly file: string; readonly sequence: number } | undefined> {
  if (file === undefined) return undefined;
  const copy = join(folder, 'history.db');
  await copyHistory(file, copy);
  return { file: copy, sequence: await historyCursor({ file: copy }) };
}

/** Removes what a crash left of an unfinished snapshot. */
export async function removeUnfinished(data: string): Promise<void> {
  for (const name of readdirSync(data)) {
    if (!/^(joining|shelving|checking)-/.test(name)) continue;
    await rm(join(data, name), { recursive: true, force: true });
  }
}

const wordsOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);
