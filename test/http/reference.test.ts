import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { accountOf, keyOf, startVenue, type Venue } from './venue.ts';

/** Share of the whole: about 3 s. */
let venue: Venue;
let html: string;
beforeAll(async () => {
  venue = await startVenue();
  html = await (await fetch(`${venue.baseUrl}/docs`)).text();
});
afterAll(() => venue?.stop());

test('every endpoint has a section with its members, and every link on the page leads somewhere', async () => {
  for (const { method, path, request } of ENDPOINTS) {
    const id = `${method.toLowerCase()}${path.replaceAll('/', '-')}`;
    const [, section = ''] = html.split(`<section id="${id}"`);
    expect(section, id).not.toBe('');
    for (const name of Object.keys(request.properties)) {
      expect(section.split('</section>')[0], id).toContain(`<code>${name}</code>`);
    }
  }
  for (const [, target = ''] of html.matchAll(/href="([^"]+)"/g)) {
    if (target.startsWith('#')) expect(html).toContain(`id="${target.slice(1)}"`);
    else expect((await fetch(venue.baseUrl + target)).status, target).toBe(200);
  }
});

test('the function of the shell on the page signs requests as the venue reads them', () => {
  const [, text = ''] = /<pre><code>(BASE=[\s\S]*?)<\/code>/.exec(html) ?? [];
  const shell = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const { accessKey, secret } = keyOf(accountOf(venue, 'main'), 'read', 'trade');
  const named = shell.replace(
    /^BASE=.*/,
    `BASE=${venue.baseUrl} KEY=${accessKey} SECRET=${secret}`,
  );
  const run = (call: string) =>
    JSON.parse(execFileSync('sh', ['-c', `${named}\n${call}`], { encoding: 'utf8' }));
  expect(run('call GET /v3/balances asset=USDT')).toMatchObject({ success: true });
  expect(run('call GET /v3/account')).toMatchObject({ success: true });
  const order = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', quantity: '0.01' };
  const body = JSON.stringify({ responseType: 'FULL', orders: [{ ...order, price: '59000' }] });
  expect(run(`call POST /v3/orders/place '${body}'`)).toMatchObject({ data: [{ status: 'OPEN' }] });
  expect(run("call DELETE /v3/orders/cancel-all '{}'")).toMatchObject({ success: true });
});

test('programs find all of it in few words', async () => {
  const text = await (await fetch(`${venue.baseUrl}/llms.txt`)).text();
  for (const { method, path } of ENDPOINTS) expect(text).toContain(`- ${method} ${path}: `);
});
