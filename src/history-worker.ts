import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Cursors } from './engine/cursors.ts';
import { openEventLog } from './engine/event-log.ts';
import { runProjector } from './history/worker.ts';

/** The thread of history: joins the engine's event log with the projector, which know only doors. */
export type HistoryWork = {
  readonly directory: string;
  readonly file: string;
  readonly stamp: string;
  readonly cursors: Cursors;
};

/** History is later by this much at most; under load its transactions are fewer and larger. */
const RESTING_MS = 10;

const { directory, file, stamp, cursors } = workerData as HistoryWork;
const log = openEventLog(directory, cursors);
await runProjector({
  file,
  stamp,
  source: log,
  waitForMore: (sequence) => log.waitForMore(sequence),
  onAdvanced: (sequence) => parentPort?.postMessage(sequence),
  isStopped: () => log.isStopped(),
  rest: () => setTimeout(RESTING_MS),
});
