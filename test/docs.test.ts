import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../src/wire/endpoints.ts';
import { apiMarkdown } from '../src/wire/markdown.ts';

test('the page of the interface is what the declarations say: npm run docs', () => {
  expect(readFileSync('docs/API.md', 'utf8')).toBe(apiMarkdown(ENDPOINTS));
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
