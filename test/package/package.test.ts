import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, startProgram } from '../cli/running.ts';
import { installPacked, MODULE_BOT, type Packed, REQUIRE_BOT, runBot } from './packed.ts';

/** About 40 s of the whole run, most of it building and installing. */
let packed: Packed;
let venue: Running;
let handout: string;

beforeAll(async () => {
  packed = await installPacked();
  handout = join(packed.project, 'venue.json');
  const files = ['--data', join(packed.project, 'data'), '--handout', handout];
  venue = startProgram(['dev', '--port', '0', '--market', 'off', ...files], {
    program: join(packed.project, 'node_modules/rialto/dist/bin/rialto.mjs'),
  });
  await venue.until({ file: handout });
});
afterAll(async () => {
  await venue?.stop();
  packed?.remove();
});

test('the package holds what was built and nothing else', () => {
  const beside = packed.files.filter((path) => !path.startsWith('dist/'));
  expect(beside.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(
    packed.files.filter((path) => /\.(test|fixture)\.|\.tsx?$/.test(path.replace('.d.ts', ''))),
  ).toEqual([]);
  const manifest = JSON.parse(
    readFileSync(join(packed.project, 'node_modules/rialto/package.json'), 'utf8'),
  );
  expect(Object.keys(manifest.scripts)).toEqual(['postpack']);
  expect(manifest.devDependencies).toBeUndefined();
  // Everything else is in the bundle, with its licences.
  expect(Object.keys(manifest.dependencies)).toEqual([
    ...['pg', 'pino', 'prom-client', 'typebox', 'ws'],
  ]);
  expect(packed.files).toContain('dist/program/LICENCES.txt');
  // No installed package has an install script.
  const installed = readdirSync(join(packed.project, 'node_modules'));
  expect(installed).not.toContain('react');
});

test('its command starts a venue that serves the page it was packed with', async () => {
  const { baseUrl } = JSON.parse(readFileSync(handout, 'utf8'));
  const page = async () => (await fetch(baseUrl)).text();
  await expect.poll(page, { timeout: 30_000 }).toContain('<div id="root">');
  // Its documentation is included: recorded answers, guides with their pictures, the script.
  const places = ['/docs', '/docs/guides/margin', '/docs/pictures/book-limit.svg', '/docs/app.js'];
  const [docs, guide, picture, script] = await Promise.all(
    places.map(async (path) => (await fetch(baseUrl + path)).text()),
  );
  expect(docs).toContain('recorded, HTTP 200');
  expect(guide).toContain('<h1>Margin and liquidation</h1>');
  expect(picture).toContain('<svg');
  expect(script).toContain('/docs/search.json');
});

test('bots place and cancel orders with import and with require', async () => {
  const node = process.execPath;
  const esm = await runBot(packed, { name: 'bot.mjs', text: MODULE_BOT, node }, handout);
  expect(esm).toMatchObject({ placed: 'OPEN', canceled: true });
  const cjs = await runBot(packed, { name: 'bot.cjs', text: REQUIRE_BOT, node }, handout);
  expect(cjs).toMatchObject({ placed: 'OPEN', canceled: true });
});

test('TypeScript finds its types, of both kinds of modules', () => {
  const text = `const client = new RialtoClient({ baseUrl: 'http://localhost:1' });
export const tick: Promise<string | undefined> = client.markets().then(([first]) => first?.tickSize);
// @ts-expect-error a side is BUY or SELL
void client.placeOrders({ responseType: 'FULL', orders: [{ marketCode: 'A', side: 'buy', orderType: 'LIMIT', quantity: '1' }] });
`;
  const options = {
    ...{ module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true },
    ...{ target: 'es2023', types: [] },
  };
  const folder = join(packed.project, 'typed');
  mkdirSync(folder);
  for (const name of ['bot.mts', 'bot.cts']) {
    writeFileSync(join(folder, name), `import { RialtoClient } from 'rialto/client';\n${text}`);
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*'] }),
  );
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  expect(execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })).toBe('');
});

test('it is bundled for a browser', async () => {
  const folder = join(packed.project, 'browser');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'index.html'),
    '<script type="module">import { RialtoStream } from "rialto/client"; window.s = RialtoStream;</script>',
  );
  await build({ root: folder, configFile: false, logLevel: 'silent' });
  const [script] = readdirSync(join(folder, 'dist/assets')).filter((name) =>
    name.startsWith('index'),
  );
  const text = readFileSync(join(folder, 'dist/assets', script as string), 'utf8');
  expect(text).toContain('/v2/websocket');
  expect(text).not.toMatch(/["'`]node:/);
});
