import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { MUTATIONS } from './list.ts';
import { MUTATED_FOLDER, type Mutation, mutatedText } from './mutation.ts';
import { RULES } from './rules.ts';

test('the text that each mutation replaces occurs exactly once, and what comes out can be read', () => {
  // A refactoring that moves the text must update the mutation: `npm run mutate` needs it.
  expect(MUTATIONS.flatMap(faultsOf)).toEqual([]);
});

test('every rule of the list is broken by two mutations or more, each with its own name', () => {
  for (const rule of RULES) {
    const own = MUTATIONS.filter((mutation) => mutation.rule === rule);
    expect(own.length, rule).toBeGreaterThanOrEqual(2);
  }
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});

function faultsOf(mutation: Mutation): string[] {
  const { name, file, find } = mutation;
  const mutated = mutatedText(mutation, readFileSync(`${MUTATED_FOLDER}/${file}`, 'utf8'));
  if ('fault' in mutated) return [`"${name}": ${find} ${mutated.fault} in ${file}`];
  try {
    stripTypeScriptTypes(mutated.text);
    return [];
  } catch (cause) {
    return [`"${name}" cannot be read: ${(cause as Error).message}`];
  }
}
