import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtSite } from '../../src/site.ts';
import { type Running, startProgram } from '../cli/running.ts';
import { openBrowser } from './browser.ts';

/** The trading page in a real browser, on a venue as `npm start` gives it. */

const folder = mkdtempSync(join(tmpdir(), 'rialto-page-'));
let browser: Browser | string = 'not opened';
let venue: Running | undefined;
let baseUrl = '';

beforeAll(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  await builtSite();
  const handout = join(folder, 'handout.json');
  venue = startProgram([
    ...['dev', '--port', '0', '--data', join(folder, 'data'), '--handout', handout],
    ...['--market', 'off'],
  ]);
  await venue.until({ file: handout });
  baseUrl = JSON.parse(readFileSync(handout, 'utf8')).baseUrl;
  // The first question loads the files.
  for (let tries = 0; tries < 200; tries++) {
    if ((await (await fetch(baseUrl)).text()).includes('id="root"')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the page was not served');
});

afterAll(async () => {
  if (typeof browser !== 'string') await browser.close();
  await venue?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Without a browser the test is skipped with the reason; where everything must run it fails. */
function needBrowser(skip: (words: string) => void): Browser {
  if (typeof browser !== 'string') return browser;
  if (process.env['CI'] === 'true') throw new Error(browser);
  skip(browser);
  throw new Error('unreachable');
}

type Opened = { readonly page: Page; readonly faults: string[] };

/** A page that notes every console message, every error and every request to another host. */
async function open(in_: Browser, path: string, width = 1440, height = 900): Promise<Opened> {
  const context = await in_.newContext({
    viewport: { width, height },
    // A colour on its way from one theme to the other is neither.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('console', (message) => faults.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseUrl)) {
      faults.push(`request: ${request.url()}`);
    }
  });
  await page.goto(baseUrl + path);
  return { page, faults };
}

async function signIn(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Start as demo-1/ })
    .first()
    .click();
  await page.getByRole('region', { name: 'Order ticket' }).waitFor();
}

test('the scripts of the first load stay within 230 KB of gzip', async ({ skip }) => {
  needBrowser(skip);
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
  const { page, faults } = await open(needBrowser(skip), '/');
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
  const { page, faults } = await open(needBrowser(skip), '/');
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

test('axe finds nothing on any route, in both themes, on a desk and on a phone', async ({
  skip,
}) => {
  const { page, faults } = await open(needBrowser(skip), '/');
  await signIn(page);
  const found: string[] = [];
  for (const path of ['/', '/portfolio', '/wallet', '/keys', '/history', '/settings']) {
    await page.goto(baseUrl + path);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await page.waitForTimeout(500);
    // Evaluated from outside: the page's own policy takes no script from anybody.
    await page.evaluate(`(() => { ${axeSource()}\n })()`);
    for (const theme of ['dark', 'light']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      for (const [width, height] of [
        [1440, 900],
        [360, 780],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(100);
        found.push(...(await findingsOf(page, `${path} ${theme} ${width}`)));
      }
    }
  }
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});
