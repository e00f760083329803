const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.](\d{1,9}))?(?:Z|[+]00:00)?$/;

/**
 * Reads the Timestamp header in every form that clients send, always as UTC:
 * with or without fraction, with `Z`, with `+00:00`, or bare.
 *
 * Undefined for what is no such time; the 30th of February is none.
 */
export function timestampMs(text: string): number | undefined {
  const found = ISO.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = numbers(found);
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const dayMs = Date.UTC(year, month - 1, day);
  // Date.UTC rolls over ("02-30" is 2 March) and reads years below 100 as 19xx: both are refused.
  if (new Date(dayMs).getUTCDate() !== day || year < 1970) return undefined;
  return dayMs + ((hour * 60 + minute) * 60 + second) * 1_000 + fractionMs(found[7]);
}

/** As an ISO text with milliseconds and Z, the form this venue's own client sends. */
export const timestampText = (timeMs: number): string => new Date(timeMs).toISOString();

type Fields = [number, number, number, number, number, number];

const numbers = (found: RegExpExecArray): Fields =>
  found.slice(1, 7).map((digits) => Number.parseInt(digits, 10)) as Fields;

/** Whole milliseconds; what lies below them is cut, as clients that send microseconds expect. */
const fractionMs = (digits: string | undefined): number =>
  digits === undefined ? 0 : Number.parseInt(digits.slice(0, 3).padEnd(3, '0'), 10);
