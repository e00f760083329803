/**
 * JSON without loss. A number of the text becomes the text of the number, so that a 64-bit id or a
 * long decimal never passes through a double; a null member becomes an absent one.
 *
 * Cost: `JSON.parse` and one walk over the members. Only a text that could hold a number a double
 * cannot (16 digits, or an exponent) pays for a reviver that sees the source. With at most 15
 * digits `String(value)` gives back the number that was written, if not its trailing zeros.
 */

/** Requests are three levels deep at the most; what lies deeper is unknown members, left alone. */
const DEPTH_MAX = 8;
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE][+-]?\d/;

/** Undefined when the text is no JSON. */
export function readJson(text: string): unknown {
  try {
    const value: unknown = MAY_LOSE_DIGITS.test(text)
      ? JSON.parse(text, keepSource as Reviver)
      : JSON.parse(text);
    return exact(value, 0);
  } catch {
    return undefined;
  }
}

/** A JSON object, as every request body must be. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The library's type does not know the third argument yet; every runtime we serve has it. */
type Reviver = (key: string, value: unknown) => unknown;

function keepSource(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && String(value) !== context.source ? context.source : value;
}

/**
 * In place. Members are overwritten, never added or copied: a member called `__proto__` is an own
 * property here and stays one.
 */
function exact(value: unknown, depth: number): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (member === null) members[key] = undefined;
    else if (typeof member !== 'string') members[key] = exact(member, depth + 1);
  }
  return value;
}
