import type { Endpoint, Reply, RequestOf, RialtoClient } from '../../src/client/index.ts';
import { isRefused } from './outcome.ts';

/** Requests are signed with a time that the venue accepts for about half a minute. */
const KNOWN_FOR_MS = 25_000;
const AGAIN_MS = 1_000;

export type Clock = {
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
};
const CLOCK: Clock = {
  nowMs: () => Date.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Sends a request until its outcome is known: after a lost answer the same signed bytes are sent again, and
 * the venue returns its first answer. `onWaiting` is called when it was sent and the answer is outstanding.
 */
export async function sendSurely<E extends Endpoint>(
  client: Pick<RialtoClient, 'prepare' | 'send'>,
  call: { readonly endpoint: E; readonly request: RequestOf<E>; readonly onWaiting?: () => void },
  clock: Clock = CLOCK,
): Promise<Reply<E>['data']> {
  const prepared = await client.prepare(call.endpoint, call.request);
  const untilMs = clock.nowMs() + KNOWN_FOR_MS;
  for (;;) {
    try {
      return (await client.send(prepared)).data;
    } catch (reason) {
      if (isRefused(reason)) throw reason;
      if (clock.nowMs() + AGAIN_MS > untilMs) {
        throw new Error(
          'no answer came; whether it was taken is not known: look before you send it again',
          {
            cause: reason,
          },
        );
      }
      call.onWaiting?.();
      await clock.wait(AGAIN_MS);
    }
  }
}
