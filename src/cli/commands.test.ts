import { stripVTControlCharacters } from 'node:util';
import type { CommandDef } from 'citty';
import { expect, test } from 'vitest';
import { rialto } from './commands.ts';
import { wordsOf } from './completion.ts';
import { config } from './config.ts';
import { EXAMPLES } from './examples.ts';
import { examplesFor, usageText } from './usage.ts';

const words = await wordsOf(rialto as CommandDef);

test('every command has examples, and they name commands and options that exist', () => {
  const top = [...words.keys()].filter((path) => !path.includes(' '));
  expect(Object.keys(EXAMPLES).sort()).toEqual(top.sort());
  for (const line of Object.values(EXAMPLES).flat()) {
    const [program, ...rest] = line.replace(/ > .*/, '').split(' ');
    expect(program).toBe('rialto');
    let path = '';
    while (words.has(`${path} ${rest[0]}`.trim())) path = `${path} ${rest.shift()}`.trim();
    const known = words.get(path) ?? [];
    for (const word of rest.filter((one) => one.startsWith('--'))) {
      expect(known, line).toContain(word);
    }
    // Who copies the line is not asked which venue is meant.
    if (known.includes('--as')) expect(line).toMatch(/ --(config|data) /);
  }
});

test('a command below another shows the examples that are about it', () => {
  expect(examplesFor('buy', 'order')).toEqual(['rialto order buy BTC-USDT 0.01 --price 59000']);
  expect(examplesFor('sell', 'order')).toEqual(EXAMPLES['order']);
  expect(examplesFor('rialto', '')).toEqual(EXAMPLES['']);
});

test('help names the whole command, as it is typed', async () => {
  const { check } = config.subCommands as unknown as { readonly check: CommandDef };
  const text = stripVTControlCharacters(await usageText(check, config as CommandDef));
  expect(text).toContain('USAGE rialto config check ');
  expect(stripVTControlCharacters(await usageText(config as CommandDef, rialto))).toContain(
    'USAGE rialto config check',
  );
});

test('completion knows commands, those below them, and their options', () => {
  expect(words.get('')).toContain('order');
  expect(words.get('order')).toEqual(['buy', 'sell', 'list', 'cancel', 'cancel-all']);
  expect(words.get('order buy')).toContain('--time-in-force');
});
