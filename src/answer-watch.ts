import type { Every } from './engine/ticker.ts';

/**
 * Detects a thread that is alive but does not answer. Silence is counted in ticks of the asking thread, not
 * by a clock: if the machine slept or the process was suspended, neither thread was silent.
 */
export type AnswerWatch = {
  readonly every: Every;
  readonly periodMs: number;
  /** This many consecutive ticks without an answer are too many. */
  readonly silentMax: number;
  /** Resolves or rejects when the other thread has answered. */
  readonly ask: () => Promise<unknown>;
  /** Called once; the watch ends then. */
  readonly onSilent: () => void;
};

/** One question at a time. The returned function ends the watch. */
export function watchAnswers(watch: AnswerWatch): () => void {
  const { every, periodMs, silentMax, ask, onSilent } = watch;
  let silentTicks = 0;
  let isPending = false;
  const answered = (): void => {
    isPending = false;
    silentTicks = 0;
  };
  const stop = every(periodMs, () => {
    if (!isPending) {
      isPending = true;
      ask().then(answered, answered);
      return;
    }
    if (++silentTicks < silentMax) return;
    stop();
    onSilent();
  });
  return stop;
}
