import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
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
  /** The longest it gathers; GATHERING's own unless set. */
  readonly gatherMostMs: number | undefined;
  /** Where old segments of the event log go, if not into the data directory's own archive. */
  readonly archive: string | undefined;
};

/** How far history has come, or why it does not advance now. */
export type HistoryMessage =
  | number
  | {
      readonly trouble: string;
      /** Only this far, although more was told. */
      readonly sequence?: number;
    };

/** History nobody waits for is later by this much at most, and so takes many trades together. */
const GATHERING = { leastMs: 10, mostMs: 250 };
/** Its disk is full, gone or out of order: it is tried again after this. Trading goes on meanwhile. */
const RECOVERING_MS = 2_000;

const { directory, place, stamp, cursors, gatherMostMs, archive } = workerData as HistoryWork;
const gathering = { ...GATHERING, mostMs: gatherMostMs ?? GATHERING.mostMs };
const log = openEventLog(directory, cursors, archive);
const post = (message: HistoryMessage): void => parentPort?.postMessage(message);
let toldSequence = -1;
/** Only new progress is reported: reopening at the same cursor does not show that history works. */
const reportProgress = (sequence: number): void => {
  advance(cursors, 'history', sequence);
  if (sequence > toldSequence) post(sequence);
  if (sequence < toldSequence) post({ trouble: lostEnd(sequence), sequence });
  toldSequence = sequence;
};
/** A database server that took over without all that was committed: it is projected again. */
const lostEnd = (sequence: number): string =>
  `history had come to ${toldSequence} and is at ${sequence}: its server has lost the end, which is made again`;
while (!log.isStopped()) {
  try {
    await runProjector({
      ...place,
      stamp,
      source: log,
      waitForMore: (sequence) => log.waitForMore(sequence),
      onAdvanced: reportProgress,
      isStopped: () => log.isStopped(),
      gather: (sequence) => gather(cursors, sequence, gathering),
    });
  } catch (cause) {
    post({ trouble: cause instanceof Error ? cause.message : String(cause) });
    if (!log.isStopped()) await setTimeout(RECOVERING_MS);
  }
}
