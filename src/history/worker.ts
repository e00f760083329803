import { setImmediate } from 'node:timers/promises';
import type { Place } from './place.ts';
import { type LoggedOutcome, openProjector, type Projector } from './projector.ts';
import { HistoryRefused } from './refused.ts';

/** The event log as history sees it: outcomes in order, fewer than requested if there are no more. */
export type EventSource = {
  read(from: number, upTo: number): Iterable<LoggedOutcome>;
};

export type ProjectorRun = Place & {
  readonly stamp: string;
  readonly source: EventSource;
  /** Resolves when there may be something beyond `sequence`, or it is time to check isStopped. */
  readonly waitForMore: (sequence: number) => Promise<void>;
  /** Called first with where history starts, then whenever it has advanced. */
  readonly onAdvanced: (sequence: number) => void;
  readonly isStopped: () => boolean;
  /** A pause after projecting, so that a busy venue fills the next transaction. */
  readonly gather: (sequence: number) => Promise<void>;
  /** As in `Opening`. */
  readonly rest?: () => void;
  /** Milliseconds of a monotonic clock; for a history that others may write too. */
  readonly nowMs?: () => number;
};

/**
 * The life of the projector's thread: project what there is, report, wait. It ends when it is stopped, or
 * rejects with the failure: a full disk, a gap, damage. Nothing is retried here: committed transactions stay,
 * and the next start continues after them.
 *
 * On a server every engine of a cluster has a projector. The one that finds its cursor moved by another steps
 * back: it watches the other's cursor, and continues itself once that has not moved for STANDS_STILL_MS
 * although there is more to project.
 */
export async function runProjector(run: ProjectorRun): Promise<void> {
  const { source, onAdvanced, isStopped } = run;
  const projector = await openProjector(run);
  const outcomesMax = 'file' in run ? OUTCOMES_MAX.file : OUTCOMES_MAX.server;
  try {
    onAdvanced(projector.sequence);
    while (!isStopped()) {
      const from = projector.sequence;
      try {
        await projector.project(source.read(from + 1, from + outcomesMax));
      } catch (cause) {
        if (!isTaken(cause) || 'file' in run) throw cause;
        await watch(projector, run);
        continue;
      }
      if (projector.sequence === from) await idle(projector, run);
      else if (projector.sequence < from + outcomesMax) await run.gather(projector.sequence);
      // A long catch-up must let this thread receive the message that stops it.
      else await setImmediate();
    }
  } finally {
    await projector.close();
  }
}

const isTaken = (cause: unknown): boolean =>
  cause instanceof HistoryRefused && cause.reason === 'taken';

/** Resolves when the other one's cursor no longer moves although there is more to project. */
async function watch(projector: Projector, run: ProjectorRun): Promise<void> {
  const { source, isStopped, gather, nowMs = () => performance.now() } = run;
  let movedAtMs = nowMs();
  while (!isStopped()) {
    const hasMoved = await projector.reloadCursor();
    const hasMore = !isEmpty(source.read(projector.sequence + 1, projector.sequence + 1));
    if (hasMoved || !hasMore) movedAtMs = nowMs();
    else if (nowMs() - movedAtMs >= STANDS_STILL_MS) return;
    await gather(projector.sequence);
  }
}

/**
 * There is nothing to project. On a server another node with more of the log may have continued, and a log
 * that ends before the cursor does not report when it has reached it.
 */
async function idle(projector: Projector, run: ProjectorRun): Promise<void> {
  if ('file' in run) await run.waitForMore(projector.sequence);
  else if (!(await projector.reloadCursor())) await run.gather(projector.sequence);
}

function isEmpty(outcomes: Iterable<LoggedOutcome>): boolean {
  for (const _ of outcomes) return false;
  return true;
}

/** A projector waits at most a quarter of a second to fill a transaction. */
const STANDS_STILL_MS = 750;
/**
 * How much is read between two checks of isStopped, and so the maximum of one transaction. For a server less:
 * a transaction must end before others conclude that it never will.
 */
export const OUTCOMES_MAX = { file: 240_000, server: 60_000 } as const;
