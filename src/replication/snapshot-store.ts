import { join } from 'node:path';
import type { BlobAttributes, Blobs } from './blobs.ts';

/** A snapshot that all nodes can reach: a state, and beside it a copy of a history that is a file. */
export type SharedSnapshot = {
  readonly name: string;
  readonly sequence: number;
  readonly node: string;
  readonly madeAt: string;
  /** The sequence of the copy of history, at least that of the state; undefined if there is none. */
  readonly historySequence: number | undefined;
};

/** What they belong to: venue, rules and layout, and the log. */
export type StoreOwner = { readonly stamp: string; readonly log: string };

const HISTORY = '.history';
/** Snapshots with another format of attributes are ignored. */
const FORMAT = '1';

/**
 * The snapshots of a cluster, in either kind of store. A snapshot exists once its state does: the copy of
 * history is put first and removed last.
 */
export class SnapshotStore {
  readonly #blobs: Blobs;
  readonly #owner: StoreOwner;

  constructor(blobs: Blobs, owner: StoreOwner) {
    this.#blobs = blobs;
    this.#owner = owner;
  }

  get place(): string {
    return this.#blobs.place;
  }

  /** Newest first, by their attributes; and the reasons why others cannot be used. */
  async list(): Promise<{
    readonly found: readonly SharedSnapshot[];
    readonly refused: readonly string[];
  }> {
    const found: SharedSnapshot[] = [];
    const refused: string[] = [];
    for (const { name, attributes } of await this.#blobs.list()) {
      if (name.endsWith(HISTORY)) continue;
      const fault = this.#faultOf(attributes);
      if (fault === undefined) found.push(snapshotOf(name, attributes));
      else refused.push(`snapshot ${name} in the ${this.place}: ${fault}`);
    }
    found.sort((one, other) => other.sequence - one.sequence || (one.name < other.name ? -1 : 1));
    return { found, refused };
  }

  async add(
    about: Omit<SharedSnapshot, 'name'>,
    files: { readonly state: string; readonly history: string | undefined },
  ): Promise<void> {
    const { sequence, node, madeAt, historySequence } = about;
    const name = `${String(sequence).padStart(20, '0')}.${node}`;
    const attributes = {
      ...{ format: FORMAT, sequence: String(sequence), node, madeAt, ...this.#owner },
      ...(historySequence === undefined ? {} : { historySequence: String(historySequence) }),
    };
    if (files.history !== undefined)
      await this.#blobs.put(name + HISTORY, files.history, attributes);
    await this.#blobs.put(name, files.state, attributes);
  }

  /** Copies both into a folder; rejects if they differ from what was put there. */
  async fetch(
    { name, historySequence }: SharedSnapshot,
    folder: string,
  ): Promise<{ readonly state: string; readonly history: string | undefined }> {
    const state = join(folder, 'state');
    await this.#blobs.get(name, state);
    if (historySequence === undefined) return { state, history: undefined };
    const history = join(folder, 'history');
    await this.#blobs.get(name + HISTORY, history);
    return { state, history };
  }

  /** Removes all but the newest ones. Snapshots of another layout or another log are left alone. */
  async prune(keep: number): Promise<readonly SharedSnapshot[]> {
    const { found } = await this.list();
    const removed = found.slice(keep);
    for (const { name } of removed) {
      await this.#blobs.remove(name);
      await this.#blobs.remove(name + HISTORY);
    }
    return removed;
  }

  close(): Promise<void> {
    return this.#blobs.close();
  }

  #faultOf(attributes: BlobAttributes): string | undefined {
    const { stamp, log } = this.#owner;
    if (attributes['format'] !== FORMAT) return 'it is none of this program';
    if (attributes['stamp'] !== stamp)
      return `it is of "${attributes['stamp']}", this node of "${stamp}"`;
    if (attributes['log'] !== log) return `it is of log ${attributes['log']}, this one is ${log}`;
    return undefined;
  }
}

function snapshotOf(name: string, attributes: BlobAttributes): SharedSnapshot {
  const history = attributes['historySequence'];
  return {
    name,
    sequence: Number(attributes['sequence']),
    node: attributes['node'] ?? '',
    madeAt: attributes['madeAt'] ?? '',
    historySequence: history === undefined ? undefined : Number(history),
  };
}
