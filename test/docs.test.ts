import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../src/wire/endpoints.ts';
import { apiMarkdown, operatorMarkdown, sandboxMarkdown } from '../src/wire/markdown.ts';
import { OPERATOR_ENDPOINTS } from '../src/wire/operator.ts';
import { SANDBOX_ENDPOINTS } from '../src/wire/sandbox.ts';

test('the pages of the interfaces are what the declarations say: npm run docs', () => {
  expect(readFileSync('docs/API.md', 'utf8')).toBe(apiMarkdown(ENDPOINTS));
  expect(readFileSync('docs/OPERATOR-API.md', 'utf8')).toBe(operatorMarkdown(OPERATOR_ENDPOINTS));
  expect(readFileSync('docs/SANDBOX-API.md', 'utf8')).toBe(sandboxMarkdown(SANDBOX_ENDPOINTS));
});

test('every link between the documents leads somewhere', () => {
  const pages = [
    'README.md',
    ...readdirSync('docs')
      .filter((f) => f.endsWith('.md'))
      .map((f) => `docs/${f}`),
  ];
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?!http)([^)#]+)/g)]
      .map(([, target]) => join(dirname(page), target ?? ''))
      .filter((target) => {
        try {
          readdirSync(target);
          return false;
        } catch {
          try {
            readFileSync(target);
            return false;
          } catch {
            return true;
          }
        }
      }),
  );
  expect(broken).toEqual([]);
});

test('decisions have numbers of their own', () => {
  const numbers = readdirSync('docs/decisions').map((name) => name.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});
