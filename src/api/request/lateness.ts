import type { Lateness } from '../../domain/commands.ts';
import { wholeFromText } from '../../domain/decimal.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { RECV_WINDOW_DEFAULT_MS } from '../../wire/orders.ts';

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
  const recvWindowMs = recvWindow === undefined ? RECV_WINDOW_DEFAULT_MS : wholeMs(recvWindow);
  const lateAfterMs = wholeMs(timestamp) + recvWindowMs;
  // Beyond what a clock can show: never.
  return Number.isSafeInteger(lateAfterMs) ? { lateAfterMs, recvWindowMs } : {};
}

/** A late cancel is better than none: only a recvWindow that was sent is checked. */
export const cancelLatenessOf = (sent: TimesSent): Lateness =>
  sent.recvWindow === undefined ? {} : latenessOf(sent);

/** Why the times of a command are not what they should be: whole numbers, not negative, of 19 digits. */
export function timesRefusal({ timestamp, recvWindow }: TimesSent): Refusal | undefined {
  return refusalOf('timestamp', timestamp) ?? refusalOf('recvWindow', recvWindow);
}

function refusalOf(name: string, text: string | undefined): Refusal | undefined {
  if (text === undefined || !Number.isNaN(wholeMs(text))) return undefined;
  return refuse('PARAMETER_INVALID', `${name} ${text} is no whole number of milliseconds`);
}

const PLAIN = /^\d{1,19}(\.0+)?$/;
const WHOLE_MAX = 10n ** 19n;

/** NaN if it is no such number. Some languages print a float of this size with an exponent. */
function wholeMs(text: string): number {
  if (PLAIN.test(text)) return Number.parseInt(text, 10);
  const whole = wholeFromText(text);
  return whole !== undefined && whole >= 0n && whole < WHOLE_MAX ? Number(whole) : Number.NaN;
}
