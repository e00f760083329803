import type { Rule } from './rules.ts';

/** One deliberate fault of the core: a rule that no longer holds, by a change of one piece of text. */
export type Mutation = {
  /** Unique, a few words that say what the broken venue does. */
  readonly name: string;
  /** The rule it breaks, as `rules.ts` lists it. */
  readonly rule: Rule;
  /** The file, from `src/core/` on. */
  readonly file: string;
  /** Text that occurs exactly once in the file, and what stands there instead. */
  readonly find: string;
  readonly replace: string;
};

export const MUTATED_FOLDER = 'src/core';

/** The file's text with the fault in it, or why it cannot be put there. */
export function mutatedText(
  { find, replace }: Pick<Mutation, 'find' | 'replace'>,
  text: string,
): { readonly text: string } | { readonly fault: string } {
  const pieces = text.split(find);
  if (pieces.length !== 2) return { fault: `occurs ${pieces.length - 1} times` };
  return { text: pieces.join(replace) };
}
