import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rialto } from '../../src/cli/commands.ts';
import { startVenue, type Venue } from '../http/venue.ts';

/** What stands in docs/guides runs: programs against a venue, commands by their names. Share of the whole: about 6 s. */
let venue: Venue;
const project = mkdtempSync(join(tmpdir(), 'rialto-guides-'));
beforeAll(async () => {
  venue = await startVenue();
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n');
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(resolve('.'), join(project, 'node_modules/rialto'), 'dir');
  symlinkSync(resolve('node_modules/ccxt'), join(project, 'node_modules/ccxt'), 'dir');
});
afterAll(async () => {
  await venue?.stop();
  rmSync(project, { recursive: true, force: true });
});

const guide = (name: string): string => readFileSync(`docs/guides/${name}.md`, 'utf8');
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block ?? '',
  );

const outputOf = (file: string, text: string): Promise<string> => {
  writeFileSync(join(project, file), text);
  const args = [join(project, file), join(venue.data, 'handout.json')];
  return new Promise((done, fail) => {
    execFile(process.execPath, args, { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) done(stdout);
      else fail(new Error(`${file}: ${error.message}\n${stdout}${stderr}`));
    });
  });
};

test('every recipe of the cookbook does what it says', async () => {
  const said = await outputOf('cookbook.ts', blocksOf(guide('cookbook'), 'ts').join('\n'));
  expect(said.split('\n')).toEqual([
    'post-only OPEN',
    'label false 710009',
    'amend OrderModified 0.005',
    'stop OPEN false',
    'iceberg 1.0 0.1',
    'retry true 1',
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
    expect(await outputOf('quickstart.ts', program)).toMatch(/^OPEN \d+\n$/);
  });

  test('ccxt, REST and pro', async () => {
    const [program = ''] = blocksOf(guide('ccxt'), 'js');
    expect(await outputOf('ccxt.mjs', program)).toMatch(/^open\nBTC\/USDT (true|false)\n$/);
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
