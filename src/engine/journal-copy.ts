import type { State } from '../core/state.ts';
import type { JournalReader } from '../journal/journal.ts';
import { beyond, type Cursors, cursorAt, isStopRequested } from './cursors.ts';
import { replay } from './recovery.ts';

export type JournalCopyParts = {
  readonly state: State;
  readonly journal: JournalReader;
  readonly cursors: Cursors;
  readonly onFailure: (reason: unknown) => void;
};

/** The longest that the copy is behind while nobody reads from it. */
const PAUSE_MS = 20;

/** A copy of the venue that follows the journal of another thread, when somebody reads it or a moment later. */
export class JournalCopy {
  readonly #parts: JournalCopyParts;
  #isStopped = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(parts: JournalCopyParts) {
    this.#parts = parts;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Everything up to here may have been answered. */
  get durableSequence(): number {
    return cursorAt(this.#parts.cursors, 'journal');
  }

  /** Brings the state to the durable end of the journal. */
  follow(): void {
    const { state, journal, onFailure } = this.#parts;
    this.#refuseFailed();
    const durable = this.durableSequence;
    if (durable <= state.sequence || this.#isStopped) return;
    try {
      replay(state, journal.read(state.sequence + 1, durable));
    } catch (cause) {
      this.#isStopped = true;
      this.#failure = { cause };
      onFailure(cause);
      throw cause;
    }
  }

  /** The same if the state lacks something that is not an order: a key, a name, a price, a tick. */
  followNames(): void {
    const { state, cursors } = this.#parts;
    this.#refuseFailed();
    if (cursorAt(cursors, 'names') > state.sequence) this.follow();
  }

  /** While nobody reads, it follows in larger steps. */
  async keepUp(pause: (ms: number) => Promise<unknown>): Promise<void> {
    const { cursors, state } = this.#parts;
    while (!this.#isStopped && !isStopRequested(cursors)) {
      await beyond(cursors, 'journal', state.sequence);
      await pause(PAUSE_MS);
      try {
        this.follow();
      } catch {
        return; // It was reported.
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The state may be half changed: until the thread has ended, others that waited must not see it either. */
  #refuseFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.cause;
  }
}
