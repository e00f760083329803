import {
  type Endpoint,
  type ReplyOf,
  type RequestOf,
  type RialtoClient,
  RialtoError,
} from '../../src/client/index.ts';

const TRIES = 8;
const PAUSE_MS = 250;
const PAUSE_MAX_MS = 5_000;

/** Nobody knows whether it took effect: the connection was lost, or the venue says so itself. */
const isUnknown = (reason: unknown): boolean =>
  reason instanceof RialtoError ? reason.isOutcomeUnknown : reason instanceof TypeError;

/**
 * Sends one signed request until its outcome is known: the same bytes take effect once, however often they arrive.
 * `onWaiting` is told when the first answer did not come.
 */
export async function sendSurely<E extends Endpoint>(
  client: Pick<RialtoClient, 'prepare' | 'send'>,
  endpoint: E,
  request: RequestOf<E>,
  onWaiting: () => void,
): Promise<ReplyOf<E>> {
  const prepared = await client.prepare(endpoint, request);
  for (let tries = 1; ; tries++) {
    try {
      return (await client.send(prepared)).data;
    } catch (reason) {
      if (!isUnknown(reason) || tries === TRIES) throw reason;
      onWaiting();
      const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (tries - 1));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
