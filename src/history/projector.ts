import { assert } from '../domain/assert.ts';
import { EventWalk } from '../domain/stored-events.ts';
import { cursorMover, type Database, openToWrite, type Reached, readReached } from './database.ts';
import { firstIdOf } from './entry-ids.ts';
import { HistoryRefused } from './refused.ts';
import { type RowWriter, SCHEMA, writerOf } from './subjects.ts';

/** One command's outcome as the event log keeps it. The bytes need only live until the next one. */
export type LoggedOutcome = { readonly sequence: number; readonly bytes: Uint8Array };

export type ProjectorOptions = {
  readonly file: string;
  /** Names the venue. A history with another stamp is refused. */
  readonly stamp: string;
  /** Called after each transaction: everything up to here can be read. */
  readonly onAdvanced?: (sequence: number) => void;
  /** About how many rows a transaction has at most. */
  readonly rowsMax?: number;
};

export const openProjector = (options: ProjectorOptions): Projector => new Projector(options);

/**
 * Event -> rows, in order, once. The cursor moves in the transaction that writes the rows, so after
 * any crash it tells exactly what is in them. The one writer of the file: if it finds its cursor
 * moved by someone else it refuses to go on.
 */
export class Projector {
  readonly #file: string;
  readonly #database: Database;
  readonly #rows: RowWriter;
  readonly #moveCursor: ReturnType<typeof cursorMover>;
  readonly #onAdvanced: (sequence: number) => void;
  readonly #rowsMax: number;
  readonly #walk = new EventWalk();
  #reached: Reached;

  constructor({ file, stamp, onAdvanced = () => {}, rowsMax = ROWS_MAX }: ProjectorOptions) {
    this.#file = file;
    this.#onAdvanced = onAdvanced;
    this.#rowsMax = rowsMax;
    this.#database = openToWrite({ file, stamp, schema: SCHEMA });
    this.#reached = readReached(this.#database);
    this.#rows = writerOf(this.#database);
    this.#moveCursor = cursorMover(this.#database);
  }

  /** Everything up to here is in the rows. */
  get sequence(): number {
    return this.#reached.sequence;
  }

  /**
   * Projects what follows the cursor, in transactions of about rowsMax rows; one outcome is never
   * parted. What is at or below the cursor has been projected and is passed over. After an error
   * the transaction it fell into is undone, and those before it stand.
   */
  project(outcomes: Iterable<LoggedOutcome>): void {
    const entries = outcomes[Symbol.iterator]();
    try {
      let next = entries.next();
      while (next.done !== true) {
        let reached = this.#reached;
        this.#database.transaction(() => {
          this.#rows.begin();
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
          }
          this.#rows.finish();
          if (reached !== this.#reached) this.#passTo(reached);
        });
        if (reached === this.#reached) continue;
        this.#reached = reached;
        this.#onAdvanced(reached.sequence);
      }
    } finally {
      entries.return?.();
    }
  }

  close(): void {
    this.#database.close();
  }

  #open({ sequence, bytes }: LoggedOutcome, reached: Reached): void {
    if (sequence !== reached.sequence + 1) {
      throw new HistoryRefused(
        'gap',
        `the history at ${this.#file} has come to ${reached.sequence}, ` +
          `but the event log goes on at ${sequence}`,
      );
    }
    this.#walk.open(bytes);
    // Lists are ordered by id, and windows of time are found in them: entry-times.ts.
    assert(this.#walk.timeMs >= reached.timeMs, 'engine time never runs backwards');
  }

  #passTo(reached: Reached): void {
    if (this.#moveCursor(this.#reached.sequence, reached)) return;
    throw new HistoryRefused('taken', `somebody else writes the history at ${this.#file}`);
  }
}

/**
 * Only a history that is behind meets this; one that keeps up takes what has come. Large, because
 * rows go to as many pages as there are busy accounts, a commit writes each of them once, and many
 * records of one list share a row; small enough that what was read is seen within half a second.
 */
const ROWS_MAX = 200_000;
