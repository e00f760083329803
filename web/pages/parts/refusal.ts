import { RialtoError } from '../../../src/client/index.ts';

/** Where a refusal belongs in a form. */

const FIELDS_BY_CODE: Readonly<Record<string, readonly string[]>> = {
  '25030': ['code'],
  '25032': ['code'],
  '45038': ['code'],
  '25009': ['code'],
  '25002': ['password'],
  '31001': ['quantity'],
  '31003': ['quantity'],
  '35002': ['quantity'],
  '35022': ['quantity'],
  '35023': ['quantity'],
  '35028': ['quantity'],
  '35032': ['quantity'],
  '35036': ['quantity'],
  '35039': ['quantity'],
  '31004': ['address'],
  '35026': ['address'],
  '35041': ['address'],
  '25010': ['address'],
  '35045': ['memo'],
  '35025': ['toAccount'],
  '45026': ['toAccount', 'account', 'name'],
};

/** The field of those a form has; undefined where the refusal is about none of them. */
function fieldOfRefusal(
  code: string,
  message: string,
  fields: readonly string[],
): string | undefined {
  if (message.includes('of the new factor')) return pick(fields, 'first');
  const byCode = FIELDS_BY_CODE[code]?.find((name) => fields.includes(name));
  if (byCode !== undefined) return byCode;
  // The venue names the member it is about; the one it names first is meant.
  const named = fields
    .map((name) => ({ name, at: message.search(new RegExp(`\\b${name}\\b`)) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  if (named[0] !== undefined) return named[0].name;
  return undefined;
}

const pick = (fields: readonly string[], name: string): string | undefined =>
  fields.includes(name) ? name : undefined;

/** "...; nearest 0.5" */
const nearestIn = (message: string): string | undefined =>
  /nearest ([\d.]+\d|\d)\b/.exec(message)?.[1];

export type Refused = {
  readonly text: string;
  readonly code: string;
  readonly field: string | undefined;
  readonly nearest: string | undefined;
  /** For who reports it: code, message and the request. */
  readonly details: string;
};

export function refusedOf(reason: unknown, fields: readonly string[]): Refused {
  if (reason instanceof RialtoError) {
    const { code, message, requestId } = reason;
    return {
      text: message,
      code,
      field: fieldOfRefusal(code, message, fields),
      nearest: nearestIn(message),
      details: `${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`,
    };
  }
  const text = reason instanceof Error ? reason.message : String(reason);
  const shown = reason instanceof TypeError ? 'The venue did not answer; nothing is known' : text;
  return { text: shown, code: '', field: undefined, nearest: undefined, details: text };
}
