const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.](\d{1,9}))?(?:Z|[+]00:00)?$/;

/**
 * Reads the Timestamp header in every form that clients send, always as UTC: with or without fraction, with
 * `Z`, with `+00:00`, or bare.
 *
 * Undefined for an invalid time; the 30th of February is one.
 */
export function timestampMs(text: string): number | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const year = digits(text, 0, 4);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const dayMs = Date.UTC(year, digits(text, 5, 2) - 1, day);
  // Date.UTC rolls over ("02-30" is 2 March, "13-01" is January) and reads years below 100 as
  // 19xx. Both are refused: a month too many moves the year, a day too many the day of the month.
  const date = new Date(dayMs);
  if (date.getUTCDate() !== day || date.getUTCFullYear() !== year || year < 1970) return undefined;
  return dayMs + ((hour * 60 + minute) * 60 + second) * 1_000 + fractionMs(found[1]);
}

/** As an ISO text with milliseconds and Z, the form this venue's own client sends. */
export const timestampText = (timeMs: number): string => new Date(timeMs).toISOString();

/** The format has been checked: every character here is a digit. */
function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

/** Whole milliseconds; finer digits are truncated, as clients that send microseconds expect. */
const fractionMs = (digits: string | undefined): number =>
  digits === undefined ? 0 : Number.parseInt(digits.slice(0, 3).padEnd(3, '0'), 10);
