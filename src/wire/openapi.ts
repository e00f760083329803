import type { TSchema } from 'typebox';
import { refusalsOf } from './docs/refusals-of.ts';
import { ACCESS_NEEDS, type Endpoint } from './endpoint.ts';
import { Failure, HTTP_STATUS } from './errors.ts';

/** An OpenAPI 3.1 document of the endpoints: exactly what is declared. */
export function openapiDocument(endpoints: readonly Endpoint[], version: string): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      paths[path] ??= {};
      paths[path][endpoint.method.toLowerCase()] = operation(endpoint, path);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rialto',
      version,
      description:
        'A trading venue. Amounts, prices, ids and times are JSON strings. Every private request ' +
        'carries AccessKey, Timestamp, Nonce and Signature: base64 of the HMAC-SHA256, keyed with ' +
        'the secret, of timestamp, nonce, method, host, path and query (GET) or body (else), ' +
        'joined by line feeds.',
    },
    paths,
    components: { schemas: { Failure }, securitySchemes: SECURITY_SCHEMES },
  };
}

export type OpenApi = {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, TSchema>>;
    readonly securitySchemes: typeof SECURITY_SCHEMES;
  };
};

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, { description: string; content: JsonContent }>>;
};
type Parameter = {
  readonly name: string;
  readonly in: 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: TSchema;
};
type JsonContent = { readonly 'application/json': { readonly schema: object } };

const SIGNED_HEADERS = ['AccessKey', 'Timestamp', 'Nonce', 'Signature'] as const;

const apiKey = (name: string) => ({ type: 'apiKey', in: 'header', name }) as const;
const SECURITY_SCHEMES = {
  AccessKey: apiKey('AccessKey'),
  Timestamp: apiKey('Timestamp'),
  Nonce: apiKey('Nonce'),
  Signature: apiKey('Signature'),
};

const json = (schema: object): JsonContent => ({ 'application/json': { schema } });

function operation(endpoint: Endpoint, path: string): Operation {
  const isPublic = endpoint.access === 'public';
  const about = accessText(endpoint);
  return {
    operationId: operationId(endpoint.method, path),
    summary: endpoint.summary,
    ...(about === undefined ? {} : { description: about }),
    security: isPublic ? [] : [Object.fromEntries(SIGNED_HEADERS.map((name) => [name, []]))],
    ...(endpoint.method === 'GET'
      ? { parameters: parameters(endpoint) }
      : { requestBody: requestBody(endpoint) }),
    responses: responses(endpoint),
  };
}

function accessText({ access }: Endpoint): string | undefined {
  if (access === 'operator') return 'Needs the credential of an operator.';
  if (access === 'sandbox') return 'Needs the token of the sandbox.';
  const needs = ACCESS_NEEDS[access];
  if (needs === undefined) return undefined;
  const whose = needs.parentOnly ? 'a key of the parent account' : 'any key';
  return `Needs ${whose} with the permission to ${needs.permission}.`;
}

/** "get_v3_account_names": stable, and unique because method and path together are. */
const operationId = (method: string, path: string): string =>
  method.toLowerCase() + path.replace(/[^A-Za-z0-9]+/g, '_');

function parameters({ request, limits }: Endpoint): Parameter[] {
  const required = new Set<string>(request.required ?? []);
  const page = limits?.page;
  const bounds: Readonly<Record<string, string>> = {
    ...(page === undefined ? {} : { limit: `; ${page.default} unless given, at most ${page.max}` }),
    subAcc: `; at most ${limits?.subAccountsMax}`,
  };
  return Object.entries(request.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    description: describe(schema) + (bounds[name] ?? ''),
    // An enumeration does not state its type.
    schema: { type: 'string', ...schema },
  }));
}

/** A body may be left out where nothing in it is required. */
function requestBody({ request }: Endpoint): NonNullable<Operation['requestBody']> {
  const { properties } = request;
  const required = Object.keys(properties).filter((name) => isRequired(request, name));
  const members = Object.entries(properties).map(([name, of]) => [name, sentInBody(of)]);
  const schema = { ...request, properties: Object.fromEntries(members) };
  return {
    required: required.length > 0,
    content: json(required.length > 0 ? { ...schema, required } : schema),
  };
}

/** Members of an order are read one by one, each with its own code: their description says it. */
export const isRequired = ({ required, properties }: MembersDeclared, name: string): boolean =>
  required?.includes(name) === true ||
  (properties[name] !== undefined && describe(properties[name]).startsWith('required'));
type MembersDeclared = {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
};

/** In a body, what is a number as text may be a JSON number; the schemas of requests know only text. */
function sentInBody(schema: TSchema): object {
  const { type, pattern, items } = schema as {
    readonly type?: string;
    readonly pattern?: string;
    readonly items?: TSchema & Partial<MembersDeclared>;
  };
  if (type === 'string' && pattern !== undefined && new RegExp(pattern).test('1')) {
    return { ...schema, type: ['string', 'number'] };
  }
  if (items?.properties === undefined) return schema;
  const { properties } = items;
  const required = Object.keys(properties).filter((name) => isRequired({ properties }, name));
  return { ...schema, items: { ...items, type: 'object', required } };
}

/** Describes a value of this schema, the same in documents and refusals. */
export const describe = (schema: TSchema): string =>
  'description' in schema && typeof schema.description === 'string' ? schema.description : 'valid';

function responses(endpoint: Endpoint): Operation['responses'] {
  const { reply, beside = {} } = endpoint;
  const success = {
    type: 'object',
    required: ['success', 'data', ...Object.keys(beside)],
    properties: { success: { const: true }, ...beside, data: reply },
  };
  const failure = (description: string) => ({
    description,
    content: json({ $ref: '#/components/schemas/Failure' }),
  });
  const { own, common } = refusalsOf(endpoint);
  const statuses = new Set([...own, ...common].map((rejection) => HTTP_STATUS[rejection]));
  return {
    '200': { description: 'Done', content: json(success) },
    ...Object.fromEntries(
      [...statuses].map((status) => [status, failure(FAILURES[status] ?? 'Refused')]),
    ),
    default: failure('Any other failure, such as a fault of the venue (500)'),
  };
}

const FAILURES: Readonly<Record<number, string>> = {
  400: 'The request asks for something the venue refuses',
  401: 'Key, timestamp, signature or password do not hold',
  403: 'The key may not do this, or the account may not',
  409: 'It exists already, has changed meanwhile, or was answered before',
  413: 'The body is longer than the maximum',
  429: 'Too many requests; Retry-After says when to come back',
  503: 'Unavailable, or outcome unknown: send the same bytes again',
};
