import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { catalogueFileOf, catalogueFrom, genesisFrom } from './catalogue-file.ts';
import { defaultCatalogue } from './defaults/catalogue.ts';
import { checkGenesis } from './engine/check-genesis.ts';
import { withoutComments } from './json-comments.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-catalogue-'));
afterAll(() => rmSync(folder, { recursive: true }));
function file(text: string): string {
  const path = join(folder, 'file.json');
  writeFileSync(path, text);
  return path;
}
const examples = [
  ...readFileSync('docs/CATALOGUE.md', 'utf8').matchAll(/```jsonc\n([\s\S]*?)```/g),
];
const [catalogueText = '', genesisText = ''] = examples.map(([, text]) => text);

test('the default catalogue, printed and read again, is the same', () => {
  const steps = defaultCatalogue('init');
  const read = catalogueFrom(file(`// mine\n${JSON.stringify(catalogueFileOf(steps))}`), 'init');
  expect(read).toEqual(steps);
});

test('the examples of the page begin a venue', () => {
  const catalogue = catalogueFrom(file(catalogueText), 'init');
  expect(catalogue.map(({ kind }) => kind)).toEqual([
    ...['define-asset', 'define-asset', 'define-asset', 'define-network'],
    ...['define-market', 'define-market', 'set-index-prices'],
  ]);
  const steps = [...catalogue, ...genesisFrom(file(genesisText), 'init', catalogue)];
  expect(checkGenesis({ kind: 'genesis', steps })).toBeUndefined();
  const twice = [...steps, ...steps.slice(0, 1)];
  expect(checkGenesis({ kind: 'genesis', steps: twice })).toContain('define-asset: It exists');
});

test('what is wrong is said with the member, what it may be and the nearest name', () => {
  const example = JSON.parse(withoutComments(catalogueText));
  const [gold] = example.markets;
  const rows: [object, string][] = [
    [{ asets: [] }, 'there is no member asets; did you mean "assets"?'],
    [
      { markets: [{ ...gold, type: 'SPOTS' }] },
      'markets[0].type is one of SPOT, FUTURE, not "SPOTS"',
    ],
    [{ markets: [{ ...gold, code: 'GOLD"USDT' }] }, 'markets[0].code is 1 to 40 letters, digits'],
    [{ markets: [{ ...gold, code: '' }] }, 'markets[0].code is 1 to 40 letters, digits'],
    [{ markets: [{ ...gold, base: 'GOLT' }] }, 'which is no asset; did you mean GOLD?'],
    [{ markets: [{ ...gold, tick: 'small' }] }, 'markets[0].tick is a decimal number in quotes'],
    [{ markets: [{ ...gold, maxOrder: '0.0005' }] }, 'with at most 3 decimals'],
    [{ prices: { OX: '1e20' } }, 'prices.OX is more than can be counted: with'],
    [{ prices: { OX: '-1' } }, 'prices.OX is a decimal number in quotes, not negative'],
    [{ prices: { OXX: '1' } }, 'did you mean OX?'],
  ];
  for (const [changes, words] of rows) {
    const path = file(JSON.stringify({ ...example, ...changes }));
    expect(() => catalogueFrom(path, 'init')).toThrow(words);
  }
  expect(() => catalogueFrom(file('{'), 'init')).toThrow('file.json: ');
  const catalogue = catalogueFrom(file(catalogueText), 'init');
  const family = { name: 'a', accounts: [{ name: 'main', funds: { GOLD: '0.00001' } }] };
  expect(() =>
    genesisFrom(file(JSON.stringify({ families: [family] })), 'init', catalogue),
  ).toThrow('families[0].accounts[0].funds.GOLD is a decimal number in quotes');
});

test('a comment inside text is text', () => {
  expect(JSON.parse(withoutComments('{"a": "http://x /* y */", /* b */ "c": 1 // d\n}'))).toEqual({
    a: 'http://x /* y */',
    c: 1,
  });
});
