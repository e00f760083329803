import type { TSchema } from 'typebox';
import { ACCESS_NEEDS, type Endpoint, type ObjectSchema } from './endpoint.ts';
import { Failure } from './errors.ts';

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
  readonly requestBody?: { readonly required: true; readonly content: JsonContent };
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
      ? { parameters: parameters(endpoint.request) }
      : { requestBody: { required: true, content: json(endpoint.request) } }),
    responses: responses(endpoint.reply, isPublic),
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

function parameters(request: ObjectSchema): Parameter[] {
  const required = new Set<string>(request.required ?? []);
  return Object.entries(request.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    description: describe(schema),
    // An enumeration does not state its type.
    schema: { type: 'string', ...schema },
  }));
}

/** Describes a value of this schema, the same in documents and refusals. */
export const describe = (schema: TSchema): string =>
  'description' in schema && typeof schema.description === 'string' ? schema.description : 'valid';

function responses(reply: TSchema, isPublic: boolean): Operation['responses'] {
  const success = {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { const: true }, data: reply },
  };
  const failure = (description: string) => ({
    description,
    content: json({ $ref: '#/components/schemas/Failure' }),
  });
  return {
    '200': { description: 'Done', content: json(success) },
    '400': failure('The request asks for something the venue refuses'),
    ...(isPublic
      ? {}
      : {
          '401': failure('Key, timestamp or signature do not hold'),
          '403': failure('The key may not do this'),
        }),
    '429': failure('Too many requests; Retry-After says when to come back'),
    '503': failure('Unavailable, or outcome unknown: send the same bytes again'),
  };
}
