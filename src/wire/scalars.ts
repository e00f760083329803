import { Type } from 'typebox';
import { assert } from '../domain/assert.ts';
import { entryCounterFromText } from '../domain/ids.ts';
import { isRefusal, type Refusal, refuse } from '../domain/rejections.ts';
import type { Limits, PageLimits } from './endpoint.ts';
import { DAY_MS } from './periods.ts';

/** The basic shapes of requests and replies, and how requests are read from them. */

export const DecimalText = Type.String({
  pattern: '^-?\\d+(\\.\\d+)?$',
  description: 'a plain decimal number as text',
});
export const CountText = Type.String({ pattern: '^\\d+$', description: 'a whole number as text' });
export const IdText = Type.String({ pattern: '^\\d+$', description: 'an id of digits, as text' });
export const TimeText = Type.String({
  pattern: '^\\d+$',
  description: 'milliseconds since 1970-01-01 UTC, as text',
});

/** A number in a request: JSON number or text, exponent allowed, read exactly. */
export const NumberSent = Type.String({
  pattern: '^-?\\d{1,40}(\\.\\d{1,40})?([eE][+-]?\\d{1,3})?$',
  description: 'a decimal number',
});
export const TimeSent = Type.String({
  pattern: '^\\d{1,16}(\\.0+)?$',
  description: 'whole milliseconds since 1970-01-01 UTC, not negative',
});
/** An id in a query. Above 2^63 no id exists, but the form is valid. */
export const ID_PATTERN = '^\\d{1,40}$';
export const IdSent = Type.String({ pattern: ID_PATTERN, description: 'an id of digits' });
export const LIMIT_PATTERN = '^0*[1-9]\\d{0,39}(\\.0+)?$';
export const LimitSent = Type.String({
  pattern: LIMIT_PATTERN,
  description: 'a whole number of at least 1',
});
const EntryIdSent = Type.String({
  pattern: '^\\d{1,19}$',
  description: 'the id of a row that an earlier answer held',
});

/** True or false as text, the only type that a query has. */
export const FlagWordSent = Type.String({
  pattern: '^(true|false)$',
  description: 'true or false',
});
/** The same in a body: the value or the text. */
export const FlagSent = Type.Union([Type.Boolean(), FlagWordSent], {
  description: 'true or false',
});
export const isTrue = (sent: unknown): boolean => sent === true || sent === 'true';

export const WordSent = Type.String({ minLength: 1, maxLength: 128, description: 'a word' });
/** Names separated by commas, or the parameter repeated. */
export const SubAccSent = Type.String({
  maxLength: 4_096,
  description: 'names of sub-accounts, separated by commas',
});

/** The parameters of every history endpoint. */
export const PAGE = {
  limit: Type.Optional(LimitSent),
  startTime: Type.Optional(TimeSent),
  endTime: Type.Optional(TimeSent),
  beforeId: Type.Optional(EntryIdSent),
};

/** The same without paging by id, for lists whose rows have none. */
export const WINDOW = {
  limit: Type.Optional(LimitSent),
  startTime: Type.Optional(TimeSent),
  endTime: Type.Optional(TimeSent),
};

export { DAY_MS, HOUR_MS } from './periods.ts';

const WINDOW_MAX_MS = 7 * DAY_MS;

export type Window = { readonly fromMs: number; readonly toMs: number };
export type Page = Window & { readonly limit: number; readonly beforeId?: bigint };
type PageSent = {
  readonly limit?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly beforeId?: string;
};

/** Which rows of a history are requested. */
export function pageOf(
  sent: PageSent,
  limits: Limits | undefined,
  nowMs: number,
  counterFromText: (text: string) => bigint | undefined = entryCounterFromText,
): Page | Refusal {
  assert(limits?.page !== undefined, 'an endpoint with pages declares how long they are');
  const window = windowOf(sent, nowMs);
  if (isRefusal(window)) return window;
  const limit = limitOf(sent.limit, limits.page);
  if (sent.beforeId === undefined) return { ...window, limit };
  const beforeId = counterFromText(sent.beforeId);
  if (beforeId === undefined) {
    return refuse('PARAMETER_INVALID', `beforeId ${sent.beforeId} is no id of this venue`);
  }
  return { ...window, limit, beforeId };
}

/** A limit above the maximum is reduced to it, never refused. */
export function limitOf(sent: string | undefined, limits: PageLimits): number {
  if (sent === undefined) return limits.default;
  return Math.min(Number.parseInt(sent, 10), limits.max);
}

/**
 * Both ends are inclusive. A start without an end covers at most seven days, so that clients which send only
 * an old start are served (a deliberate exception to the default end of "now").
 */
export function windowOf(
  sent: Pick<PageSent, 'startTime' | 'endTime'>,
  nowMs: number,
): Window | Refusal {
  const startMs = wholeMs('startTime', sent.startTime);
  const endMs = wholeMs('endTime', sent.endTime);
  if (typeof startMs === 'object') return startMs;
  if (typeof endMs === 'object') return endMs;
  const toMs = endMs ?? (startMs === undefined ? nowMs : Math.min(nowMs, startMs + WINDOW_MAX_MS));
  const fromMs = startMs ?? Math.max(0, Math.min(nowMs, toMs) - DAY_MS);
  if (fromMs > toMs) {
    return refuse('PARAMETER_INVALID', `startTime ${fromMs} is after endTime ${toMs}`);
  }
  if (toMs - fromMs > WINDOW_MAX_MS) return windowTooLong(fromMs, toMs);
  return { fromMs, toMs };
}

function wholeMs(name: string, sent: string | undefined): number | undefined | Refusal {
  if (sent === undefined) return undefined;
  const timeMs = Number.parseInt(sent, 10);
  if (Number.isSafeInteger(timeMs)) return timeMs;
  return refuse('PARAMETER_INVALID', `${name} ${sent} is beyond any calendar`);
}

const windowTooLong = (fromMs: number, toMs: number): Refusal =>
  refuse(
    'PARAMETER_INVALID',
    `startTime ${fromMs} and endTime ${toMs} are ${toMs - fromMs} ms apart, ` +
      `but must be within 7 days (${WINDOW_MAX_MS} ms) of each other; ` +
      `nearest endTime ${fromMs + WINDOW_MAX_MS}`,
  );

/** Distinct names in the order of the request. */
export function subAccountNames(
  sent: string | undefined,
  limits: Limits | undefined,
): readonly string[] | Refusal {
  const namesMax = limits?.subAccountsMax;
  assert(namesMax !== undefined, 'an endpoint with subAcc declares how many names it takes');
  if (sent === undefined || sent === '') return [];
  const names = [...new Set(sent.split(','))].filter((name) => name !== '');
  if (names.length <= namesMax) return names;
  return refuse('PARAMETER_INVALID', `subAcc holds ${names.length} names, at most ${namesMax}`);
}
