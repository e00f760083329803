const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.]\d{1,9})?(?:Z|[+-]00:00)?$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads the Timestamp header in every form that clients send, always as UTC: with or without fraction, with
 * `Z`, with `+00:00` or `-00:00` (RFC 3339), or bare.
 *
 * Undefined for an invalid time; the 30th of February is one.
 */
export function timestampMs(text: string): number | undefined {
  if (!FORM.test(text)) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  // Checked here because Date.UTC rolls over ("02-30" is 2 March) and reads years below 100 as 19xx.
  if (year < 1970 || day < 1 || day > daysOf(year, month)) return undefined;
  const dayMs = Date.UTC(year, month - 1, day);
  return dayMs + ((hour * 60 + minute) * 60 + second) * 1_000 + fractionMs(text);
}

/** 0 for a month that does not exist. */
function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** As an ISO text with milliseconds and Z, the form this venue's own client sends. */
export const timestampText = (timeMs: number): string => new Date(timeMs).toISOString();

/** The format has been checked: every character here is a digit. */
function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

const FRACTION_AT = 20;

/** Whole milliseconds; finer digits are truncated, as clients that send microseconds expect. */
function fractionMs(text: string): number {
  if (text[FRACTION_AT - 1] !== '.') return 0;
  let value = 0;
  for (let at = FRACTION_AT; at < FRACTION_AT + 3; at++) {
    const digit = text.charCodeAt(at) - 48;
    // The fraction may end, or the text.
    if (!(digit >= 0 && digit <= 9)) return value * 10 ** (FRACTION_AT + 3 - at);
    value = value * 10 + digit;
  }
  return value;
}
