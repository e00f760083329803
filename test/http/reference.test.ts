import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { OPERATOR_ENDPOINTS } from '../../src/wire/operator.ts';
import { SANDBOX_ENDPOINTS } from '../../src/wire/sandbox.ts';
import { accountOf, keyOf, startVenue, type Venue } from './venue.ts';

/** The pages below /docs of a running venue. About 6 s of the whole run. */
let venue: Venue;
const pages = new Map<string, string>();
beforeAll(async () => {
  venue = await startVenue();
  for (const name of ['', '/stream', '/operator', '/sandbox', '/signing', '/errors']) {
    const path = `/docs${name}`;
    pages.set(path, await (await fetch(venue.baseUrl + path)).text());
  }
  for (const [, guide = ''] of (pages.get('/docs') ?? '').matchAll(
    /href="(\/docs\/guides\/[^"]+)"/g,
  )) {
    pages.set(guide, await (await fetch(venue.baseUrl + guide)).text());
  }
});
afterAll(() => venue?.stop());

const plain = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** These wait for the build of the trading page; test/pages opens them. */
const BUILT = ['/', '/docs/app.js'];

const sectionOf = (html: string, id: string): string =>
  (html.split(`<section id="${id}"`)[1] ?? '').split('</section>')[0] ?? '';

test('every endpoint has a section with its members, examples in three languages and a recorded answer', () => {
  const html = pages.get('/docs') ?? '';
  for (const { method, path, request } of ENDPOINTS) {
    const id = `${method.toLowerCase()}${path.replaceAll('/', '-')}`;
    const section = sectionOf(html, id);
    expect(section, id).not.toBe('');
    for (const name of Object.keys(request.properties)) {
      expect(section, id).toContain(`<code>${name}</code>`);
    }
    for (const language of ['curl', 'typescript', 'python', 'json']) {
      expect(section, id).toContain(`<pre data-language="${language}">`);
    }
  }
});

test('what operators and the sandbox are asked has a section, too', () => {
  for (const [page, endpoints] of [
    ['/docs/operator', OPERATOR_ENDPOINTS],
    ['/docs/sandbox', SANDBOX_ENDPOINTS],
  ] as const) {
    for (const { method, path, request } of endpoints) {
      const section = (pages.get(page) ?? '').split(`>${method} ${path}</h2>`)[1]?.split('<h2')[0];
      expect(section, path).toBeDefined();
      for (const name of Object.keys(request.properties)) expect(section, path).toContain(name);
    }
  }
});

test('every link and anchor of every page leads somewhere', async () => {
  const known = new Map<string, string>(pages);
  for (const [page, html] of pages) {
    for (const [, target = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (target.startsWith('https://') || BUILT.includes(target)) continue;
      const [path = '', anchor] = target.split('#');
      const place = path === '' ? page : path;
      if (!known.has(place)) {
        const answer = await fetch(venue.baseUrl + place);
        expect(answer.status, `${page}: ${target}`).toBe(200);
        known.set(place, await answer.text());
      }
      if (anchor !== undefined) {
        expect(known.get(place), `${page}: ${target}`).toContain(`id="${anchor}"`);
      }
    }
  }
}, 60_000);

test('a page allows no script but its own, and the first one is small on the wire', async () => {
  const answer = await fetch(`${venue.baseUrl}/docs`, { headers: { 'Accept-Encoding': 'gzip' } });
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain('unsafe');
  expect(pages.get('/docs')).not.toMatch(/<script>| on\w+="| style="/);
  expect(Number(answer.headers.get('content-length'))).toBeLessThan(120_000);
});

test('what is not there is refused in words', async () => {
  for (const path of [
    '/docs/guides/none',
    '/docs/pictures/none.svg',
    '/docs/pictures/..%2f..%2fx.svg',
  ]) {
    const answer = await fetch(venue.baseUrl + path);
    expect([answer.status, ((await answer.json()) as { code: string }).code], path).toEqual([
      404,
      '20003',
    ]);
  }
});

/** Read-only examples, which run in any state: taken from the page, as a reader would copy them. */
function examplesOf(language: string): string[] {
  const html = pages.get('/docs') ?? '';
  return ENDPOINTS.filter(({ method }) => method === 'GET').flatMap(({ path }) => {
    // The recorded venue had this order; a new one does not.
    if (path === '/v3/orders/status') return [];
    const section = sectionOf(html, `get${path.replaceAll('/', '-')}`);
    const found = new RegExp(`<pre data-language="${language}"><code>([\\s\\S]*?)</code>`).exec(
      section,
    );
    return [plain(found?.[1] ?? 'missing')];
  });
}
const beginningOf = (language: string): string =>
  plain(
    new RegExp(`<pre data-language="${language}"><code>([\\s\\S]*?)</code>`).exec(
      sectionOf(pages.get('/docs') ?? '', 'start'),
    )?.[1] ?? '',
  );
const readKey = () => keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');

test('examples for the shell run as they stand, and its function places and cancels orders', () => {
  const { accessKey, secret } = readKey();
  const begin = beginningOf('curl').replace(
    /^BASE=.*/,
    `BASE=${venue.baseUrl} KEY=${accessKey} SECRET=${secret}`,
  );
  const order = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', quantity: '0.01' };
  const body = JSON.stringify({ responseType: 'FULL', orders: [{ ...order, price: '59000' }] });
  const examples = [
    ...examplesOf('curl'),
    `call POST /v3/orders/place '${body}'`,
    "call DELETE /v3/orders/cancel-all '{}'",
  ];
  const text = execFileSync('sh', ['-c', `${begin}\n${examples.join('\necho\n')}`], {
    encoding: 'utf8',
  });
  const answers = text.trim().split('\n');
  expect(answers.length).toBe(examples.length);
  for (const [at, answer] of answers.entries()) {
    expect(JSON.parse(answer), examples[at]).toMatchObject({ success: true });
  }
});

test('examples for Python run as they stand', () => {
  const { accessKey, secret } = readKey();
  const begin = beginningOf('python').replace(
    /^BASE, .*$/m,
    `BASE, KEY, SECRET = "${venue.baseUrl}", "${accessKey}", "${secret}"`,
  );
  const all = examplesOf('python').map((one) => `${one}\nprint(json.dumps(answer))`);
  const text = execFileSync('python3', ['-c', `${begin}\n${all.join('\n')}`], { encoding: 'utf8' });
  const answers = text.trim().split('\n');
  expect(answers.length).toBe(all.length);
  for (const [at, answer] of answers.entries()) {
    expect(JSON.parse(answer), all[at]).toMatchObject({ success: true });
  }
});

test('examples for TypeScript run as they stand', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rialto-docs-examples-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules/rialto'), 'dir');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const begin = beginningOf('typescript').replace("'./data/handout.json'", 'process.argv[2]!');
    const all = examplesOf('typescript').map((one) => `{\n${one}\nconsole.log(typeof answer);\n}`);
    writeFileSync(join(folder, 'examples.ts'), `${begin}\n${all.join('\n')}`);
    const args = [join(folder, 'examples.ts'), join(venue.data, 'handout.json')];
    const text = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(text.trim().split('\n')).toEqual(all.map(() => 'object'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('llms.txt lists every endpoint for programs', async () => {
  const text = await (await fetch(`${venue.baseUrl}/llms.txt`)).text();
  for (const { method, path } of ENDPOINTS) expect(text).toContain(`- ${method} ${path}: `);
});

test('the page is the same packed and unpacked', async () => {
  const packed = await fetch(`${venue.baseUrl}/docs`, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  // fetch decompresses by itself.
  expect(await packed.text()).toBe(pages.get('/docs'));
});
