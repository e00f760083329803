import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';

/** Long enough for a busy machine, short enough for a broken one. */
const WAIT_MAX_MS = 10_000;
const WAIT_IN_TROUBLE_MS = 2_000;

/**
 * Waits until history holds everything that was acknowledged before this read arrived, so that callers read
 * their own writes; for an idle venue also what has fallen due since. Returns a refusal if history is too far
 * behind.
 */
export async function awaitHistory(engine: Engine, history: History): Promise<Refusal | undefined> {
  await engine.refreshed();
  const sequence = engine.releasedSequence;
  const waitMs = history.trouble === undefined ? WAIT_MAX_MS : WAIT_IN_TROUBLE_MS;
  if (history.sequence >= sequence || (await history.reached(sequence, waitMs))) {
    return undefined;
  }
  if (history.trouble !== undefined) {
    return refuse('UNAVAILABLE', 'history is not available at the moment; trading goes on');
  }
  const behind = sequence - history.sequence;
  return refuse('UNAVAILABLE', `history is ${behind} commands behind, try again`);
}
