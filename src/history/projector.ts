import { assert } from '../domain/assert.ts';
import { EventWalk } from '../domain/stored-events.ts';
import { cursorMover, type Reached, reachedReader, type WritableDatabase } from './database.ts';
import { firstIdOf } from './entry-ids.ts';
import { nameOf, openToWrite, type Place } from './place.ts';
import { HistoryRefused } from './refused.ts';
import { type RowWriter, SCHEMA, writerOf } from './subjects.ts';

/** One command's outcome as in the event log. The bytes are valid until the next one. */
export type LoggedOutcome = { readonly sequence: number; readonly bytes: Uint8Array };

export type ProjectorOptions = Place & {
  /** Names the venue. A history with another stamp is refused. */
  readonly stamp: string;
  /** Called after each transaction: everything up to here can be read. */
  readonly onAdvanced?: (sequence: number) => void;
  /** The approximate maximum number of rows per transaction. */
  readonly rowsMax?: number;
  /** As in `Opening`. */
  readonly rest?: (() => void) | undefined;
};

export async function openProjector(options: ProjectorOptions): Promise<Projector> {
  const { stamp, rest } = options;
  const database = await openToWrite(options, { stamp, schema: SCHEMA, rest });
  try {
    return new Projector(options, database, await reachedReader(database)());
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/**
 * Event -> rows, in order, once. The cursor moves in the transaction that writes the rows, so after any crash
 * it says exactly which events are in them. It is also the fence: a projector that finds its cursor moved by
 * another has written nothing, and is refused with `taken`.
 */
export class Projector {
  readonly #name: string;
  readonly #database: WritableDatabase;
  readonly #rows: RowWriter;
  readonly #moveCursor: ReturnType<typeof cursorMover>;
  readonly #readReached: ReturnType<typeof reachedReader>;
  readonly #onAdvanced: (sequence: number) => void;
  readonly #rowsMax: number;
  readonly #rest: () => void;
  readonly #walk = new EventWalk();
  #reached: Reached;

  constructor(options: ProjectorOptions, database: WritableDatabase, reached: Reached) {
    const { onAdvanced = () => {}, rest = () => {} } = options;
    const { rowsMax = 'file' in options ? ROWS_MAX.file : ROWS_MAX.server } = options;
    this.#name = nameOf(options);
    this.#onAdvanced = onAdvanced;
    this.#rowsMax = rowsMax;
    this.#rest = rest;
    this.#database = database;
    this.#reached = reached;
    this.#rows = writerOf(database);
    this.#moveCursor = cursorMover(database);
    this.#readReached = reachedReader(database);
  }

  /** Everything up to here is in the rows. */
  get sequence(): number {
    return this.#reached.sequence;
  }

  /**
   * Projects what follows the cursor, in transactions of about rowsMax rows; one outcome is never split.
   * Outcomes at or below the cursor have been projected and are skipped. An error rolls back its own
   * transaction only; earlier ones stay committed.
   */
  async project(outcomes: Iterable<LoggedOutcome>): Promise<void> {
    const entries = outcomes[Symbol.iterator]();
    try {
      let next = entries.next();
      while (next.done !== true) {
        if (next.value.sequence <= this.#reached.sequence) {
          next = entries.next();
          continue;
        }
        let reached = this.#reached;
        await this.#undoing(async () => {
          await this.#rows.begin();
          for (let rows = 0; next.done !== true && rows < this.#rowsMax; next = entries.next()) {
            if (next.value.sequence <= reached.sequence) continue;
            this.#open(next.value, reached);
            let { events } = reached;
            rows += 1;
            while (this.#walk.next()) {
              const id = this.#walk.isNumbered ? firstIdOf(++events) : next.value.sequence;
              rows += this.#rows.write(this.#walk, id);
            }
            reached = { sequence: next.value.sequence, timeMs: this.#walk.timeMs, events };
            this.#rest();
          }
          await this.#rows.finish();
          await this.#passTo(reached);
        });
        this.#reached = reached;
        this.#onAdvanced(reached.sequence);
      }
    } finally {
      entries.return?.();
    }
  }

  /** Continues from a cursor that another projector has moved. Returns whether it had moved. */
  async reloadCursor(): Promise<boolean> {
    const reached = await this.#readReached();
    if (reached.sequence === this.#reached.sequence) return false;
    // What the other one wrote may have defined markets.
    this.#rows.forget();
    this.#reached = reached;
    this.#onAdvanced(reached.sequence);
    return true;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #undoing(work: () => Promise<void>): Promise<void> {
    try {
      await this.#database.transaction(work);
    } catch (cause) {
      this.#rows.forget();
      // Rows that another projector has just committed can fail an assertion here, before the cursor is
      // compared.
      if (!(cause instanceof HistoryRefused) && (await this.#isTaken())) throw this.#taken();
      throw cause;
    }
  }

  /** Also false if the store does not answer: the first failure says more. */
  async #isTaken(): Promise<boolean> {
    try {
      return (await this.#readReached()).sequence !== this.#reached.sequence;
    } catch {
      return false;
    }
  }

  #taken(): HistoryRefused {
    return new HistoryRefused('taken', `somebody else writes the history at ${this.#name}`);
  }

  #open({ sequence, bytes }: LoggedOutcome, reached: Reached): void {
    if (sequence !== reached.sequence + 1) {
      throw new HistoryRefused(
        'gap',
        `the history at ${this.#name} has come to ${reached.sequence}, ` +
          `but the event log goes on at ${sequence}`,
      );
    }
    this.#walk.open(bytes);
    // Lists are ordered by id, and windows of time are found in them: entry-times.ts.
    assert(this.#walk.timeMs >= reached.timeMs, 'engine time never runs backwards');
  }

  async #passTo(reached: Reached): Promise<void> {
    if (await this.#moveCursor(this.#reached.sequence, reached)) return;
    throw this.#taken();
  }
}

/**
 * Only a history that is behind reaches this limit; one that keeps up takes what has arrived. Large, because
 * rows go to as many pages as there are busy accounts, a commit writes each page once, and many records of
 * one list share a row: four times as many rows write half as many pages. For a file it is small enough that
 * results appear within two seconds. A server's transactions are shorter, because the projectors of other
 * nodes take over from one whose cursor does not move (worker.ts).
 */
const ROWS_MAX = { file: 800_000, server: 200_000 } as const;
