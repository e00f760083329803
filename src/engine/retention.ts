import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withArchive } from '../journal/archived-files.ts';
import { type Files, realFiles } from '../journal/files.ts';
import { retireSegments } from '../journal/retire.ts';
import { peekSnapshots } from '../journal/snapshots.ts';
import { layoutOf } from './layout.ts';

/** How long segments and snapshots stay in the data directory, and what happens to them then. */
export type Retention = {
  readonly action: 'archive' | 'delete';
  /** Journal and event log have a folder each in it. */
  readonly folder: string;
  /**
   * It is created if it is missing. A folder that the operator configured may be on a disk that is not
   * mounted now.
   */
  readonly mayBeMade: boolean;
  /** The newest segments of this total size stay. */
  readonly journalBytes: number;
  readonly eventBytes: number;
  /** How many snapshots stay, at least two; older ones are removed, as replay can produce them again. */
  readonly snapshots: number;
};

export const SNAPSHOTS_KEPT = 3;
const SNAPSHOTS_NEEDED = 2;

export type RetentionStatus = {
  /** Segments archived or deleted since the start. */
  readonly retired: number;
  readonly failures: number;
  /** Why the last attempt failed; undefined when it did not. */
  readonly trouble: string | undefined;
};

export type RetainerOptions = {
  readonly directory: string;
  /** Of the snapshots that a start can use. */
  readonly stamp: string;
  readonly retention: Retention;
  /** The sequence that history has reached: it reads the event log. */
  readonly historySequence: () => number;
  readonly onStatus: (status: RetentionStatus) => void;
  /** The venue is stopping: the rest is left to the next start. */
  readonly isStopped?: () => boolean;
  readonly files?: Files;
};

/**
 * Retires what nobody needs any more. A start needs the journal from the oldest kept snapshot on, in case the
 * newer ones are damaged; history needs the event log after its own end. Any failure (archive full, missing,
 * foreign) is reported and retried in the next run: trading does not depend on it.
 */
export class Retainer {
  readonly #options: RetainerOptions;
  #status: RetentionStatus = { retired: 0, failures: 0, trouble: undefined };
  #running: Promise<void> | undefined;

  constructor(options: RetainerOptions) {
    this.#options = options;
  }

  /** One run at a time; never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves when no run is in progress. */
  settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  async #run(): Promise<void> {
    const { retired, failures } = this.#status;
    try {
      const more = await this.#retire();
      if (more === 0 && this.#status.trouble === undefined) return;
      this.#status = { retired: retired + more, failures, trouble: undefined };
    } catch (cause) {
      const trouble = cause instanceof Error ? cause.message : String(cause);
      this.#status = { retired, failures: failures + 1, trouble };
    }
    this.#options.onStatus(this.#status);
  }

  async #retire(): Promise<number> {
    const { directory, retention, historySequence, isStopped, files = realFiles } = this.#options;
    const stopping = isStopped === undefined ? {} : { isStopped };
    const needed = this.#oldestSnapshot(files);
    if (needed === undefined) return 0;
    const paths = layoutOf(directory);
    const history = historySequence();
    const journal = await retireSegments(files, {
      from: paths.journal,
      to: archiveOf(retention, 'journal'),
      beforeSequence: needed + 1,
      keepBytes: retention.journalBytes,
      ...stopping,
    });
    const events = await retireSegments(files, {
      from: paths.events,
      to: archiveOf(retention, 'events'),
      beforeSequence: Math.min(needed, history) + 1,
      keepBytes: retention.eventBytes,
      ...stopping,
    });
    return journal + events;
  }

  /** Undefined while there are too few: a single one might be damaged. */
  #oldestSnapshot(files: Files): number | undefined {
    const { directory, stamp } = this.#options;
    const own = peekSnapshots(layoutOf(directory).snapshots, { files })
      .filter((snapshot) => snapshot.stamp === stamp)
      .map(({ sequence }) => sequence);
    return own.length < SNAPSHOTS_NEEDED ? undefined : Math.min(...own);
  }
}

function archiveOf({ action, folder, mayBeMade }: Retention, part: Part): string | undefined {
  if (action === 'delete') return undefined;
  if (!mayBeMade && !existsSync(folder)) throw new Error(`the archive ${folder} is not there`);
  return join(folder, part);
}

type Part = 'journal' | 'events';

/** An overlay in which a part of the data directory also shows what was archived from it. */
export function filesWithArchive(
  directory: string,
  part: Part,
  archive = layoutOf(directory).archive,
): Files {
  const archived = join(archive, part);
  return withArchive(realFiles, { directory: layoutOf(directory)[part], archive: archived });
}
