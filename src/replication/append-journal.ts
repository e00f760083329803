import type { Journal } from '../journal/journal.ts';
import { appendWithRetry, type RetryParts } from './append-with-retry.ts';
import { LogRefused, type ReplicatedLog } from './log.ts';
import { findPlace, LogCursor } from './log-cursor.ts';
import { decodeMessage, encodeMessage, type MessageKind } from './message.ts';
import { takeOver } from './replicated-journal.ts';

export type AppendJournalOptions = {
  readonly log: ReplicatedLog;
  readonly local: Journal;
  /** The first sequence that the local journal still has. */
  readonly firstSequence: number;
  readonly node: string;
  readonly pause: () => Promise<void>;
};

/** The most bytes of entries in one message of a repair. */
const GROUP_BYTES = 512 * 1_024;

/** From which sequence the log continued, and to which. */
export type AppendedJournal = { readonly fromSequence: number; readonly toSequence: number };

/**
 * Brings a log that is empty, or has lost its end, up to a local journal. What both have must be equal. It
 * starts with a takeover, so that a leader that still runs is fenced.
 */
export async function appendJournal(options: AppendJournalOptions): Promise<AppendedJournal> {
  const { log, local, node, pause } = options;
  const cursor = await cursorAtEnd(options);
  const fromSequence = cursor.nextSequence;
  if (fromSequence > local.lastSequence) {
    throw new LogRefused(
      `the log ends at sequence ${fromSequence - 1}, this journal at ${local.lastSequence}: there ` +
        'is nothing to append',
    );
  }
  const retry: RetryParts = { log, pause, isGivenUp: () => false };
  if (!(await takeOver(retry, cursor, node))) throw new LogRefused(OTHERS_WRITE);
  const writer = cursor.leader?.writer ?? '';
  const append = async (kind: MessageKind, entries: readonly Uint8Array[]): Promise<void> => {
    const firstSequence = cursor.nextSequence;
    const bytes = encodeMessage({ kind, node, writer, firstSequence, entries });
    const outcome = await appendWithRetry(retry, bytes, cursor.place);
    if (outcome !== 'stored') throw new LogRefused(OTHERS_WRITE);
    cursor.accept({ place: cursor.place + 1, timeMs: 0, bytes });
  };
  let group: Uint8Array[] = [];
  let groupBytes = 0;
  for (const { bytes } of local.read(fromSequence)) {
    if (group.length > 0 && groupBytes + bytes.length > GROUP_BYTES) {
      await append('group', group);
      group = [];
      groupBytes = 0;
    }
    group.push(bytes.slice());
    groupBytes += bytes.length;
  }
  await append('group', group);
  await append('hand-over', []);
  return { fromSequence, toSequence: cursor.nextSequence - 1 };
}

const OTHERS_WRITE = 'another node writes: stop all nodes first';

async function cursorAtEnd({
  log,
  local,
  firstSequence,
}: AppendJournalOptions): Promise<LogCursor> {
  const { lastPlace } = await log.end();
  if (lastPlace === 0) {
    return new LogCursor({ place: 0, nextSequence: firstSequence, leader: undefined });
  }
  const last = await log.at(lastPlace);
  if (last === undefined) throw new LogRefused(`the log has no message ${lastPlace} any more`);
  const message = decodeMessage(lastPlace, last.bytes);
  const lastSequence = message.firstSequence + message.entries.length - 1;
  if (lastSequence > local.lastSequence) {
    throw new LogRefused(
      `the log ends at sequence ${lastSequence}, this journal at ${local.lastSequence}: the log is ahead, ` +
        'start this node as it is',
    );
  }
  const { cursor } = await findPlace(log, {
    lastSequence,
    isLast: (entry) => isSame(entry, local.read(lastSequence).next().value?.bytes),
  });
  await log.read(
    cursor.place + 1,
    (one) => void cursor.accept(one),
    () => cursor.place >= lastPlace,
  );
  return cursor;
}

const isSame = (one: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && Buffer.compare(one, other) === 0;
