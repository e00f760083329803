import type { Plain } from './plain.ts';

export type PlainRecord = { [name: string]: Plain };

/**
 * The names of a record, as they are encoded, and an object that has them.
 *
 * A record that gets its members one by one, by names that are not in the source, becomes a hash table in V8
 * once it has more than a dozen: after a restart, with a state read so, the core was half as fast. A copy of an
 * object that was parsed as a whole has a fixed place for each member, as if the source had a literal for it,
 * and records with the same names share that layout.
 */
export type RecordShape = {
  readonly names: readonly string[];
  /** By name: its length and its bytes. */
  readonly encoded: readonly Uint8Array[];
  readonly template: Readonly<PlainRecord>;
};

/** The records of a program are of few kinds; if names of users fill the table, it is begun anew. */
const SHAPES_MAX = 1_000;

const byNames = new Map<string, RecordShape>();
const byBeginning = new Map<number, RecordShape>();

/** The shape of the last record that began alike: a guess, to be compared name by name. */
export const likelyShape = (beginning: number): RecordShape | undefined =>
  byBeginning.get(beginning);

/** Remembers the shape of a record for those that begin alike. Returns the record in that shape. */
export function shaped(
  beginning: number,
  record: PlainRecord,
  encoded: readonly Uint8Array[],
): PlainRecord {
  const names = Object.keys(record);
  const key = JSON.stringify(names);
  const shape = byNames.get(key) ?? newShape(key, names, record, encoded);
  if (shape === undefined) return record;
  byBeginning.set(beginning, shape);
  return Object.assign({ ...shape.template }, record);
}

function newShape(
  key: string,
  names: readonly string[],
  record: PlainRecord,
  encoded: readonly Uint8Array[],
): RecordShape | undefined {
  // Names that are numbers come first in an object, wherever they were written.
  if (names.some(isIndex)) return undefined;
  if (byNames.size === SHAPES_MAX) {
    byNames.clear();
    byBeginning.clear();
  }
  const shape = { names, encoded, template: templateOf(record) };
  byNames.set(key, shape);
  return shape;
}

const isIndex = (name: string): boolean => /^\d+$/.test(name);

/** Numbers stay numbers: V8 has a place of another kind for a member that always is one. */
function templateOf(record: PlainRecord): PlainRecord {
  const members = Object.entries(record).map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === 'number' ? value : null}`,
  );
  return JSON.parse(`{${members.join()}}`);
}

/** The first texts that are read: kinds, types and states of the venue come before its users' names. */
const words = new Map<string, string>();
const WORDS_MAX = 1_000;
const WORD_LENGTH_MAX = 24;

/**
 * The same text as the program's source has it. V8 stores a word of the source, or a name of a member, once, so
 * that comparing two of them compares addresses and not letters.
 */
export function sameWord(text: string): string {
  if (text.length > WORD_LENGTH_MAX) return text;
  const known = words.get(text);
  if (known !== undefined || words.size >= WORDS_MAX) return known ?? text;
  const [word = text] = Object.keys({ [text]: 0 });
  words.set(word, word);
  return word;
}
