import { RialtoError } from './errors.ts';

/** How a client retries a request, always with the same signed bytes, so that it takes effect once. */
export type RetryOptions = {
  /** Attempts after the first; the default is 4. */
  readonly times?: number;
  /** The pause before the second attempt, 250 ms by default; it doubles with each further attempt. */
  readonly firstPauseMs?: number;
  /** The longest pause, 10 s by default; if the venue asks for a longer one, the refusal is thrown. */
  readonly longestPauseMs?: number;
};

export type Retrying = Required<RetryOptions> & {
  readonly nowMs: () => number;
  readonly wait: (delayMs: number) => Promise<void>;
  /** From 0 to below 1: spreads the retries of clients that were refused at the same time. */
  readonly random: () => number;
};

export const RETRY_DEFAULTS: Required<RetryOptions> = {
  times: 4,
  firstPauseMs: 250,
  longestPauseMs: 10_000,
};

/** No attempt starts later than this after signing: the venue remembers signed requests for a minute by default. */
const SIGNED_FOR_MS = 45_000;

export type Repeatable = {
  /** The request has no effect. */
  readonly isReading: boolean;
  /**
   * The same bytes may be sent again although they may have taken effect. Any other request is retried only
   * if it was certainly not started.
   */
  readonly isRepeatable: boolean;
};

/** Retries until there is a response that another attempt cannot change, or the limits are reached. */
export async function retried<Value>(
  attempt: () => Promise<Value>,
  { isReading, isRepeatable }: Repeatable,
  how: Retrying,
): Promise<Value> {
  const startedMs = how.nowMs();
  let isUnknown = false;
  for (let done = 0; ; done++) {
    try {
      return await attempt();
    } catch (error) {
      isUnknown ||= !isReading && mayHaveTakenEffect(error);
      const pauseMs = pauseAfter(error, done, isRepeatable, how);
      const elapsedMs = how.nowMs() - startedMs;
      if (pauseMs === undefined || elapsedMs + pauseMs > SIGNED_FOR_MS) {
        throw isUnknown ? withUnknownOutcome(error) : error;
      }
      await how.wait(pauseMs);
    }
  }
}

/** How long to wait before the next attempt; undefined if there is none. */
function pauseAfter(
  error: unknown,
  done: number,
  isRepeatable: boolean,
  { times, firstPauseMs, longestPauseMs, random }: Retrying,
): number | undefined {
  if (done >= times) return undefined;
  const backoffMs = Math.min(firstPauseMs * 2 ** done, longestPauseMs);
  const pauseMs = Math.round(backoffMs * (0.5 + random() / 2));
  if (mayHaveTakenEffect(error)) return isRepeatable ? pauseMs : undefined;
  if (!isTemporary(error)) return undefined;
  const retryAfterMs = error.retryAfterMs ?? 0;
  return retryAfterMs > longestPauseMs ? undefined : Math.max(retryAfterMs, pauseMs);
}

/** No response, the venue's own code for an unknown outcome, or a proxy's error. */
const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof RialtoError) || error.isOutcomeUnknown;

/** Refused before anything was done: too many requests, or no capacity at the moment. */
const isTemporary = (error: unknown): error is RialtoError =>
  error instanceof RialtoError &&
  !error.isRepeat &&
  (error.status === 429 || (error.status === 503 && error.hasCode('000101', '000201')));

/**
 * An earlier attempt may have taken effect, and the last one was refused before it was looked at, which says
 * nothing about the first. Any other refusal is certain: had the first attempt taken effect, its response
 * would have been repeated.
 */
function withUnknownOutcome(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isCertain =
    error instanceof RialtoError &&
    !(error.status === 401 || error.status === 429 || error.status >= 500);
  // What `fetch` throws is marked, too: a program asks for this before it sends another order.
  return isCertain ? error : Object.assign(error, { isOutcomeUnknown: true });
}
