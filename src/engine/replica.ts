import { ByteWriter } from '../bytes/pack.ts';
import type { State } from '../core/state.ts';
import { directoryOf, view } from '../core/views/views.ts';
import type { Command } from '../domain/commands.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import type { Directory, ViewName, Views } from '../domain/views.ts';
import type { JournalReader } from '../journal/journal.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { newestSnapshot } from '../journal/snapshots.ts';
import { type Cursors, cursorAt } from './cursors.ts';
import { layoutOf } from './layout.ts';
import { replay, startingState } from './recovery.ts';
import { stampOf } from './stamp.ts';

/** One durable command and its outcome, as the event log would store it; valid during the call only. */
export type Applied = { readonly command: Command; readonly outcome: Uint8Array };

export type Replica = {
  readonly directory: Directory;
  readonly sequence: number;
  readonly timeMs: number;
  view<Name extends ViewName>(name: Name, query: Views[Name]['query']): Views[Name]['result'];
  /** Applies at most this many durable commands; returns whether there are more. */
  follow(most: number, onApplied: (applied: Applied) => void): boolean;
  close(): void;
};

/**
 * A copy of the venue on another thread, made from the journal: everything it shows is on disk. It costs the
 * writer nothing but the page cache, and each digest is checked.
 */
class JournalReplica implements Replica {
  readonly directory: Directory;
  readonly #state: State;
  readonly #journal: JournalReader;
  readonly #cursors: Cursors;
  readonly #outcome = new ByteWriter(64 * 1_024);

  constructor(state: State, journal: JournalReader, cursors: Cursors) {
    this.directory = directoryOf(state);
    this.#state = state;
    this.#journal = journal;
    this.#cursors = cursors;
  }

  get sequence(): number {
    return this.#state.sequence;
  }

  get timeMs(): number {
    return this.#state.timeMs;
  }

  view<Name extends ViewName>(name: Name, query: Views[Name]['query']): Views[Name]['result'] {
    return view(this.#state, name, query);
  }

  follow(most: number, onApplied: (applied: Applied) => void): boolean {
    const durable = cursorAt(this.#cursors, 'journal');
    const upTo = Math.min(durable, this.sequence + most);
    if (upTo > this.sequence) {
      const entries = this.#journal.read(this.sequence + 1, upTo);
      replay(this.#state, entries, (_, timeMs, events, command) => {
        this.#outcome.clear();
        encodeOutcome(this.#outcome, timeMs, events);
        onApplied({ command, outcome: this.#outcome.view() });
      });
    }
    return upTo < durable;
  }

  close(): void {
    this.#journal.close();
  }
}

/** Starts from the newest snapshot; the entries after it are still to be followed. */
export function openReplica(options: {
  readonly directory: string;
  readonly venueId: string;
  readonly cursors: Cursors;
}): Replica {
  const { journal, snapshots } = layoutOf(options.directory);
  const found = newestSnapshot(snapshots, { stamps: [stampOf(options.venueId)] });
  const reader = openSegmentReader({ directory: journal, checks: 'checksum' });
  return new JournalReplica(startingState(found), reader, options.cursors);
}
