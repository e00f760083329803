import type { Plain } from '../bytes/plain.ts';
import { sampleState } from './sample-state.ts';

/**
 * The layout of the state as text: every member's path and type, of a small venue that has one of everything.
 * Nobody has to remember to increase a version: adding, removing or retyping a member makes another layout,
 * and a snapshot records its own. What types do not show (a code that means something else, a sum that is
 * kept by another rule) is covered by RULES_VERSION.
 */
export const stateLayout = (): string =>
  [...linesOf(sampleState() as unknown as Plain)].sort().join('\n');

/** "accounts[].name: string": one line for every path and type. */
export function linesOf(value: Plain, path = '', lines = new Set<string>()): Set<string> {
  if (value === null || typeof value !== 'object') {
    lines.add(`${path}: ${value === null ? 'null' : typeof value}`);
  } else if (ArrayBuffer.isView(value)) {
    lines.add(`${path}: ${value.constructor.name}`);
  } else if (Array.isArray(value)) {
    lines.add(`${path}: list`);
    for (const item of value) linesOf(item, `${path}[]`, lines);
  } else if (value instanceof Map) {
    lines.add(`${path}: map`);
    for (const [key, item] of value as ReadonlyMap<string | number | bigint, Plain>) {
      linesOf(item, `${path}{${typeof key}}`, lines);
    }
  } else {
    for (const [name, item] of Object.entries(value as { readonly [name: string]: Plain })) {
      // An absent member is not written, so it is not part of the layout.
      if (item !== undefined) linesOf(item, path === '' ? name : `${path}.${name}`, lines);
    }
  }
  return lines;
}
