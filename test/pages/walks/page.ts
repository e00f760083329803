import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { builtSite } from '../../../src/site.ts';
import { findingsOf, lookAs, visibleIn } from '../axe.ts';
import {
  clearBooks,
  endWalk,
  openInTab,
  openSignedIn,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, signIn } from '../venue.ts';

/** The trading page as a new visitor sees it, its routes under axe, and the documentation. */

test('the scripts of the first load stay within 230 KB of gzip', async ({ skip }) => {
  await sharedVenue(skip);
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
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const { page, faults } = await at.open('/');
  await signIn(page);
  await page.locator('#ticket-price').fill('59,000');
  await page.locator('#ticket-size').fill('0.25');
  const send = page.getByRole('button', { name: 'Buy 0.2500 BTC at 59,000' });
  await page.getByText('none, it rests').waitFor();
  const resting = page.locator('.receipt > div', { hasText: 'Fee if it rests' }).locator('dd');
  expect(await resting.textContent()).toMatch(/^[\d.,]+ OX 0[\d.]* % *$/);
  // One press, one order: the second press of a double click sends nothing.
  await send.dblclick();
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const row = page.getByRole('row', { name: /59,000/ });
  await row.waitFor();
  expect(await row.count()).toBe(1);
  await page.getByRole('button', { name: 'Change price 59,000' }).click();
  await page.getByRole('textbox', { name: 'New price' }).fill('58500');
  await page.keyboard.press('Enter');
  // The button is back where the field was, and has the focus.
  await page
    .getByRole('button', { name: 'Change price 58,500' })
    .and(page.locator(':focus'))
    .waitFor();
  await page
    .getByRole('button', { name: /^Cancel buy 0\.25/ })
    .first()
    .click();
  await page.getByText('No open order').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the same by keyboard alone, and a refusal at its field', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('#ticket-price').waitFor();
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
  // The last row is gone, but the focus is kept; it cycles from panel to panel.
  await page.locator('.blotter :focus').waitFor();
  for (const panel of ['market', 'chart', 'book']) {
    await page.keyboard.press('F6');
    await page.locator(`.${panel} :focus`).waitFor();
  }
  await endWalk(opened);
});

/** With text that appears once the venue has answered. */
const ROUTES = [
  ['/', /^Buying power/],
  ['/portfolio', 'Equity by account'],
  ['/wallet', 'May leave in 24 h'],
  ['/keys', 'Last use'],
  ['/history', /^Nothing in this time|^Filled$|^Canceled/],
  ['/settings', 'this one'],
] as const;

test('axe finds nothing on any route, dark on a desk and light on a phone in turns', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/');
  const { page } = opened;
  const found: string[] = [];
  for (const [turn, [path, words]] of ROUTES.entries()) {
    await page.evaluate(goTo, path);
    await visibleIn(page, words).waitFor();
    // `npm run pages` checks every route in every theme, pair and width.
    const [theme, width] = turn % 2 === 0 ? (['dark', 1440] as const) : (['light', 360] as const);
    const look = await lookAs(page, theme, width);
    found.push(...(await findingsOf(page, `${path} ${look}`)));
  }
  expect(found).toEqual([]);
  await endWalk(opened);
});

/** As the page's own links do. */
function goTo(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

test('in the colours of the system the chart and the book are still drawn', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const opened = await openInTab(at, '/v3/time');
  const { page } = opened;
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${at.baseUrl}/`);
  await page.locator('.legend').waitFor();
  const colours = () =>
    page
      .locator('.book canvas')
      .first()
      .evaluate((canvas) =>
        ['--text', '--buy', '--sell'].map((token) =>
          getComputedStyle(canvas).getPropertyValue(token).trim(),
        ),
      );
  expect(await colours()).toEqual(['CanvasText', 'CanvasText', 'CanvasText']);
  await page.evaluate(() => {
    Object.assign(document.documentElement.dataset, { theme: 'light', pair: 'red-up' });
  });
  expect(await colours()).toEqual(['CanvasText', 'CanvasText', 'CanvasText']);
  // Without its background a button has an edge.
  const edge = await ticketButton(page).evaluate((go) => getComputedStyle(go).outlineStyle);
  expect(edge).toBe('solid');
  await endWalk(opened);
});

test('the chart follows the theme of the system when it changes', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const opened = await openInTab(at, '/settings');
  const { page } = opened;
  await page.getByRole('radio', { name: 'As the system' }).click();
  await page.evaluate(goTo, '/');
  await page.locator('.legend').waitFor();
  /** The corner of its pane, from a copy: the browser complains about reading the original. */
  const colour = () =>
    page
      .locator('.chart canvas')
      .first()
      .evaluate((canvas) => {
        const copy = document.createElement('canvas').getContext('2d');
        copy?.drawImage(canvas as HTMLCanvasElement, 0, 0);
        return copy?.getImageData(1, 1, 1, 1).data.slice(0, 3).join(' ');
      });
  await eventually(colour).toBe('255 255 255');
  await page.emulateMedia({ colorScheme: 'dark' });
  await eventually(colour).toBe('15 18 23');
  await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
  await page.evaluate(() => localStorage.removeItem('rialto-settings'));
  await endWalk(opened);
});

test('the documentation finds, tries and signs on the venue that serves it', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const opened = await openInTab(at, '/docs');
  const { page, faults } = opened;
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

  await page.goto(`${at.baseUrl}/docs/signing`);
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
  // Only the browser itself reports it.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  faults.length = 0;
  await endWalk(opened);
});

test('axe finds nothing in the documentation, in both themes, and it fits a phone', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openInTab(at, '/docs/stream');
  const { page } = opened;
  await page.setViewportSize({ width: 390, height: 844 });
  const found: string[] = [];
  for (const [path, colorScheme] of [
    ['/docs/stream', 'dark'],
    ['/docs/signing', 'light'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    if (new URL(page.url()).pathname !== path) await page.goto(at.baseUrl + path);
    await page.getByRole('button').first().waitFor();
    found.push(...(await findingsOf(page, `${path} ${colorScheme}`)));
  }
  expect(found).toEqual([]);
  await endWalk(opened);
});
