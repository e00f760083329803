import { catalogueFileOf } from '../catalogue-file.ts';
import { defaultCatalogue } from '../defaults/catalogue.ts';
import { command } from './command.ts';
import { print } from './print.ts';
import { jsonText } from './table.ts';

const HEAD = `// A catalogue for \`rialto init --catalogue FILE\`: change what you like. Every member is explained in
// docs/CATALOGUE.md; comments like these are allowed. Numbers that are not counts are in quotes, and read exactly.
`;

/** The catalogue that a venue starts with unless another one is given. */
export const catalogue = command({
  meta: { name: 'catalogue', description: 'Print the default catalogue, to start one of your own' },
  args: {},
  run: async () => {
    print(HEAD + jsonText(catalogueFileOf(defaultCatalogue('init'))));
  },
});
