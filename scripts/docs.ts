// `npm run docs`: writes the pages that are made from the code.
import { writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../src/wire/endpoints.ts';
import { apiMarkdown, operatorMarkdown } from '../src/wire/markdown.ts';
import { OPERATOR_ENDPOINTS } from '../src/wire/operator.ts';

writeFileSync('docs/API.md', apiMarkdown(ENDPOINTS));
writeFileSync('docs/OPERATOR-API.md', operatorMarkdown(OPERATOR_ENDPOINTS));
