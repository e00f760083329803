import { setImmediate } from 'node:timers/promises';
import { type LoggedOutcome, openProjector } from './projector.ts';

/** The event log as this room sees it: outcomes in order, fewer than asked when there are no more. */
export type EventSource = {
  read(from: number, upTo: number): Iterable<LoggedOutcome>;
};

export type ProjectorRun = {
  readonly file: string;
  readonly stamp: string;
  readonly source: EventSource;
  /** Resolves when there may be something beyond `sequence`, or it is time to look at isStopped. */
  readonly waitForMore: (sequence: number) => Promise<void>;
  /** Told first where history stands, then after every transaction. */
  readonly onAdvanced: (sequence: number) => void;
  readonly isStopped: () => boolean;
  /** A pause behind what has been projected, so that a busy venue fills the next transaction. */
  readonly gather: (sequence: number) => Promise<void>;
};

/**
 * The life of the projector's thread: project what there is, tell, wait. It ends when it is stopped,
 * or rejects with what went wrong: a full disk, a gap, damage. Nothing is tried again here: what was
 * committed stands, and the next start goes on behind it.
 */
export async function runProjector(run: ProjectorRun): Promise<void> {
  const { source, waitForMore, onAdvanced, isStopped } = run;
  const projector = openProjector(run);
  try {
    onAdvanced(projector.sequence);
    while (!isStopped()) {
      const from = projector.sequence;
      projector.project(source.read(from + 1, from + OUTCOMES_MAX));
      if (projector.sequence === from) await waitForMore(from);
      else if (projector.sequence < from + OUTCOMES_MAX) await run.gather(projector.sequence);
      // A long catch-up must not make this thread deaf to the message that stops it.
      else await setImmediate();
    }
  } finally {
    projector.close();
  }
}

/** How much is read between two looks at isStopped, and so the most that one transaction takes. */
const OUTCOMES_MAX = 60_000;
