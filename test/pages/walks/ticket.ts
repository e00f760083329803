import { expect, test } from 'vitest';
import { limit } from '../../http/trading.ts';
import {
  clearBooks,
  ETH,
  endWalk,
  markOf,
  openSignedIn,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, fillTicket, intercept } from '../venue.ts';

/** The ticket: units, shares, the focus, and what is said when an order has ended at once; keys of orders. */

const SPOT = 'BTC-USDT';

test('on a spot market an amount never becomes a size, and a share is one of what can be traded', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at, SPOT);
  const ask = (quantity: string, away: number) => ({
    ...limit('SELL', quantity, String(mark + away)),
    marketCode: SPOT,
  });
  await at.other().placeOrders({ responseType: 'FULL', orders: [ask('5', 5), ask('60', 500)] });
  const opened = await openSignedIn(at, `/trade/${SPOT}`);
  const { page } = opened;
  const go = ticketButton(page);
  const size = page.locator('#ticket-size');
  // A price that is typed for a limit order, and not shown for a market order.
  await fillTicket(page, { kind: 'Limit', side: 'Buy', price: '7' });
  await fillTicket(page, { kind: 'Market' });
  await page.getByRole('button', { name: 'By amount' }).click();
  await size.fill('20');
  await eventually(() => go.innerText()).toContain('Buy 20 USDT at market');
  await size.press('Escape');
  await page.locator('body').press('s');
  await page.locator('#ticket-size:focus').waitFor();
  expect([await size.inputValue(), await go.innerText()]).toEqual([
    '',
    expect.stringContaining('Sell BTC'),
  ]);
  const share = page.getByRole('slider', { name: 'Share of buying power' });
  const [account] = await at.own().balances({ asset: 'BTC' });
  const held = Number(account?.balances[0]?.available);
  for (const [percent, lots] of [
    ['100', held],
    ['50', held / 2],
  ] as const) {
    await share.fill(percent);
    expect(Number(await size.inputValue())).toBeCloseTo(lots, 4);
    expect(Number(await size.inputValue())).toBeLessThanOrEqual(lots);
  }
  // All of it can be spent, although the book is dearer than the mark.
  await fillTicket(page, { side: 'Buy' });
  await share.fill('100');
  await page
    .locator('.receipt')
    .getByText(/ at .*2 levels/)
    .waitFor();
  expect(await go.getAttribute('class')).not.toContain('reason');
  await page.evaluate(() => localStorage.removeItem('rialto-view'));
  await clearBooks(at);
  await endWalk(opened);
});

test('an order that ends unfilled is said to be that; the button keeps the focus, and a held key is one press', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const go = ticketButton(page);
  await fillTicket(page, {
    ...{ kind: 'Limit', side: 'Buy', price: String(mark - 9), size: '0.02', inForce: 'FOK' },
  });
  const receipt = page.locator('.receipt');
  await receipt.getByText('none, it ends at once').waitFor();
  const margin = receipt.locator('div', { hasText: /^(Initial margin|Margin ratio)/ });
  expect((await margin.allInnerTexts()).join()).not.toContain('→');
  let requests = 0;
  const answer = Promise.withResolvers<void>();
  await intercept(page, '**/v3/orders/place', async (route) => {
    requests++;
    await answer.promise;
    await route.continue();
  });
  const hasFocus = () => go.evaluate((button) => document.activeElement === button);
  await go.focus();
  await page.keyboard.down('Enter');
  await page.getByRole('button', { name: 'Sending…' }).waitFor();
  expect([await go.isDisabled(), await hasFocus()]).toEqual([true, true]);
  answer.resolve();
  const said = page.locator('.toast', { hasText: 'Order not filled' });
  await said.getByText('Fill or kill, not filled whole').waitFor();
  await eventually(() => go.isDisabled()).toBe(false);
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(await hasFocus()).toBe(true);
  expect(await page.getByText('Order taken').count()).toBe(0);
  await said.getByRole('button', { name: 'Dismiss' }).click();
  expect(requests).toBe(1);
  await endWalk(opened);
});

test('Shift X on an order is about its market, elsewhere about the one in view; its button says all of it', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const price = (await markOf(at, ETH)) - 200;
  await at.own().placeOrders({
    responseType: 'FULL',
    orders: [
      { ...limit('BUY', '1', String(price)), marketCode: ETH },
      limit('BUY', '0.01', String((await markOf(at)) - 900)),
    ],
  });
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const row = page.getByRole('row', { name: /ETH/ });
  const [size, shown] = [
    await row.getByRole('button', { name: /^Change size/ }).innerText(),
    await row.getByRole('button', { name: /^Change price/ }).innerText(),
  ];
  const name = `Cancel buy ${size} ETH at ${shown} in ETH/USD Perp`;
  await row.getByRole('button', { name, exact: true }).focus();
  const dialog = page.getByRole('dialog');
  for (const market of ['ETH', 'BTC']) {
    await page.keyboard.press('Shift+X');
    await dialog.getByText(`Cancel 1 order of ${market}/USD Perp?`).waitFor();
    // The safe button has the focus.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('#ticket').focus();
  }
  await clearBooks(at);
  await endWalk(opened);
});
