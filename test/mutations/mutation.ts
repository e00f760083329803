import type { Rule } from './rules.ts';

/** One deliberate fault of the core: a text replacement that breaks a rule. */
export type Mutation = {
  /** Unique, a few words that say what the broken venue does. */
  readonly name: string;
  /** The broken rule, as listed in `rules.ts`. */
  readonly rule: Rule;
  /** The file, relative to `src/core/`. */
  readonly file: string;
  /** Text that occurs exactly once in the file, and its replacement. */
  readonly find: string;
  readonly replace: string;
};

export const MUTATED_FOLDER = 'src/core';

/** The file's text with the fault, or why it cannot be inserted. */
export function mutatedText(
  { find, replace }: Pick<Mutation, 'find' | 'replace'>,
  text: string,
): { readonly text: string } | { readonly fault: string } {
  const pieces = text.split(find);
  if (pieces.length !== 2) return { fault: `occurs ${pieces.length - 1} times` };
  return { text: pieces.join(replace) };
}
