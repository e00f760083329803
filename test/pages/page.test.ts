import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtSite } from '../../src/site.ts';
import { needVenue, openVenue, type PageVenue, signIn } from './venue.ts';

/** The trading page in a real browser, on a venue as `npm start` gives it. */

let venue: PageVenue | string = 'not opened';
beforeAll(async () => {
  venue = await openVenue('--market', 'off');
});
afterAll(async () => {
  if (typeof venue !== 'string') await venue.close();
});

test('the scripts of the first load stay within 230 KB of gzip', async ({ skip }) => {
  needVenue(venue, skip);
  const built = await builtSite();
  const html = readFileSync(join(built as string, 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(
    ([, path]) => path,
  );
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.map(
    (path) => gzipSync(readFileSync(join(built as string, path as string))).length,
  );
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(230 * 1_024);
});

test('a stranger signs in with one click, places an order with the pointer, sees it and cancels it', async ({
  skip,
}) => {
  const { page, faults } = await needVenue(venue, skip).open('/', { hasCoach: true });
  await signIn(page);
  await page.locator('#ticket-price').fill('59,000');
  await page.locator('#ticket-size').fill('0.25');
  const send = page.getByRole('button', { name: 'Buy 0.2500 BTC at 59,000' });
  await page.getByText('none, it rests').waitFor();
  // One press, one order: the second press of a double click sends nothing.
  await send.dblclick();
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const row = page.getByRole('row', { name: /59,000/ });
  await row.waitFor();
  expect(await row.count()).toBe(1);
  await page.getByRole('button', { name: 'Change price 59,000' }).click();
  await page.getByRole('textbox', { name: 'New price' }).fill('58500');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /58,500/ }).waitFor();
  await page
    .getByRole('button', { name: /^Cancel buy 0\.25/ })
    .first()
    .click();
  await page.getByText('No open order').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the same by keyboard alone, and a refusal at its field', async ({ skip }) => {
  const { page, faults } = await needVenue(venue, skip).open('/', { hasCoach: true });
  await signIn(page);
  await page.locator('body').press('s');
  await page.locator('#ticket-size:focus').waitFor();
  await page.keyboard.type('0.1');
  await page.locator('#ticket-size').press('Escape');
  await page.locator('body').press('p');
  await page.locator('#ticket-price:focus').waitFor();
  await page.keyboard.type('61000.5');
  await page.keyboard.press('Enter');
  const why = page.locator('#ticket-price[aria-invalid=true]');
  await why.waitFor();
  await page.locator('#ticket-price').fill('61000');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.locator('#ticket-price').press('Escape');
  await page.locator('body').press('2');
  await page.getByRole('row', { name: /61,001/ }).waitFor();
  await page
    .getByRole('button', { name: /^Cancel sell/ })
    .first()
    .focus();
  await page.keyboard.press('x');
  await page.getByText('No open order').waitFor();
  // The browser itself notes an answer that refuses.
  expect(faults.filter((words) => !words.includes('status of 400'))).toEqual([]);
  await page.context().close();
});

const axeSource = (): string =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type AxeWindow = {
  readonly axe: { run(): Promise<{ readonly violations: readonly Violation[] }> };
};
type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

async function findingsOf(page: Page, where: string): Promise<string[]> {
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as AxeWindow;
    return (await axe.run()).violations;
  });
  const found = violations.map(
    ({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html.slice(0, 160)}`,
  );
  const sideways = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return sideways === 0 ? found : [...found, `${where}: scrolls sideways by ${sideways}`];
}

const PATHS = ['/', '/portfolio', '/wallet', '/keys', '/history', '/settings'];
const SIZES = [
  [1440, 900],
  [360, 780],
] as const;

test('axe finds nothing on any route, in both themes, on a desk and on a phone', async ({
  skip,
}) => {
  const at = needVenue(venue, skip);
  const { page, faults } = await at.open('/', { hasCoach: true });
  await signIn(page);
  const found: string[] = [];
  for (const [place, path] of PATHS.entries()) {
    await page.goto(at.baseUrl + path);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await page.waitForTimeout(500);
    // Evaluated from outside: the page's own policy takes no script from anybody.
    await page.evaluate(`(() => { ${axeSource()}\n })()`);
    // In turns; `npm run pages` looks at every theme in every width.
    for (const [turn, [width, height]] of SIZES.entries()) {
      const theme = (place + turn) % 2 === 0 ? 'dark' : 'light';
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(100);
      found.push(...(await findingsOf(page, `${path} ${theme} ${width}`)));
    }
  }
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the documentation finds, tries and signs on the venue that serves it', async ({ skip }) => {
  const { page, faults } = await needVenue(venue, skip).open('/docs');
  await page.getByRole('searchbox').fill('depth book');
  await page
    .getByRole('link', { name: /GET \/v3\/depth/ })
    .first()
    .click();
  const depth = page.locator('#get-v3-depth');
  await depth.getByRole('button', { name: 'Try it' }).click();
  await depth.getByRole('button', { name: 'Send' }).click();
  await depth.getByText('HTTP 200 in').waitFor();
  const balances = page.locator('#get-v3-balances');
  await balances.getByRole('button', { name: 'Try it' }).click();
  await balances.getByRole('button', { name: /^Use the demo account/ }).click();
  await balances.getByRole('button', { name: 'Send' }).click();
  await balances.getByText('HTTP 200 in').waitFor();
  expect(await balances.getByLabel('Answer').textContent()).toContain('"success": true');
  await depth.locator('summary', { hasText: 'Python' }).click();
  expect(await balances.locator('pre[data-language=python]').isVisible()).toBe(true);
  expect(faults).toEqual([]);

  await page.goto(`${needVenue(venue, skip).baseUrl}/docs/signing`);
  await page.getByRole('button', { name: /^Use the demo account/ }).click();
  await page.getByText('Signed as demo-1/main').waitFor();
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('HTTP 200: the signature holds').waitFor();
  const lines = await page.locator('#playground ol.lines code').allTextContents();
  expect(lines.slice(2)).toEqual(['GET', new URL(page.url()).host, '/v3/balances', 'asset=USDT']);
  // A program that signed the host without its port.
  const own = [...lines.slice(0, 3), 'localhost', ...lines.slice(4)].join('\n');
  await page.getByLabel('What your program signed').fill(own);
  await page.getByText('Line 4 (Host) differs').waitFor();
  await page.getByLabel('Host').fill('elsewhere.example');
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('HTTP 401').waitFor();
  // The browser says so itself, and nothing else.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  await page.context().close();
});

test('axe finds nothing in the documentation, in both themes, and it fits a phone', async ({
  skip,
}) => {
  const at = needVenue(venue, skip);
  const { page } = await at.open('/docs/errors', { width: 390, height: 844 });
  const found: string[] = [];
  for (const path of ['/docs/stream', '/docs/signing']) {
    await page.goto(at.baseUrl + path);
    await page.getByRole('button').first().waitFor();
    await page.evaluate(`(() => { ${axeSource()}\n })()`);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await findingsOf(page, `${path} ${colorScheme}`)));
    }
  }
  expect(found).toEqual([]);
  await page.context().close();
});
