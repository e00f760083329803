import type { Logger } from 'pino';
import { HistoryFailed } from '../../history/history.ts';

/** Reads of an unavailable history fail as often as they are requested: it is logged once in this time. */
const HISTORY_LINE_EVERY_MS = 10_000;

/** Logs why a request failed, so that it can be found by its id. */
export function reportFaults(
  { log }: { readonly log: Logger },
  nowMs: () => number = () => performance.now(),
): (error: unknown, requestId: string) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (error, requestId) => {
    if (!(error instanceof HistoryFailed)) {
      log.error({ err: error, requestId }, 'a request failed by a fault of ours');
      return;
    }
    unlogged += 1;
    if (nowMs() - loggedAtMs < HISTORY_LINE_EVERY_MS) return;
    log.warn({ reads: unlogged, requestId }, `history cannot be read: ${error.message}`);
    loggedAtMs = nowMs();
    unlogged = 0;
  };
}
