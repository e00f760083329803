import { isJsonObject, readJson } from './json.ts';

export type Query = { [name: string]: string };

/** Parameters whose repeated values form one list: `subAcc=a&subAcc=b` means `subAcc=a,b`. */
const LISTS = new Set(['subAcc']);

/**
 * Reads a query string. Of a repeated parameter the first value counts, because clients that rebuild the
 * query sign that one; a list keeps all of them.
 *
 * Undefined if a percent sequence is invalid.
 */
export function readQuery(text: string): Query | undefined {
  const query: Query = Object.create(null);
  if (text === '') return query;
  try {
    const pairs = text.startsWith('%7B') || text.startsWith('{') ? jsonPairs(text) : undefined;
    for (const [name, value] of pairs ?? pairsOf(text)) {
      const first = query[name];
      if (first === undefined) query[name] = value;
      else if (LISTS.has(name)) query[name] = `${first},${value}`;
    }
    return query;
  } catch {
    return undefined;
  }
}

/** Name and value of each parameter, decoded, in the order of the text. */
export function* pairsOf(text: string): Generator<[name: string, value: string]> {
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    if (at < 0) yield [decode(pair), ''];
    else yield [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
  }
}

/**
 * Writes a query string that a URL parser leaves unchanged: what was signed is what is sent.
 * `encodeURIComponent` alone would leave the apostrophe, which URL parsers then encode.
 */
export function queryText(parameters: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27');

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** A published Python sample puts `json.dumps(...)` after the question mark. */
function jsonPairs(text: string): [string, string][] | undefined {
  const members = readJson(decode(text));
  if (!isJsonObject(members)) return undefined;
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
}
