/**
 * JSON without loss. A number becomes the text of the number, so that a 64-bit id or a long decimal never
 * passes through a double; a null member becomes an absent one.
 *
 * Cost: `JSON.parse` and one walk over the members. Only a text that has numbers, and could have one that a
 * double cannot represent (16 digits or an exponent somewhere, be it in a string), is parsed again with a
 * reviver that sees the source. With at most 15 digits
 * `String(value)` returns the number that was written, except for its trailing zeros.
 */

/** Requests are at most three levels deep; anything deeper is unknown members, left alone. */
const DEPTH_MAX = 8;

/** More than any request needs: 150 hypothetical prices and orders are about 650 values. */
export const JSON_VALUES_MAX = 1_024;
const JSON_DEPTH_MAX = 32;
/** A text this short cannot have too many values or levels. */
const ALWAYS_FITS = 256;

/**
 * Why a text is refused unread, or undefined. Counted on the text, before anything is built from it: a long
 * list of numbers costs far more to parse than to count. Values are counted by the commas and brackets
 * between them, levels by open brackets.
 */
export function jsonExcess(text: string): string | undefined {
  if (text.length <= ALWAYS_FITS) return undefined;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) {
      at = endOfString(text, at);
    } else if (sign === COMMA) {
      values++;
    } else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
      values++;
      if (++depth > JSON_DEPTH_MAX) return `more than ${JSON_DEPTH_MAX} levels`;
    } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) {
      depth--;
    }
    if (values > JSON_VALUES_MAX) return `more than ${JSON_VALUES_MAX} values`;
  }
  return undefined;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The end of the string that begins at `at`; the end of the text if it is not terminated. */
function endOfString(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const sign = text.charCodeAt(end);
    if (sign === BACKSLASH) end++;
    else if (sign === QUOTE) return end;
  }
  return text.length;
}

/** Undefined if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    const root: { value: unknown } = { value: JSON.parse(text) };
    if (root.value === null) return null;
    if (makeExact(root, 0) && mayLoseDigits(text)) {
      root.value = JSON.parse(text, keepSource as Reviver);
      makeExact(root, 0);
    }
    return root.value;
  } catch {
    return undefined;
  }
}

/** Sixteen digits and points in a row, or an exponent: /[\d.]{16}|\d[eE][+-]?\d/, at a tenth of its time. */
function mayLoseDigits(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (isDigit(sign) || sign === POINT) {
      if (++run === 16) return true;
    } else {
      const isExponent = sign === UPPER_E || sign === LOWER_E;
      if (isExponent && run > 0 && isDigit(text.charCodeAt(at - 1))) {
        const next = text.charCodeAt(at + 1);
        const isSigned = next === PLUS || next === MINUS;
        if (isDigit(isSigned ? text.charCodeAt(at + 2) : next)) return true;
      }
      run = 0;
    }
  }
  return false;
}

const [PLUS, MINUS, POINT, UPPER_E, LOWER_E] = [0x2b, 0x2d, 0x2e, 0x45, 0x65];
/** False beyond the end of a text, where `charCodeAt` gives NaN. */
const isDigit = (sign: number): boolean => sign >= 0x30 && sign <= 0x39;

/** A JSON object, as every request body must be. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The library's type does not know the third argument yet; every supported runtime has it. */
type Reviver = (key: string, value: unknown) => unknown;

function keepSource(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && String(value) !== context.source ? context.source : value;
}

/**
 * In place; returns whether a number was met. Members are overwritten, never added or copied: a member named
 * `__proto__` is an own property here and stays one.
 */
function makeExact(members: Record<string, unknown>, depth: number): boolean {
  let isNumberMet = false;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (typeof member === 'string') continue;
    if (member === null) members[key] = undefined;
    else if (typeof member === 'number') {
      members[key] = String(member);
      isNumberMet = true;
    } else if (typeof member === 'object' && depth <= DEPTH_MAX) {
      isNumberMet = makeExact(member as Record<string, unknown>, depth + 1) || isNumberMet;
    }
  }
  return isNumberMet;
}
