import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { RialtoClient } from '../../src/client/index.ts';
import { openBrowser } from './browser.ts';
import { clientOf, type Opened, openPage, type PageVenue, signIn } from './venue.ts';

/** The pictures of the documents: `npm run pages -- --only pictures`. */

const PICTURES = 'docs/pictures';
const BYTES_MAX = 300 * 1_024;
const PASSWORD = 'a page of pictures 1';
const BTC = 'BTC-USD-SWAP-LIN';

export type Made = { readonly name: string; readonly client: RialtoClient; readonly last: number };

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

async function openAccount(venue: PageVenue, name: string, quantity: string) {
  const { baseUrl } = venue;
  const stranger = new RialtoClient({ baseUrl });
  const { accountId } = await stranger.signUp({ name, password: PASSWORD });
  const { accessKey, secret } = await stranger.signIn({ name, password: PASSWORD });
  const client = new RialtoClient({ baseUrl, accessKey, secret });
  await venue.deposit({ accountId, asset: 'USDT', network: 'Ethereum', quantity });
  while (Number((await client.account())[0]?.collateral ?? 0) === 0) await pause(200);
  return client;
}

/** So that the operators' risk board has content. */
async function makeCrowd(venue: PageVenue): Promise<void> {
  const sizes = ['0.35', '0.6', '0.86'];
  for (const [at, quantity] of sizes.entries()) {
    const client = await openAccount(venue, `trader-${at + 1}`, '3000');
    const order = { marketCode: BTC, orderType: 'MARKET', quantity } as const;
    await client.placeOrders({
      responseType: 'FULL',
      orders: [{ ...order, side: at % 2 === 0 ? 'BUY' : 'SELL' }],
    });
  }
}

/** An account of ordinary size, so that margin and liquidation show something. */
export async function makeTrader(venue: PageVenue): Promise<Made> {
  const name = 'ada';
  const client = await openAccount(venue, name, '12000');
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

type Look = {
  readonly theme: 'dark' | 'light';
  readonly pair?: string;
  readonly options: BrowserContextOptions;
};

/** A new page with these settings, signed in. */
export async function pageOf(venue: PageVenue, { name }: Made, look: Look): Promise<Page> {
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
  // Out of the way, so that no row or candle is highlighted.
  await page.mouse.move(0, 0);
  return page;
}

export const DESK = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

/** With a real density canvases are rendered at it; with an emulated one they are not. */
const DENSE = ['--force-device-scale-factor=2'];

/** All pictures of the documents, from one seeded venue. */
export async function takePictures(venue: PageVenue, made: Made): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  for (const theme of ['dark', 'light'] as const) {
    const page = await pageOf(venue, made, { theme, options: DESK });
    await page.locator('.book .lv').first().waitFor();
    await writeOrder(page, made);
    await calm(page);
    await keep(page, theme === 'dark' ? 'trade' : 'trade-light');
    if (theme === 'dark') {
      for (const route of ['portfolio', 'history']) {
        await page.goto(`${venue.baseUrl}/${route}`);
        await keepCalm(page, route);
      }
    }
    await page.context().close();
  }
  await takePhone(venue, made);
  await makeCrowd(venue);
  const caseId = await holdWithdrawals(venue);
  await takeWallet(venue);
  await takeConsole(venue, caseId);
}

async function takePhone(venue: PageVenue, made: Made): Promise<void> {
  const browser = await openBrowser(DENSE);
  if (typeof browser === 'string') throw new Error(browser);
  const at = { ...venue, browser };
  const phone = await pageOf(at, made, { theme: 'dark', options: PHONE });
  await pause(5_000);
  await keep(phone, 'trade-phone');
  const ticket = await pageOf(at, made, { theme: 'light', options: PHONE });
  await ticket.locator('.dock button').first().click();
  await writeOrder(ticket, made);
  await keep(ticket, 'trade-ticket');
  await browser.close();
}

/** Above the limit for automatic release; one of them is released once. */
async function holdWithdrawals(venue: PageVenue): Promise<string> {
  const customer = clientOf(venue.handout, 0);
  const terms = { externalFee: false };
  const bitcoin = {
    ...{ ...terms, asset: 'BTC', network: 'Bitcoin', quantity: '4.2' },
    address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  };
  const ethereum = {
    ...{ ...terms, asset: 'USDT', network: 'Ethereum', quantity: '124000' },
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  };
  const { id } = await customer.withdraw(bitcoin);
  await customer.withdraw(ethereum);
  const { page } = await openConsole(venue, 1);
  await page.goto(`${venue.handout.consoleUrl}/withdrawals/${id}`);
  await page.getByRole('button', { name: 'Release as first…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason, for the audit log').fill('known customer, called back');
  await dialog.getByRole('button', { name: 'Release as first' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.context().close();
  return id;
}

async function takeWallet(venue: PageVenue): Promise<void> {
  const { page } = await openPage(venue.browser, venue.baseUrl, DESK.viewport);
  await page.goto(`${venue.baseUrl}/`);
  await page.evaluate(`localStorage.setItem('rialto-coach', '{"step":4}')`);
  await signIn(page);
  await page.goto(`${venue.baseUrl}/wallet`);
  await page.getByText('On its way out').waitFor();
  await page.getByRole('tab', { name: 'Withdraw', exact: true }).click();
  await keepCalm(page, 'wallet');
  await page.context().close();
}

async function takeConsole(venue: PageVenue, caseId: string): Promise<void> {
  const { page } = await openConsole(venue, 0);
  // The curves of the overview need a while.
  await pause(20_000);
  await keep(page, 'console');
  await page.goto(`${venue.handout.consoleUrl}/withdrawals/${caseId}`);
  await page.getByRole('button', { name: 'Release as second…' }).waitFor();
  await keepCalm(page, 'console-case');
  await page.context().close();
}

/** The console of one of the demo's operators, signed in. */
export async function openConsole(
  { browser, handout }: PageVenue,
  operatorAt: number,
): Promise<Opened> {
  const operator = handout.operators[operatorAt];
  if (operator === undefined) throw new Error('the demo has two operators');
  const opened = await openPage(browser, handout.managementUrl, DESK.viewport);
  const { page } = opened;
  await page.goto(handout.consoleUrl);
  await page.getByLabel('Access key').fill(operator.accessKey);
  await page.getByLabel('Secret').fill(operator.secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
  return opened;
}

async function writeOrder(page: Page, { last }: Made): Promise<void> {
  await page.locator('#ticket-price').fill(String(Math.round(last * 0.998)));
  await page.locator('#ticket-size').fill('0.25');
  await page.locator('.receipt .arrow').first().waitFor();
  // Initial messages disappear; the candles settle.
  await page.locator('.brand, .logo').first().focus();
  await pause(6_000);
}

/** After initial messages have disappeared, and when the browser is no longer busy. */
async function keepCalm(page: Page, name: string): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.mouse.move(0, 0);
  await pause(6_000);
  await calm(page);
  await keep(page, name);
}

const calm = (page: Page): Promise<void> =>
  page.getByText('Drawing half as often').waitFor({ state: 'detached' });

async function keep(page: Page, name: string): Promise<void> {
  const bytes = await page.screenshot();
  if (bytes.length > BYTES_MAX) throw new Error(`${name}.png has ${bytes.length} bytes`);
  writeFileSync(join(PICTURES, `${name}.png`), bytes);
  console.log(`${PICTURES}/${name}.png ${Math.round(bytes.length / 1_024)} KB`);
}
