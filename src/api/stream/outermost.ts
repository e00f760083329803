import { TAG_MAX } from '../../wire/stream.ts';
import type { Members } from '../request/members.ts';

/** Enough for an operation and a tag, in any order and spacing. */
const PART_MAX = 256;
const OP = /"op"\s*:\s*"(\w{1,20})"/;
const TAG = /"tag"\s*:\s*(?:("(?:[^"\\]|\\.)*")|(-?[\d.eE+-]+))\s*[,}]/;

/**
 * Operation and tag of a message that is too long to be parsed, for its answer: a client that waits for its
 * tag would otherwise wait for ever. They are looked for before the first list or object inside the message
 * and behind the last, so that a `tag` inside of an order is not taken for that of the message.
 */
export function outermostMembers(text: string): Members {
  const first = text.slice(1).search(/[[{]/);
  const head = first < 0 ? text : text.slice(0, first + 1);
  const last = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}', text.lastIndexOf('}') - 1));
  const outer = `${head.slice(0, PART_MAX)} ${text.slice(last + 1).slice(-PART_MAX)}`;
  const op = OP.exec(outer)?.[1];
  const tag = tagOf(outer);
  return { ...(op === undefined ? {} : { op }), ...(tag === undefined ? {} : { tag }) };
}

function tagOf(outer: string): string | undefined {
  const [, quoted, number] = TAG.exec(outer) ?? [];
  if (quoted === undefined) return number?.slice(0, TAG_MAX);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
