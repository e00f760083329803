import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { RialtoClient } from '../../src/client/index.ts';
import { findingsOf } from './axe.ts';
import { compareBooks } from './book.ts';
import { measureFrames } from './frames.ts';
import { measureMemory } from './memory.ts';
import { openPage, openVenue, type PageVenue } from './venue.ts';

/**
 * `npm run pages`: what is too long for the suite. The matrix: routes of the page and of the console x themes x pairs x widths with
 * axe and a picture of each; frame times under load. With `-- --only memory` what the page holds after an hour's changes
 * (`--changes 20000` for fewer), with `-- --only book` the book after 10,000 changes on a line that loses messages (`--changes`,
 * `--seed`, and `--times` to do it again with the next seeds), with `-- --only pictures` the pictures of the documents.
 */

const PICTURES = 'docs/pictures';
const MATRIX = 'dist/pictures';
const BYTES_MAX = 300 * 1_024;
const PASSWORD = 'a page of pictures 1';
const BTC = 'BTC-USD-SWAP-LIN';

const GROWTH_MAX_MB = 8;

const numberAfter = (flag: string): number | undefined => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};

type Made = { readonly name: string; readonly client: RialtoClient; readonly last: number };

async function main(): Promise<void> {
  const at = process.argv.indexOf('--only');
  const only = at < 0 ? ['matrix', 'frames'] : (process.argv[at + 1] ?? '').split(',');
  let failures = 0;
  if (only.includes('matrix') || only.includes('pictures')) {
    const venue = await opened('--market', 'on', '--seed', '7', '--past', '12h');
    const made = await makeTrader(venue);
    if (only.includes('pictures')) await takePictures(venue, made);
    if (only.includes('matrix')) {
      failures += await runMatrix(venue, made);
      failures += await runConsoleMatrix(venue);
    }
    await venue.close();
  }
  if (only.includes('frames')) {
    const venue = await opened('--market', 'off');
    console.log(JSON.stringify(await measureFrames(venue), null, 2));
    await venue.close();
  }
  if (only.includes('memory')) {
    const venue = await opened('--market', 'off');
    const report = await measureMemory(venue, numberAfter('--changes'));
    console.log(JSON.stringify(report, null, 2));
    // What an hour may add; more would be something that is never let go.
    if (report.growthMb > GROWTH_MAX_MB || report.shifts > 0) failures++;
    await venue.close();
  }
  if (only.includes('book')) failures += await runBooks();
  process.exit(failures === 0 ? 0 : 1);
}

async function runBooks(): Promise<number> {
  const venue = await opened('--market', 'off');
  const first = numberAfter('--seed') ?? 1;
  let failures = 0;
  for (let time = 0; time < (numberAfter('--times') ?? 1); time++) {
    const report = await compareBooks(venue, numberAfter('--changes'), first + time);
    console.log(JSON.stringify(report.isEqual ? { ...report, shown: '', wanted: '' } : report));
    if (!report.isEqual || report.lost === 0) failures++;
  }
  await venue.close();
  return failures;
}

async function opened(...args: string[]): Promise<PageVenue> {
  const venue = await openVenue(...args);
  if (typeof venue === 'string') throw new Error(venue);
  return venue;
}

/** An account of an ordinary size, so that margin and liquidation have something to say. */
async function makeTrader(venue: PageVenue): Promise<Made> {
  const { baseUrl } = venue;
  const name = 'ada';
  const stranger = new RialtoClient({ baseUrl });
  const { accountId } = await stranger.signUp({ name, password: PASSWORD });
  const { accessKey, secret } = await stranger.signIn({ name, password: PASSWORD });
  const client = new RialtoClient({ baseUrl, accessKey, secret });
  await venue.deposit({ accountId, asset: 'USDT', network: 'Ethereum', quantity: '12000' });
  while (Number((await client.account())[0]?.collateral ?? 0) === 0) await pause(200);
  const [market] = await client.markets({ marketCode: BTC });
  const last = Number(market?.markPrice);
  const at = (part: number): string => String(Math.round(last * part));
  const order = { marketCode: BTC };
  await client.placeOrders({
    responseType: 'FULL',
    orders: [
      { ...order, side: 'BUY', orderType: 'MARKET', quantity: '1.25' },
      { ...order, side: 'BUY', orderType: 'LIMIT', price: at(0.994), quantity: '0.38' },
      { ...order, side: 'SELL', orderType: 'LIMIT', price: at(1.008), quantity: '0.75' },
      {
        ...{ ...order, side: 'SELL', orderType: 'STOP_MARKET', stopPrice: at(0.985) },
        ...{ triggerType: 'MARK_PRICE', quantity: '1.25', reduceOnly: true },
      },
      { marketCode: 'ETH-USD-SWAP-LIN', side: 'SELL', orderType: 'MARKET', quantity: '4' },
    ],
  });
  return { name, client, last };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Look = {
  readonly theme: 'dark' | 'light';
  readonly pair?: string;
  readonly options: BrowserContextOptions;
};

/** A page of its own with these settings, signed in. */
async function pageOf(venue: PageVenue, { name }: Made, look: Look): Promise<Page> {
  const context = await venue.browser.newContext({ reducedMotion: 'reduce', ...look.options });
  const settings = JSON.stringify({ theme: look.theme, pair: look.pair ?? 'teal-coral' });
  await context.addInitScript(
    `if (localStorage.getItem('rialto-settings') === null) {
      localStorage.setItem('rialto-settings', '${settings}');
      localStorage.setItem('rialto-coach', '{"step":4}');
      localStorage.setItem('rialto-view', '{"marketCode":"${BTC}","timeframe":"300s"}');
    }`,
  );
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${venue.baseUrl}/`);
  await page.locator('header').getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.locator('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.ticket .go').waitFor({ state: 'attached' });
  await page.locator('.legend').waitFor();
  await page.locator('.ln.position').waitFor({ state: 'attached' });
  // Out of the way: no row and no candle is pointed at.
  await page.mouse.move(0, 0);
  return page;
}

const DESK = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

async function takePictures(venue: PageVenue, made: Made): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  for (const theme of ['dark', 'light'] as const) {
    const page = await pageOf(venue, made, { theme, options: DESK });
    await page.locator('.book .lv').first().waitFor();
    await writeOrder(page, made);
    await keep(page, theme === 'dark' ? 'trade' : 'trade-light');
    await page.context().close();
  }
  const phone = await pageOf(venue, made, { theme: 'dark', options: PHONE });
  await pause(5_000);
  await keep(phone, 'trade-phone');
  await phone.context().close();
  const ticket = await pageOf(venue, made, { theme: 'light', options: PHONE });
  await ticket.locator('.dock button').first().click();
  await writeOrder(ticket, made);
  await keep(ticket, 'trade-ticket');
  await ticket.context().close();
}

async function writeOrder(page: Page, { last }: Made): Promise<void> {
  await page.locator('#ticket-price').fill(String(Math.round(last * 0.998)));
  await page.locator('#ticket-size').fill('0.25');
  await page.locator('.receipt .arrow').first().waitFor();
  // Messages of the beginning go; the candles settle.
  await page.locator('.brand, .logo').first().focus();
  await pause(6_000);
}

async function keep(page: Page, name: string): Promise<void> {
  const bytes = await page.screenshot();
  if (bytes.length > BYTES_MAX) throw new Error(`${name}.png has ${bytes.length} bytes`);
  writeFileSync(join(PICTURES, `${name}.png`), bytes);
  console.log(`${PICTURES}/${name}.png ${Math.round(bytes.length / 1_024)} KB`);
}

const ROUTES = ['/', '/portfolio', '/wallet', '/accounts', '/keys', '/history', '/settings'];
const PAIRS = ['teal-coral', 'blue-orange', 'red-up'];
const WIDTHS = [
  [1440, 900],
  [1024, 768],
  [768, 1024],
  [360, 780],
] as const;

/** Every finding of axe and every sideways scroll, with the picture beside it. */
async function runMatrix(venue: PageVenue, made: Made): Promise<number> {
  mkdirSync(MATRIX, { recursive: true });
  const found: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    for (const pair of PAIRS) {
      const page = await pageOf(venue, made, { theme, pair, options: DESK });
      page.on('pageerror', (error) => found.push(`${theme} ${pair}: ${error.message}`));
      for (const route of ROUTES) {
        await page.goto(venue.baseUrl + route);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await pause(700);
        for (const [width, height] of WIDTHS) {
          await page.setViewportSize({ width, height });
          await pause(150);
          const where = `${route === '/' ? 'trade' : route.slice(1)}-${theme}-${pair}-${width}`;
          found.push(...(await findingsOf(page, where)));
          await page.screenshot({ path: join(MATRIX, `${where}.png`) });
        }
      }
      await page.context().close();
      console.log(`${theme} ${pair}: ${found.length} findings so far`);
    }
  }
  for (const words of found) console.log(words);
  return found.length;
}

const CONSOLE_ROUTES = [
  ...['', '/withdrawals', '/deposits', '/risk', '/markets', '/accounts/30014'],
  ...['/solvency', '/audit', '/health', '/search?q=demo'],
];

/** The same for the console, which has one pair of colours. */
async function runConsoleMatrix({ browser, handout }: PageVenue): Promise<number> {
  const [operator] = handout.operators;
  if (operator === undefined) throw new Error('the demo has an operator');
  const { page, faults: found } = await openPage(browser, handout.managementUrl, DESK.viewport);
  await page.goto(handout.consoleUrl);
  await page.getByLabel('Access key').fill(operator.accessKey);
  await page.getByLabel('Secret').fill(operator.secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
  for (const route of CONSOLE_ROUTES) {
    await page.goto(`${handout.consoleUrl}${route}`);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await pause(700);
    for (const theme of ['dark', 'light'] as const) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      for (const [width, height] of WIDTHS) {
        await page.setViewportSize({ width, height });
        await pause(150);
        const name = route.replaceAll(/\W/g, '-');
        const where = `console${name}-${theme}-${width}`;
        found.push(...(await findingsOf(page, where)));
        await page.screenshot({ path: join(MATRIX, `${where}.png`) });
      }
    }
  }
  await page.context().close();
  for (const words of found) console.log(words);
  console.log(`console: ${found.length} findings`);
  return found.length;
}

await main();
