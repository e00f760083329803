import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { BTC, ETH, endWalk, openSignedIn, sharedVenue } from '../shared-venue.ts';

/** The market in the address bar is the one on the screen, whichever way one came there. */

const shows = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor({ state: 'attached' });

async function pick(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search markets and actions' }).fill(name);
  await page.keyboard.press('Enter');
  await shows(page, name);
}

test('Back, Forward and links show the market that the address names', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await shows(page, 'BTC/USD Perp');
  await pick(page, 'ETH/USD Perp');
  await pick(page, 'SOL/USD Perp');
  await page.goBack();
  await shows(page, 'ETH/USD Perp');
  expect(new URL(page.url()).pathname).toBe(`/trade/${ETH}`);
  // The address "/" stands for the last market: it is given its name when another is picked there.
  await page.goBack();
  await shows(page, 'BTC/USD Perp');
  expect(new URL(page.url()).pathname).toBe(`/trade/${BTC}`);
  await page.goForward();
  await shows(page, 'ETH/USD Perp');
  await page.getByRole('link', { name: 'Wallet' }).click();
  await shows(page, 'Wallet');
  await page.goBack();
  await shows(page, 'ETH/USD Perp');

  await page.goto(`${at.baseUrl}/trade/btc-usdt`);
  await shows(page, 'BTC/USDT');
  // Nobody trades in another market than the one asked for without being told.
  await page.goto(`${at.baseUrl}/trade/DOGE-USDT`);
  await page.getByText('DOGE-USDT is not traded here. This is BTC/USDT.').waitFor();
  await shows(page, 'BTC/USDT');
  expect(new URL(page.url()).pathname).toBe('/trade/BTC-USDT');
  await page.goto(`${at.baseUrl}/trade/${BTC}`);
  await shows(page, 'BTC/USD Perp');
  await endWalk(opened);
});
