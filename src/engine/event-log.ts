import { JournalDamaged } from '../journal/journal.ts';
import { peekSegments } from '../journal/peek.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { beyond, type Cursors, cursorAt, isStopRequested } from './cursors.ts';
import { layoutOf } from './layout.ts';
import { filesWithArchive } from './retention.ts';
import { stampOf } from './stamp.ts';

/**
 * Encoded outcomes by sequence, as the follower stores them; for history, stream resume and repeated answers.
 * The log is a journal of events with the same files and checks. Readers see what is stored.
 */
export type EventLog = {
  read(
    from: number,
    upTo: number,
  ): Iterable<{ readonly sequence: number; readonly bytes: Uint8Array }>;
  /** Resolves when something beyond `sequence` may be stored, or a stop was requested. */
  waitForMore(sequence: number): Promise<void>;
  isStopped(): boolean;
};

/** `archive` is where old segments went, if not into the data directory's own. */
export function openEventLog(directory: string, cursors: Cursors, archive?: string): EventLog {
  // Chain hashes are not checked here: the follower wrote the log in this process, or checked its end when it
  // opened it; `verify` checks all of it.
  const { events } = layoutOf(directory);
  const files = filesWithArchive(directory, 'events', archive);
  const reader = openSegmentReader({ directory: events, files, checks: 'checksum' });
  return {
    read: (from, upTo) => {
      const last = Math.min(upTo, cursorAt(cursors, 'eventLog'));
      return from > last ? [] : reader.read(from, last);
    },
    waitForMore: (sequence) => beyond(cursors, 'eventLog', sequence),
    isStopped: () => isStopRequested(cursors),
  };
}

/**
 * A damaged event log is no loss while the journal can be replayed from its first entry: the refusal says so,
 * because only the journal needs a copy.
 */
export function withAdvice(cause: unknown, directory: string, venueId: string): unknown {
  const { events, journal } = layoutOf(directory);
  if (!(cause instanceof JournalDamaged)) return cause;
  const { segments } = peekSegments({ directory: journal });
  const own = stampOf(venueId);
  if (segments[0]?.firstSequence !== 1 || segments.some(({ stamp }) => stamp !== own)) return cause;
  return new Error(
    `${cause.message}. The event log is made from the journal, which begins with its first entry here: ` +
      `stop the venue and remove ${events}, and a start writes it again`,
    { cause },
  );
}
