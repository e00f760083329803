import type { LogMessage, ReplicatedLog } from './log.ts';

export type RetryParts = {
  readonly log: ReplicatedLog;
  /** Waits before the next attempt. */
  readonly pause: () => Promise<void>;
  /** Checked before each further attempt: whether nobody waits for the answer any more. */
  readonly isGivenUp: () => boolean;
  /** Called with the reason of each attempt whose outcome is unknown. */
  readonly onDoubt?: (reason: string) => void;
};

/** `fenced`: another message is at this place, so this one never will be. */
export type RetriedOutcome = 'stored' | 'fenced' | 'given up';

/**
 * Appends one message until it is known whether it is stored. An attempt without an answer may be stored now,
 * later or never, so the SAME bytes are sent with the SAME expected place again: at most one of all attempts
 * can be stored. On a conflict the place is read: our own bytes there mean that an earlier attempt was
 * stored.
 */
export async function appendWithRetry(
  retry: RetryParts,
  bytes: Uint8Array,
  afterPlace: number,
): Promise<RetriedOutcome> {
  const { log, pause, isGivenUp, onDoubt } = retry;
  for (;;) {
    const answer = await log.append(bytes, afterPlace);
    if (answer === 'stored') return 'stored';
    if (answer === 'conflict') {
      const found = await storedAt(log, afterPlace + 1);
      if (found !== undefined) return isSame(found.bytes, bytes) ? 'stored' : 'fenced';
    } else {
      onDoubt?.(answer.unknown);
    }
    if (isGivenUp()) return 'given up';
    await pause();
  }
}

/** Also undefined if nobody answers: then the append is retried, which resolves the same question. */
async function storedAt(log: ReplicatedLog, place: number): Promise<LogMessage | undefined> {
  try {
    return await log.at(place);
  } catch {
    return undefined;
  }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
