import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { RialtoClient } from '../../src/client/index.ts';
import { startVenue, type Venue } from '../http/venue.ts';
import { blocksOf, outputOf, userProject } from './user-project.ts';

/**
 * Every example, and every program of the README, on one venue with the living market. About 25 s of the
 * whole run.
 */
const FOLDER = 'examples';
const ENDINGS = ['.ts', '.mjs', '.py', '.sh'];
/** Rounds, seconds or polls. */
const STEPS = '2';
const EXAMPLES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => ENDINGS.includes(extname(path)) && !basename(path).startsWith('venue.'))
  .sort();
/** The output of each after it has done its work. */
const SAYS: Readonly<Record<string, RegExp>> = {
  'first-order': /is open.*\nCanceled: (true|canceled|OrderClosed)\.\n$/i,
  'market-maker': /Round 2, mark .*: BUY .*, SELL .*\.\nQuotes canceled/,
  grid: /\d orders a side[\s\S]*buy [\s\S]*sell [\s\S]*canceled.*\n$/i,
  'liquidation-watcher': /30 % lower, the ratio would be [\s\S]*Heard of the account \d+ times/,
  withdrawal: /25 USDT and a fee of 0\.\d+\.\nWithdrawal \d+ is (PENDING|PROCESSING)\.\n/,
};
/** The programs of the README, each with its output for an order that was filled immediately. */
const SNIPPETS = [
  { language: 'sh', file: 'first.sh', says: /"status":"FILLED"/ },
  { language: 'ts', file: 'first.ts', says: /status: 'FILLED'/ },
  { language: 'python', file: 'first.py', says: /"status":"FILLED"/ },
  { language: 'js', file: 'first.mjs', says: /status: 'closed'/ },
] as const;

let venue: Venue;
let handout: string;
const project = userProject();

beforeAll(async () => {
  venue = await startVenue({ args: ['--market', 'on', '--past', '0'] });
  handout = join(venue.data, 'handout.json');
  // Its makers quote within about a second.
  const anybody = new RialtoClient({ baseUrl: venue.baseUrl });
  const asks = async () => (await anybody.depth({ marketCode: 'BTC-USDT' })).asks.length;
  while ((await asks()) === 0) await new Promise((resolve) => setTimeout(resolve, 100));
});
afterAll(() => venue?.stop());

/** In addition to Node, which is installed. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  '.py': ['python3'],
  '.sh': ['curl', 'openssl'],
};

/** Without its tools an example is skipped with a reason, unless everything must be tested. */
function skipWithoutTools(file: string, { skip }: TestContext): void {
  for (const tool of TOOLS[extname(file)] ?? []) {
    try {
      execFileSync(tool, [tool === 'openssl' ? 'version' : '--version'], { stdio: 'ignore' });
    } catch (cause) {
      if (process.env['CI'] === 'true') throw new Error(`${tool} is missing`, { cause });
      skip(`${tool} is missing on this machine`);
    }
  }
}

describe.concurrent('every example does what it says', () => {
  test.for(EXAMPLES)('%s', async (path, context) => {
    skipWithoutTools(path, context);
    const kind = path.replace(/^.*\//, '').replace(extname(path), '').replace('_', '-');
    expect(await outputOf(join(FOLDER, path), handout, STEPS)).toMatch(SAYS[kind] as RegExp);
  });

  test.for(SNIPPETS)('README: $language', async ({ language, file, says }, context) => {
    skipWithoutTools(file, context);
    const readme = readFileSync('README.md', 'utf8');
    const section = readme.slice(readme.indexOf('## Your first order'));
    writeFileSync(join(project, file), blocksOf(section, language)[0] ?? '');
    expect(await outputOf(join(project, file), handout)).toMatch(says);
  });
});

test('they leave no order and no position behind', async () => {
  for (const account of ['main', 'desk-a', 'desk-b']) {
    const client = await RialtoClient.fromHandout(handout, { account });
    expect(await client.workingOrders(), account).toEqual([]);
    expect(await client.positions(), account).toEqual([]);
  }
});

test('a page of this machine may use the SDK in a browser, a page of any other site may not', async () => {
  const allowedFor = async (Origin: string): Promise<string | null> => {
    const headers = { Origin, 'Access-Control-Request-Method': 'POST' };
    const sent = { method: 'OPTIONS', headers };
    const response = await fetch(`${venue.baseUrl}/v3/orders/place`, sent);
    return response.headers.get('access-control-allow-origin');
  };
  expect(await allowedFor('http://localhost:5173')).toBe('http://localhost:5173');
  expect(await allowedFor('https://app.example')).toBeNull();
});

test('all of them are listed with their commands', () => {
  const listed = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const commands = [...listed.matchAll(/`(?:npx node|python3|sh) examples\/([^ `]+)/g)];
  expect(commands.map(([, path]) => path).sort()).toEqual(EXAMPLES);
});
