import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Breaks } from './engine/breaks.ts';
import { advance, type Cursors, gather } from './engine/cursors.ts';
import { openEventLog } from './engine/event-log.ts';
import type { Place } from './history/history.ts';
import { runProjector } from './history/worker.ts';

/** The history thread: connects the engine's event log with the projector. */
export type HistoryWork = {
  readonly directory: string;
  readonly place: Place;
  readonly stamp: string;
  readonly cursors: Cursors;
  /** The longest batching interval; default GATHERING.mostMs. */
  readonly gatherMostMs: number | undefined;
  /** Where old segments of the event log go, if not into the data directory's own archive. */
  readonly archive: string | undefined;
};

/** The sequence that history has reached, or why it does not advance. */
export type HistoryMessage =
  | number
  | {
      readonly trouble: string;
      /** History has fallen back to this sequence, although a later one was reported. */
      readonly sequence?: number;
    };

/** While nobody waits, history is late by at most this much, so that many trades share a transaction. */
const GATHERING = { leastMs: 10, mostMs: 250 };
/** If its disk is full, gone or faulty, it is retried after this time. Trading continues meanwhile. */
const RECOVERING_MS = 2_000;

const { directory, place, stamp, cursors, gatherMostMs, archive } = workerData as HistoryWork;
const gathering = { ...GATHERING, mostMs: gatherMostMs ?? GATHERING.mostMs };
const log = openEventLog(directory, cursors, archive);
const post = (message: HistoryMessage): void => parentPort?.postMessage(message);
const breaks = new Breaks();
let reportedSequence = -1;
/** Only new progress is reported: reopening at the same cursor does not show that history works. */
const reportProgress = (sequence: number): void => {
  advance(cursors, 'history', sequence);
  if (sequence > reportedSequence) post(sequence);
  if (sequence < reportedSequence) post({ trouble: lostEnd(sequence), sequence });
  reportedSequence = sequence;
};
/** A database server took over without all committed data: the rest is projected again. */
const lostEnd = (sequence: number): string =>
  `history had come to ${reportedSequence} and is at ${sequence}: its server has lost the end, which is made again`;
while (!log.isStopped()) {
  try {
    await runProjector({
      ...place,
      stamp,
      source: log,
      waitForMore: (sequence) => log.waitForMore(sequence).then(() => breaks.begin()),
      onAdvanced: reportProgress,
      isStopped: () => log.isStopped(),
      gather: (sequence) => gather(cursors, sequence, gathering).then(() => breaks.begin()),
      rest: () => breaks.take(),
    });
  } catch (cause) {
    post({ trouble: cause instanceof Error ? cause.message : String(cause) });
    if (!log.isStopped()) await setTimeout(RECOVERING_MS);
  }
}
