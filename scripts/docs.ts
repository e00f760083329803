// `npm run docs`: writes the pages that are made from the code.
import { writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../src/wire/endpoints.ts';
import { apiMarkdown } from '../src/wire/markdown.ts';

writeFileSync('docs/API.md', apiMarkdown(ENDPOINTS));
