// `npm run docs`: writes the pages that are generated from the code.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ENDPOINTS } from '../src/wire/endpoints.ts';
import { apiMarkdown, operatorMarkdown, sandboxMarkdown } from '../src/wire/markdown.ts';
import { OPERATOR_ENDPOINTS } from '../src/wire/operator.ts';
import { SANDBOX_ENDPOINTS } from '../src/wire/sandbox.ts';
import { guideFiles } from '../test/docs/guide-files.ts';
import { recordVenue } from '../test/docs/record.ts';

const { recording, parts } = await recordVenue();
mkdirSync('docs/guides/pictures', { recursive: true });
for (const [path, text] of guideFiles(parts, (file) => readFileSync(file, 'utf8'))) {
  writeFileSync(path, text);
}
writeFileSync('docs/recorded.json', `${JSON.stringify(recording, null, 1)}\n`);
writeFileSync('docs/API.md', apiMarkdown(ENDPOINTS));
writeFileSync('docs/OPERATOR-API.md', operatorMarkdown(OPERATOR_ENDPOINTS));
writeFileSync('docs/SANDBOX-API.md', sandboxMarkdown(SANDBOX_ENDPOINTS));
