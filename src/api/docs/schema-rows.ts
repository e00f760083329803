import type { TSchema } from 'typebox';
import { isRequired } from '../../wire/openapi.ts';

/** One member of a request or answer, as a row of its table. */
export type MemberRow = {
  /** "fills[].price": its path. */
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly words: string;
};

type Shape = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: TSchema | readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly TSchema[];
  readonly description?: string;
};

/** All members, including nested ones; members of a list have [] in their names. */
export function memberRows(schema: TSchema, path = ''): MemberRow[] {
  const { items, properties, required = [] } = schema as Shape;
  if (items !== undefined && !Array.isArray(items))
    return memberRows(items as TSchema, `${path}[]`);
  if (properties === undefined) return [];
  return Object.entries(properties).flatMap(([member, of]) => {
    const name = path === '' ? member : `${path}.${member}`;
    const row = {
      name,
      type: typeWords(of),
      isOptional: !isRequired({ required, properties }, member),
      words: (of as Shape).description ?? '',
    };
    return [row, ...memberRows(of, name)];
  });
}

/** "BUY | SELL", "list", "text": the JSON type. */
function typeWords(schema: TSchema): string {
  const { type, enum: words, items, anyOf, properties, const: only } = schema as Shape;
  if (only !== undefined) return JSON.stringify(only);
  if (words !== undefined) return words.map(String).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeWords))].join(' or ');
  if (items !== undefined) return Array.isArray(items) ? 'list of two' : 'list';
  if (properties !== undefined) return 'object';
  return type === 'string' || type === undefined ? 'text' : type;
}
