import { nearest } from './domain/nearest.ts';

/** The part of JSON Schema in which the configuration is declared. */
type Schema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

/**
 * What is wrong with a configuration, for its author: the member, what it may be, what it is, and the nearest
 * name if there is no such member. Undefined if it is valid.
 */
export function faultOf(schema: object, value: unknown, path = ''): string | undefined {
  const one = schema as Schema;
  if (one.anyOf !== undefined) return faultOfChoice(one.anyOf, value, path);
  if (one.type === 'object') return faultOfObject(one, value, path);
  if (one.type === 'array') return faultOfList(one, value, path);
  return isAllowed(one, value) ? undefined : wrong(one, value, path);
}

function faultOfObject(schema: Schema, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong(schema, value, path);
  }
  const { properties = {}, required = [], patternProperties } = schema;
  const names = Object.keys(properties);
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const known = properties[name] ?? Object.values(patternProperties ?? {})[0];
    if (known === undefined) {
      const meant = `did you mean ${JSON.stringify(nearest(name, names))}?`;
      return `there is no member ${at}; ${meant} There are ${names.join(', ')}`;
    }
    const fault = faultOf(known, member, at);
    if (fault !== undefined) return fault;
  }
  const missing = required.find((name) => !(name in value));
  if (missing === undefined) return undefined;
  const at = path === '' ? missing : `${path}.${missing}`;
  return `${at} is missing; it is ${allowed(properties[missing] ?? {})}`;
}

function faultOfList(schema: Schema, value: unknown, path: string): string | undefined {
  if (!Array.isArray(value) || value.length < (schema.minItems ?? 0)) {
    return wrong(schema, value, path);
  }
  for (const [at, item] of value.entries()) {
    const fault = faultOf(schema.items ?? {}, item, `${path}[${at}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Of several shapes, the one with the most members in common is assumed. */
function faultOfChoice(choices: readonly Schema[], value: unknown, path: string) {
  if (choices.some((choice) => faultOf(choice, value) === undefined)) return undefined;
  const sent = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const shared = (choice: Schema): number =>
    sent.filter((name) => choice.properties !== undefined && name in choice.properties).length;
  const meant = [...choices].sort((a, b) => shared(b) - shared(a))[0];
  if (meant !== undefined && shared(meant) > 0) return faultOf(meant, value, path);
  return `${path} is ${choices.map(allowed).join(', or ')}; not ${shown(value)}`;
}

const wrong = (schema: Schema, value: unknown, path: string): string =>
  `${path === '' ? 'the file' : path} is ${allowed(schema)}, not ${shown(value)}`;

function isAllowed(schema: Schema, value: unknown): boolean {
  if ('const' in schema) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (typeof value === 'string' && value.length < (schema.minLength ?? 0)) return false;
  if (schema.type !== 'integer') return typeof value === schema.type;
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}

/** What a member may be, as text. */
function allowed(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(allowed).join(', or ');
  switch (schema.type) {
    case 'integer':
      return `a whole number${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return `text${(schema.minLength ?? 0) > 0 ? NOT_EMPTY : ''}`;
    case 'array':
      return `a list${(schema.minItems ?? 0) > 0 ? NOT_EMPTY : ''}`;
    default: {
      const names = Object.keys(schema.properties ?? {});
      return names.length === 0 ? 'an object' : `an object with ${names.join(', ')}`;
    }
  }
}

const NOT_EMPTY = ' that is not empty';

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return maximum === undefined ? '' : ` up to ${maximum}`;
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}

const SHOWN_MAX = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`;
}
