import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { RialtoClient } from '../../../src/client/index.ts';
import { setMarketState } from '../../../src/wire/operator-markets.ts';
import { limit } from '../../http/trading.ts';
import {
  BTC,
  clearBooks,
  endWalk,
  markOf,
  openSignedIn,
  quote,
  sharedVenue,
} from '../shared-venue.ts';
import { eventually, fillTicket, intercept } from '../venue.ts';

/**
 * Refusals of the venue as shown to the user: at the field concerned, with the nearest valid value as one
 * click.
 */

/** What a screen reader announces for an invalid field. */
async function whyAt(field: Locator): Promise<string> {
  await field.and(field.page().locator('[aria-invalid=true]')).waitFor();
  return field.evaluate(
    (input) =>
      document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
  );
}

test('refusals of the ticket stand at price, size and button; of an amendment in its row', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const price = String((await markOf(at)) - 500);
  await at.own().placeOrders({
    responseType: 'FULL',
    orders: [
      { ...limit('BUY', '0.1', price), marketCode: BTC },
      {
        ...{ marketCode: BTC, side: 'SELL', orderType: 'STOP_MARKET', quantity: '0.1' },
        ...{ stopPrice: price, triggerType: 'MARK_PRICE' },
      },
    ],
  });
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const send = page.locator('.ticket .go');
  await fillTicket(page, { kind: 'Limit', side: 'Buy', price: '1', size: '0.1' });
  await page.locator('.ticket .go.reason').waitFor();
  await send.click();
  const priceField = page.locator('#ticket-price');
  expect(await whyAt(priceField)).toContain('710002: price is lower than the minimum');
  // The nearest valid price is filled in; nothing is wrong with it.
  await page.locator('.ticket .why').getByRole('button', { name: /^Use/ }).click();
  await page.locator('.ticket .go:not(.reason)').waitFor();
  expect(await priceField.getAttribute('aria-invalid')).toBe('false');
  await page.locator('#ticket-size').fill('100000');
  await page.locator('.ticket .go.reason').waitFor();
  await send.click();
  expect(await whyAt(page.locator('#ticket-size'))).toMatch(/quantity|margin/);

  await page.getByRole('tab', { name: /^Orders/ }).click();
  await page.getByRole('button', { name: /^Change price/ }).click();
  const cell = page.getByRole('textbox', { name: 'New price' });
  await cell.fill('1.5');
  await cell.press('Enter');
  expect(await whyAt(cell)).toContain('price 1.5');
  // Not the nearest on the tick, which the venue would refuse next.
  await page.locator('.edit-why').getByRole('button', { name: /^Use/ }).click();
  expect(await cell.getAttribute('aria-invalid')).toBe('false');
  const [market] = await at.own().markets({ marketCode: BTC });
  expect(Number(await cell.inputValue())).toBe(Math.ceil(Number(market?.lowerPriceBound)));
  await cell.press('Escape');
  await page.getByRole('button', { name: /^Change price/ }).waitFor();

  // Sent as it was typed: a stop that nobody has typed is not set.
  await page.getByRole('tab', { name: /^Stops/ }).click();
  await page.getByRole('button', { name: /^Change stop price/ }).click();
  const stop = page.getByRole('textbox', { name: 'New stop price' });
  await stop.fill(`${Number(price) - 1}.5`);
  await stop.press('Enter');
  expect(await whyAt(stop)).toContain(`stopPrice ${Number(price) - 1}.5`);
  await page.locator('.edit-why').getByRole('button', { name: /^Use/ }).click();
  expect(await stop.inputValue()).toBe(price);
  await stop.press('Escape');
  await endWalk(opened);
  await clearBooks(at);
});

test('what a refusal offers goes into the ticket of its market, whichever is shown by then', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, `/trade/${BTC}`);
  const { page } = opened;
  const price = page.locator('#ticket-price');
  await fillTicket(page, { kind: 'Limit', side: 'Sell', price: '1', size: '0.1' });
  await page.getByRole('button', { name: 'Send anyway' }).click();
  const offer = page.locator('.toasts').getByRole('button', { name: /^Use/ });
  const offered = (await offer.innerText()).replace('Use ', '');
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search markets and actions' }).fill('ETH/USD Perp');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sell ETH' }).waitFor();
  await offer.click();
  await page.getByRole('button', { name: `Sell 0.1000 BTC at ${offered}` }).waitFor();
  expect(await price.inputValue()).toBe(offered);
  expect(new URL(page.url()).pathname).toBe(`/trade/${BTC}`);
  // Pressed on another page, it leads to the ticket that it changes.
  await price.fill('1');
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await offer.waitFor();
  await page.locator('header').getByRole('link', { name: 'Wallet' }).click();
  await page.getByRole('tab', { name: 'Deposit', exact: true }).waitFor();
  await offer.click();
  await page.getByRole('button', { name: `Sell 0.1000 BTC at ${offered}` }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/trade/${BTC}`);
  await endWalk(opened);
});

test('a question gives way to the reason when the order would be refused by now', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  await quote(at.other(), BTC, await markOf(at));
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const send = page.locator('.ticket .go');
  await fillTicket(page, { kind: 'Market', side: 'Buy', size: '0.01' });
  await page.getByText(/^0\.0100 at/).waitFor();
  await send.click();
  await page.locator('.ticket .go.ask').waitFor();
  const [operator] = at.handout.operators;
  const desk = new RialtoClient({ baseUrl: at.handout.managementUrl, ...operator });
  const turn = (state: 'CANCEL_ONLY' | 'OPEN') =>
    desk.call(setMarketState, { marketCode: BTC, state, reason: 'a test' });
  try {
    await turn('CANCEL_ONLY');
    // Asked again each second while the ticket is in use.
    await page.locator('.ticket .go.reason').waitFor();
    expect(await send.innerText()).toContain('20031');
    await send.click();
    await page.locator('.ticket .why', { hasText: '20031' }).waitFor();
  } finally {
    // The walks after this one trade in the same market.
    await turn('OPEN');
  }
  // It was not confirmed: it says the whole order again.
  await page.getByRole('button', { name: 'Buy 0.0100 BTC at market' }).waitFor();
  // And the reason is gone, without a key pressed.
  await eventually(() => page.locator('.ticket .why').count()).toBe(0);
  await endWalk(opened);
  await clearBooks(at);
});

test('a pasted number keeps its comma: half a coin is never read as five', async ({ skip }) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/');
  const { page } = opened;
  const size = page.locator('#ticket-size');
  const price = page.locator('#ticket-price');
  await fillTicket(page, { kind: 'Limit', side: 'Buy', price: '59000', size: '1' });
  // What is dropped, dictated or pasted arrives as one insertion into what was selected.
  const insert = async (field: Locator, text: string): Promise<void> => {
    await page
      .locator('h1')
      .first()
      .evaluate(() => (document.activeElement as HTMLElement).blur());
    await field.selectText();
    await page.keyboard.insertText(text);
  };
  for (const typed of ['0,5', '1,5', '0,125']) {
    await insert(size, typed);
    expect(await size.inputValue()).toBe(typed);
    await page.locator('.ticket .go').click();
    expect(await whyAt(size)).toContain('is no number');
  }
  await insert(size, '0.5');
  await insert(price, '58,500');
  await page.getByRole('button', { name: 'Buy 0.5000 BTC at 58,500' }).waitFor();
  // Our own separators make way for what is typed between them.
  await price.blur();
  expect(await price.inputValue()).toBe('58,500');
  await price.focus();
  await price.evaluate((input: HTMLInputElement) => input.setSelectionRange(4, 4));
  await page.keyboard.press('Backspace');
  expect(await price.inputValue()).toBe('5800');
  await page.keyboard.insertText('9');
  expect(await price.inputValue()).toBe('58900');
  await endWalk(opened);
});

test('a cancel that got no answer is not called refused; orders of one request have a fixed order', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const prices = [900, 800, 700].map((below) => String(mark - below));
  await at.own().placeOrders({
    responseType: 'FULL',
    orders: prices.map((price) => ({ ...limit('BUY', '0.1', price), marketCode: BTC })),
  });
  const opened = await openSignedIn(at, '/');
  const { page, faults } = opened;
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const rows = page.getByRole('button', { name: /^Change price/ });
  await rows.nth(2).waitFor();
  const shown = await rows.allInnerTexts();
  expect(shown.map((text) => text.replace(/\D/g, ''))).toEqual(prices.toReversed());
  await intercept(page, '**/v3/orders/cancel*', (route) => route.abort());
  await page
    .getByRole('button', { name: /^Cancel buy/ })
    .first()
    .click();
  const words = 'The venue did not answer. The order may still be open.';
  await page.getByText('Cancel not confirmed').waitFor();
  await page.getByText(words).first().waitFor();
  expect(await rows.count()).toBe(3);
  await page.unrouteAll();
  // The browser itself reports the request that was cut.
  faults.splice(0, faults.length, ...faults.filter((fault) => !/ERR_FAILED/.test(fault)));
  await endWalk(opened);
  await clearBooks(at);
});

test('refusals of signing in and of a key stand at their fields, others at the button', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const { page, faults } = await at.open('/settings');
  await page.locator('header').getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Name').fill('demo-1');
  await dialog.getByLabel('Password').fill('not this one');
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  expect(await whyAt(dialog.getByLabel('Password'))).toContain('Name or password is wrong');
  expect(faults.filter((fault) => !/status of 40\d/.test(fault))).toEqual([]);
  await page.context().close();

  const opened = await openSignedIn(at, '/keys');
  const form = opened.page.getByRole('form', { name: 'Create key' });
  await form.getByLabel('Only from these IP addresses').fill('1.2.3');
  await form.getByRole('button', { name: 'Create key' }).click();
  expect(await whyAt(form.getByLabel('Only from these IP addresses'))).toContain('1.2.3');
  await endWalk(opened);
});

test('an amount that is missing or no number is said at its field, and nothing is requested', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/wallet#withdraw');
  const { page } = opened;
  let requests = 0;
  page.on('request', (request) => {
    if (/\/v3\/(withdrawal|transfer)$/.test(request.url()) && request.method() === 'POST')
      requests++;
  });
  const amount = page.getByLabel('Amount');
  await page.getByRole('button', { name: 'Withdraw USDT', exact: true }).click();
  expect(await whyAt(amount)).toContain('Amount is needed');
  expect(await amount.evaluate((field) => document.activeElement === field)).toBe(true);
  await amount.fill('0');
  expect(await amount.getAttribute('aria-invalid')).toBe('false');
  await page.keyboard.press('Enter');
  expect(await whyAt(amount)).toContain('Amount must be above 0');
  await page.getByRole('tab', { name: 'Transfer', exact: true }).click();
  await amount.fill('1.234.567');
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  expect(await whyAt(amount)).toContain('Amount is no number');
  expect(requests).toBe(0);
  await endWalk(opened);
});
