import { RECV_WINDOW_DEFAULT_MS } from '../../wire/orders.ts';

/** The deadline of a command; empty if there is none. */
export type Lateness = { readonly lateAfterMs?: number; readonly recvWindowMs?: number };
export type TimesSent = {
  readonly timestamp?: string | undefined;
  readonly recvWindow?: string | undefined;
};

/**
 * The rules of recvWindow: with a timestamp an order is late after timestamp + recvWindow, which is 1000 ms
 * by default; without a timestamp nothing is ever late.
 */
export function latenessOf({ timestamp, recvWindow }: TimesSent): Lateness {
  if (timestamp === undefined) return {};
  const recvWindowMs =
    recvWindow === undefined ? RECV_WINDOW_DEFAULT_MS : Number.parseInt(recvWindow, 10);
  const lateAfterMs = Number.parseInt(timestamp, 10) + recvWindowMs;
  // Beyond what a clock can show: never.
  return Number.isSafeInteger(lateAfterMs) ? { lateAfterMs, recvWindowMs } : {};
}

/** A late cancel is better than none: only a recvWindow that was sent is checked. */
export const cancelLatenessOf = (sent: TimesSent): Lateness =>
  sent.recvWindow === undefined ? {} : latenessOf(sent);
