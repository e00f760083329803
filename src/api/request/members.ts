import { shortened } from '../../domain/rejections.ts';
import { isJsonObject } from '../../wire/json.ts';

/** Members of an element by name; a value that is not an object has none. */
export type Members = Readonly<Record<string, unknown>>;
export const membersOf = (sent: unknown): Members => (isJsonObject(sent) ? sent : {});

/** A member as text: the JSON was parsed so that numbers are text already. An empty text counts as absent. */
export function textOf(members: Members, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' ? value : shortened(JSON.stringify(value) ?? '');
}
