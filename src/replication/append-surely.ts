import type { LogMessage, ReplicatedLog } from './log.ts';

export type Sure = {
  readonly log: ReplicatedLog;
  /** Waits before the next attempt. */
  readonly pause: () => Promise<void>;
  /** Asked before each further attempt: whether nobody waits for the answer any more. */
  readonly isGivenUp: () => boolean;
  /** Called with the reason of each attempt whose outcome is not known. */
  readonly onDoubt?: (reason: string) => void;
};

/** `fenced`: another message stands at this place, and this one never will. */
export type SureOutcome = 'stored' | 'fenced' | 'given up';

/**
 * Appends one message until it is known whether it is stored. An attempt without an answer may be
 * stored now, later or never, so the SAME bytes are sent with the SAME expectation again: at most one
 * of all attempts can be stored. A conflict is looked at: own bytes at the place mean that an earlier
 * attempt was stored.
 */
export async function appendSurely(
  sure: Sure,
  bytes: Uint8Array,
  afterPlace: number,
): Promise<SureOutcome> {
  const { log, pause, isGivenUp, onDoubt } = sure;
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

/** Undefined also where nobody answers: then the append is tried again, which asks the same question. */
async function storedAt(log: ReplicatedLog, place: number): Promise<LogMessage | undefined> {
  try {
    return await log.at(place);
  } catch {
    return undefined;
  }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
