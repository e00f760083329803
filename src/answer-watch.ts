import type { Every } from './engine/ticker.ts';

/**
 * Notices a thread that lives and does not answer. Its silence is counted in ticks of the thread that asks, and not by a clock:
 * a machine that slept, or a process that was stopped, has made neither of them silent.
 */
export type AnswerWatch = {
  readonly every: Every;
  readonly periodMs: number;
  /** So many ticks in a row without an answer are too many. */
  readonly silentMax: number;
  /** Resolves or rejects when the other one has answered. */
  readonly ask: () => Promise<unknown>;
  /** Called once; the watch is over then. */
  readonly onSilent: () => void;
};

/** One question at a time. The returned function ends it. */
export function watchAnswers(watch: AnswerWatch): () => void {
  const { every, periodMs, silentMax, ask, onSilent } = watch;
  let silentTicks = 0;
  let isAsked = false;
  const answered = (): void => {
    isAsked = false;
    silentTicks = 0;
  };
  const stop = every(periodMs, () => {
    if (!isAsked) {
      isAsked = true;
      ask().then(answered, answered);
      return;
    }
    if (++silentTicks < silentMax) return;
    stop();
    onSilent();
  });
  return stop;
}
