import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from '../src/api/docs/markdown.ts';
import { ENDPOINTS } from '../src/wire/endpoints.ts';
import { apiMarkdown, operatorMarkdown, sandboxMarkdown } from '../src/wire/markdown.ts';
import { OPERATOR_ENDPOINTS } from '../src/wire/operator.ts';
import { SANDBOX_ENDPOINTS } from '../src/wire/sandbox.ts';

test('the pages of the interfaces are what the declarations say: npm run docs', () => {
  expect(readFileSync('docs/API.md', 'utf8')).toBe(apiMarkdown(ENDPOINTS));
  expect(readFileSync('docs/OPERATOR-API.md', 'utf8')).toBe(operatorMarkdown(OPERATOR_ENDPOINTS));
  expect(readFileSync('docs/SANDBOX-API.md', 'utf8')).toBe(sandboxMarkdown(SANDBOX_ENDPOINTS));
});

/** All documents: the front pages, docs/ with its guides and decisions, and the examples. */
const pagesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

test('every link between the documents leads somewhere, to its very section', () => {
  const pages = ['.', 'docs', 'docs/guides', 'docs/decisions', 'examples'].flatMap(pagesIn);
  const anchorsOf = (page: string): string[] =>
    [...readFileSync(page, 'utf8').matchAll(/^#{1,4} (.*)$/gm)].map(([, heading]) =>
      anchorOf(heading ?? ''),
    );
  const broken = pages.flatMap((page) =>
    // Links that begin with a slash are those of a running venue; test/http opens them.
    [...readFileSync(page, 'utf8').matchAll(/\]\((?!http|\/)([^)#]*)(?:#([^)]*))?\)/g)]
      .filter(([, target = '', anchor]) => {
        const found = target === '' ? page : join(dirname(page), target);
        if (!existsSync(found)) return true;
        return anchor !== undefined && found.endsWith('.md') && !anchorsOf(found).includes(anchor);
      })
      .map(([link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('decisions have numbers of their own', () => {
  const numbers = readdirSync('docs/decisions').map((name) => name.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});
