import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Recording } from './docs/recording.ts';
import { ENDPOINTS } from './endpoints.ts';
import { openapiDocument } from './openapi.ts';

const document = JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS, '1.2.3')));

test('no method and path are declared twice', () => {
  const all = ENDPOINTS.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map((served) => `${method} ${served}`),
  );
  expect(new Set(all).size).toBe(all.length);
});

test('every endpoint is an operation of the document, and nothing else is', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = ENDPOINTS.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map((one) => `${method} ${one}`),
  );
  expect(operations.sort()).toEqual(declared.sort());
});

test('the document has the structure of OpenAPI 3.1', () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.info).toMatchObject({ title: expect.any(String), version: '1.2.3' });
  const ids = new Set<string>();
  for (const { method, path, access, beside = {} } of ENDPOINTS) {
    const operation = document.paths[path][method.toLowerCase()];
    expect(ids.has(operation.operationId)).toBe(false);
    ids.add(operation.operationId);
    const success = operation.responses['200'].content['application/json'].schema;
    expect(success.required).toEqual(['success', 'data', ...Object.keys(beside)]);
    expect('requestBody' in operation).toBe(method !== 'GET');
    expect(operation.security.length).toBe(access === 'public' ? 0 : 1);
    for (const parameter of operation.parameters ?? []) {
      expect(parameter).toMatchObject({ in: 'query', required: expect.any(Boolean) });
      expect(parameter.schema.type).toBe('string');
      expect(parameter.description).not.toBe('valid');
    }
    for (const scheme of Object.keys(operation.security[0] ?? {})) {
      expect(document.components.securitySchemes[scheme]).toMatchObject({ type: 'apiKey' });
    }
  }
});

test('every reference of the document leads somewhere', () => {
  const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? [];
  expect(references.length).toBeGreaterThan(0);
  for (const reference of new Set(references)) {
    const names = reference.slice(3, -1).split('/');
    const found = names.reduce((node, name) => node?.[name], document);
    expect(found, reference).toBeDefined();
  }
});

test('every recorded answer has a declared status and no undeclared member beside data', () => {
  const { calls }: Recording = JSON.parse(readFileSync('docs/recorded.json', 'utf8'));
  const beside = new Set<string>();
  for (const { endpoint, status, answer } of calls) {
    const [method = '', path = ''] = endpoint.toLowerCase().split(' ');
    const declared = document.paths[path]?.[method].responses[status];
    expect(declared, `${endpoint} ${status}`).toBeDefined();
    const { $ref, properties } = declared.content['application/json'].schema;
    if ($ref !== undefined) continue;
    for (const member of Object.keys(answer)) {
      expect(properties, endpoint).toHaveProperty([member]);
      if (member !== 'success' && member !== 'data') beside.add(`${path} ${member}`);
    }
  }
  expect([...beside].sort()).toEqual(['/v3/candles timeframe', '/v3/depth level']);
});

test('the statuses of an operation are those of its refusals', () => {
  const statuses = (method: string, path: string) =>
    Object.keys(document.paths[path][method].responses);
  expect(statuses('post', '/v3/session')).toContain('401');
  expect(statuses('post', '/v3/registration')).toContain('409');
  expect(statuses('post', '/v3/sub-accounts')).toContain('409');
  expect(statuses('post', '/v3/orders/place')).toContain('413');
  expect(statuses('get', '/v3/markets')).toEqual(['200', '400', '429', '503', 'default']);
});

test('placing has the three notices of the published interface; only an amendment modifies', () => {
  const noticesOf = (path: string) =>
    document.paths[path].post.responses['200'].content['application/json'].schema.properties.data
      .items.properties.notice.enum;
  expect(noticesOf('/v3/orders/place')).toEqual(['OrderOpened', 'OrderMatched', 'OrderClosed']);
  expect(noticesOf('/v3/orders/modify')).toContain('OrderModified');
});

test('a body takes numbers as text or as JSON numbers, and may be absent where nothing is required', () => {
  const body = (method: string, path: string) => document.paths[path][method].requestBody;
  const cancel = body('delete', '/v3/orders/cancel');
  expect(cancel.required).toBe(true);
  const { orders, recvWindow, timestamp } = cancel.content['application/json'].schema.properties;
  expect([recvWindow.type, timestamp.type]).toEqual([
    ['string', 'number'],
    ['string', 'number'],
  ]);
  expect(orders.items.required).toEqual(['marketCode']);
  const placed = body('post', '/v3/orders/place').content['application/json'].schema;
  const { items } = placed.properties.orders;
  expect(items.required).toEqual(['marketCode', 'side', 'orderType']);
  expect(body('delete', '/v3/orders/cancel-all').required).toBe(false);
  expect(body('post', '/v3/orders/preview').required).toBe(true);
});

test('a description of a parameter says what it must be, because refusals repeat it so', () => {
  for (const { path, method, request } of ENDPOINTS) {
    if (method !== 'GET') continue;
    for (const [name, { description }] of Object.entries(request.properties as Described)) {
      expect(description, `${path} ${name}`).not.toMatch(/^extension/i);
    }
  }
});
type Described = Record<string, { readonly description?: string }>;
