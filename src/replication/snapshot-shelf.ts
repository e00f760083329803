import { join } from 'node:path';
import type { Blobs, BlobWords } from './blobs.ts';

/** A snapshot that all nodes can reach: a state, and beside it a copy of a history that is a file. */
export type ShelvedSnapshot = {
  readonly name: string;
  readonly sequence: number;
  readonly node: string;
  readonly madeAt: string;
  /** The sequence of the copy of history, at least that of the state; undefined if there is none. */
  readonly historySequence: number | undefined;
};

/** What they belong to: venue, rules and layout, and the log. */
export type ShelfOwner = { readonly stamp: string; readonly log: string };

const HISTORY = '.history';
/** Snapshots with another format of attributes are ignored. */
const FORMAT = '1';

/**
 * The snapshots of a cluster, in either kind of store. A snapshot exists once its state does: the copy of
 * history is put first and removed last.
 */
export class SnapshotShelf {
  readonly #blobs: Blobs;
  readonly #owner: ShelfOwner;

  constructor(blobs: Blobs, owner: ShelfOwner) {
    this.#blobs = blobs;
    this.#owner = owner;
  }

  get place(): string {
    return this.#blobs.place;
  }

  /** Newest first, by their attributes; and the reasons why others cannot be used. */
  async list(): Promise<{
    readonly found: readonly ShelvedSnapshot[];
    readonly refused: readonly string[];
  }> {
    const found: ShelvedSnapshot[] = [];
    const refused: string[] = [];
    for (const { name, words } of await this.#blobs.list()) {
      if (name.endsWith(HISTORY)) continue;
      const fault = this.#faultOf(words);
      if (fault === undefined) found.push(shelvedOf(name, words));
      else refused.push(`snapshot ${name} in the ${this.place}: ${fault}`);
    }
    found.sort((one, other) => other.sequence - one.sequence || (one.name < other.name ? -1 : 1));
    return { found, refused };
  }

  async add(
    about: Omit<ShelvedSnapshot, 'name'>,
    files: { readonly state: string; readonly history: string | undefined },
  ): Promise<void> {
    const { sequence, node, madeAt, historySequence } = about;
    const name = `${String(sequence).padStart(20, '0')}.${node}`;
    const words = {
      ...{ format: FORMAT, sequence: String(sequence), node, madeAt, ...this.#owner },
      ...(historySequence === undefined ? {} : { historySequence: String(historySequence) }),
    };
    if (files.history !== undefined) await this.#blobs.put(name + HISTORY, files.history, words);
    await this.#blobs.put(name, files.state, words);
  }

  /** Copies both into a folder; rejects if they differ from what was put there. */
  async fetch(
    { name, historySequence }: ShelvedSnapshot,
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
  async prune(keep: number): Promise<readonly ShelvedSnapshot[]> {
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

  #faultOf(words: BlobWords): string | undefined {
    const { stamp, log } = this.#owner;
    if (words['format'] !== FORMAT) return 'it is none of this program';
    if (words['stamp'] !== stamp) return `it is of "${words['stamp']}", this node of "${stamp}"`;
    if (words['log'] !== log) return `it is of log ${words['log']}, this one is ${log}`;
    return undefined;
  }
}

function shelvedOf(name: string, words: BlobWords): ShelvedSnapshot {
  const history = words['historySequence'];
  return {
    name,
    sequence: Number(words['sequence']),
    node: words['node'] ?? '',
    madeAt: words['madeAt'] ?? '',
    historySequence: history === undefined ? undefined : Number(history),
  };
}
