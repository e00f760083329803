import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rialto } from '../../src/cli/commands.ts';
import { clientFor, startVenue, type Venue } from '../http/venue.ts';
import { blocksOf, outputOf, userProject } from './user-project.ts';

/** The code in docs/guides runs: programs against a venue, commands by their names. About 6 s of the whole run. */
let venue: Venue;
const project = userProject();
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue?.stop());

const guide = (name: string): string => readFileSync(`docs/guides/${name}.md`, 'utf8');
/** The output of a program of a guide. */
const outputOfProgram = (file: string, text: string): Promise<string> => {
  writeFileSync(join(project, file), text);
  return outputOf(join(project, file), join(venue.data, 'handout.json'));
};

test('every recipe of the cookbook does what it says', async () => {
  const lines = await outputOfProgram('cookbook.ts', blocksOf(guide('cookbook'), 'ts').join('\n'));
  expect(lines.split('\n')).toEqual([
    'post-only OPEN',
    'label false 710009',
    'amend OrderModified 0.005',
    'stop OPEN false',
    'iceberg 1.0 0.1',
    'retry true 1',
    'by name true 710009',
    expect.stringMatching(/^refused 35025 Source and destination are the same account/),
    'switch true',
    'stream true OPEN',
    'open 0',
    '',
  ]);
});

describe.concurrent('programs of other guides', () => {
  test('quickstart', async () => {
    const [program = ''] = blocksOf(guide('quickstart'), 'ts');
    expect(await outputOfProgram('quickstart.ts', program)).toMatch(/^OPEN \d+\n$/);
  });

  test('ccxt, REST and pro', async () => {
    const [program = ''] = blocksOf(guide('ccxt'), 'js');
    const order = { marketCode: 'BTC-USDT', orderType: 'LIMIT', quantity: '0.01' } as const;
    const orders = [
      { ...order, side: 'BUY', price: '57000' } as const,
      { ...order, side: 'SELL', price: '62500' } as const,
    ];
    await clientFor(venue, 'main', 1).placeOrders({ orders });
    // Which side is which: not every method of ccxt knows.
    expect(await outputOfProgram('ccxt.mjs', program)).toMatch(/^open\nBTC\/USDT [\d.]+ 62500\n$/);
  });
});

test('every command that a guide names exists', () => {
  const known = Object.keys(rialto.subCommands ?? {});
  for (const name of readdirSync('docs/guides').filter((file) => file.endsWith('.md'))) {
    const text = guide(name.replace('.md', ''));
    const named = [...text.matchAll(/(?:npx rialto|rialto --|`rialto) ([a-z]+)/g)];
    for (const [all, command = ''] of named) expect(known, `${name}: ${all}`).toContain(command);
  }
});
