import { Compile, type Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import { REJECTIONS, type Refusal, refuse } from '../../domain/rejections.ts';
import type { Endpoint } from '../../wire/endpoint.ts';
import { isJsonObject, jsonExcess, readJson } from '../../wire/json.ts';
import { describe } from '../../wire/openapi.ts';
import { readQuery } from '../../wire/query.ts';

/** Query and body as one request; a query that the signature does not cover is ignored. */
export function readRequest(method: string, queryText: string, bodyText: string): object | Refusal {
  const query = readQuery(queryText);
  if (query === undefined) return refuse('PARAMETER_INVALID', 'the query is not URL-encoded');
  if (method === 'GET' || bodyText === '') return query;
  const excess = jsonExcess(bodyText);
  if (excess !== undefined) return refuse('JSON_INVALID', `the body holds ${excess}`);
  const body = readJson(bodyText);
  // Some clients send it with a DELETE without a body.
  if (body === null && method === 'DELETE') return query;
  if (!isJsonObject(body)) return refuse('JSON_INVALID', 'the body must be a JSON object');
  return queryText === '' ? body : { ...query, ...present(body) };
}

/** A null member counts as absent, so it does not hide the query's. */
const present = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

export type Validate = (request: object) => Refusal | undefined;

/** The compiled validator returns true or false; only a failure pays for finding the wrong member. */
export function validator({ request: schema }: Endpoint): Validate {
  // Compiled on first use: all of them together are a fifth of the program's start.
  let compiled: Validator | undefined;
  return (request) => {
    compiled ??= Compile(schema);
    return compiled.Check(request) ? undefined : firstFault(schema, request);
  };
}

/** In the order of the declaration, so that a caller always gets the same error first. */
function firstFault(schema: Endpoint['request'], request: object): Refusal {
  const members = request as Readonly<Record<string, unknown>>;
  const required = new Set<string>(schema.required ?? []);
  for (const [name, of] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined && required.has(name)) return missing(name);
    if (value !== undefined && !Value.Check(of, value)) {
      return refuse('PARAMETER_INVALID', `${name} must be ${describe(of)}, not ${shown(value)}`);
    }
  }
  return refuse('PARAMETER_INVALID');
}

const missing = (name: string): Refusal => ({
  rejected: 'PARAMETER_MISSING',
  message: REJECTIONS.PARAMETER_MISSING.message.replace('parameter', `parameter '${name}'`),
});

/** The value sent, shortened. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
