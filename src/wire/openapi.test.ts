import { expect, test } from 'vitest';
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
  for (const { method, path, access } of ENDPOINTS) {
    const operation = document.paths[path][method.toLowerCase()];
    expect(ids.has(operation.operationId)).toBe(false);
    ids.add(operation.operationId);
    expect(operation.responses['200'].content['application/json'].schema.required).toEqual([
      'success',
      'data',
    ]);
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
