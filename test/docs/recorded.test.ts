import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/compile';
import { beforeAll, describe, expect, test } from 'vitest';
import { memberRows } from '../../src/api/docs/schema-rows.ts';
import { meaningOf } from '../../src/wire/docs/meanings.ts';
import type { Recording } from '../../src/wire/docs/recording.ts';
import {
  membersOfMessages,
  STREAM_SUBJECTS,
  streamMeaningOf,
} from '../../src/wire/docs/stream-messages.ts';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { guideFiles } from './guide-files.ts';
import type { GuideParts } from './guide-parts.ts';
import { recordVenue } from './record.ts';

/** The examples of /docs are what a venue answers now. About 8 s of the whole run. */
const kept = JSON.parse(readFileSync('docs/recorded.json', 'utf8')) as Recording;
let fresh: Recording;
let parts: GuideParts;
beforeAll(async () => {
  ({ recording: fresh, parts } = await recordVenue());
});

/** Names and types, without values; lists as their first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shapeOf(of)]));
}

/** Every code in an answer, including those of single orders. */
const codesOf = (answer: object): string[] =>
  [...JSON.stringify(answer).matchAll(/"code":"(\d+)"/g)].map(([, code]) => code as string);

test('every endpoint was recorded, once, and answered as it declares', () => {
  expect(kept.calls.map(({ endpoint }) => endpoint).sort()).toEqual(
    ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  for (const { method, path, reply } of ENDPOINTS) {
    const call = kept.calls.find(({ endpoint }) => endpoint === `${method} ${path}`);
    const { data } = (call?.answer ?? {}) as { readonly data?: unknown };
    expect(call?.status, path).toBe(200);
    expect([...Compile(reply).Errors(data)], path).toEqual([]);
    // An empty list shows nothing.
    expect(data, path).not.toEqual([]);
  }
});

test('a venue answers today as recorded, in shape and code: npm run docs', () => {
  for (const [at, { endpoint, request, status, answer }] of kept.calls.entries()) {
    const now = fresh.calls[at];
    expect(now?.endpoint).toBe(endpoint);
    expect(shapeOf(now?.request), endpoint).toEqual(shapeOf(request));
    expect(now?.status, endpoint).toBe(status);
    expect(shapeOf(now?.answer), endpoint).toEqual(shapeOf(answer));
    expect(codesOf(now?.answer ?? {}), endpoint).toEqual(codesOf(answer));
  }
  expect(fresh.sdk).toEqual(kept.sdk);
});

describe('the stream', () => {
  test('every subject was recorded, and is heard today in the same shape: npm run docs', () => {
    const names = (recording: Recording) => recording.stream.map(({ name }) => name).sort();
    expect(names(kept)).toEqual(STREAM_SUBJECTS.map(({ name }) => name).sort());
    expect(names(fresh)).toEqual(names(kept));
    for (const { name, lines } of kept.stream) {
      const now = fresh.stream.find((talk) => talk.name === name)?.lines ?? [];
      const shapes = (all: typeof lines) =>
        all.map(({ from, message }) => [from, shapeOf(message)]);
      expect(shapes(now), name).toEqual(shapes(lines));
    }
  });

  test('every member has words', () => {
    const messages = kept.stream.flatMap(({ lines }) =>
      lines.filter(({ from }) => from === 'venue').map(({ message }) => message),
    );
    const silent = membersOfMessages(messages)
      .map(({ name }) => name.replace(/^.*\./, '').replaceAll('[]', ''))
      .filter((member) => streamMeaningOf(member) === undefined);
    expect(silent).toEqual([]);
  });
});

test('every member of every request and answer has words, and an SDK method calls every endpoint', () => {
  const silent = ENDPOINTS.flatMap(({ method, path, request, reply }) =>
    [...memberRows(request), ...memberRows(reply)]
      .map(({ name }) => name.replace(/^.*\./, '').replaceAll('[]', ''))
      .filter((member) => meaningOf(`${method} ${path}`, member) === undefined)
      .map((member) => `${method} ${path} ${member}`),
  );
  expect(silent).toEqual([]);
  for (const { method, path } of ENDPOINTS)
    expect(kept.sdk[`${method} ${path}`], path).toBeTruthy();
});

test('figures and pictures of the guides are what the venue computes: npm run docs', () => {
  const read = (path: string): string => readFileSync(path, 'utf8');
  for (const [path, content] of guideFiles(parts, read)) expect(read(path), path).toBe(content);
});
