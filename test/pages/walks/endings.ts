import { expect, test } from 'vitest';
import { limit, place } from '../../http/trading.ts';
import {
  BTC,
  clearBooks,
  endWalk,
  markOf,
  openSignedIn,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, fillTicket } from '../venue.ts';

/** Orders that end without their owner. */

test('an order that a rule ends is named with the rule, and the closed orders follow', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const own = at.own();
  await own.placeOrders({
    responseType: 'FULL',
    orders: [
      limit('SELL', '0.0131', String(mark + 1)),
      limit('SELL', '0.0132', String(mark + 2)),
      limit('SELL', '0.0133', String(mark + 3)),
    ],
  });
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.getByRole('tab', { name: /^Orders 3/ }).waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  const newest = page
    .getByRole('table', { name: 'Closed orders' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
  const meeting = (quantity: string, price: number) =>
    place(own, {
      ...limit('BUY', quantity, String(price)),
      ...{ timeInForce: 'IOC', selfTradePreventionMode: 'EXPIRE_MAKER' },
    });
  await meeting('0.0131', mark + 1);
  const toasts = page.locator('.toasts');
  await toasts.getByText(/^Ended by the venue: Sell limit 0\.0131 BTC at/).waitFor();
  await toasts.getByText('BTC/USD Perp. Self-trade prevention').waitFor();
  // Opened and closed between two frames: the number of open orders is the same as before.
  const unmatched = (size: string) =>
    newest.filter({ hasText: size }).filter({ hasText: 'nothing matched' }).count();
  await eventually(() => unmatched('0.0131')).toBe(1);
  await meeting('0.0265', mark + 3);
  await toasts.getByText('2 orders ended by the venue').waitFor();
  await eventually(() => unmatched('0.0265')).toBe(1);
  // What is cancelled by its owner needs no message.
  await place(own, limit('BUY', '0.0134', String(mark - 9)));
  await page.getByRole('tab', { name: /^Orders 1/ }).waitFor();
  await own.cancelAllOrders({ marketCode: BTC });
  await eventually(() => newest.first().innerText()).toMatch(/0\.0134.*Cancelled/s);
  expect(await toasts.getByText('0.0134').count()).toBe(0);
  await clearBooks(at);
  await endWalk(opened);
});

test('an amendment to a size that was filled before is not said to have changed the order', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const price = String(await markOf(at));
  await place(at.own(), limit('BUY', '0.5', price));
  await place(at.other(), limit('SELL', '0.3', price));
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.getByRole('tab', { name: /^Orders 1/ }).click();
  await page.getByRole('button', { name: 'Change size 0.5000' }).click();
  await page.getByLabel('New size').fill('0.2');
  await page.keyboard.press('Enter');
  const toasts = page.locator('.toasts');
  await toasts.getByText('Order ended').waitFor();
  await toasts.getByText('That much of it was filled before').waitFor();
  expect(await toasts.getByText('Order changed').count()).toBe(0);
  await page.getByText('No open order').waitFor();
  await clearBooks(at);
  await endWalk(opened);
});

test('a market order that the book fills in part is said to be partly filled, once', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  await place(at.other(), limit('SELL', '0.0151', String(mark + 5)));
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await fillTicket(page, { kind: 'Market', side: 'Buy', size: '0.03' });
  await page.getByText(/^0\.0151 at/).waitFor();
  await ticketButton(page).click();
  await page.getByRole('button', { name: 'Buy at market now?' }).click();
  const toasts = page.locator('.toasts');
  await toasts.getByText('Order partly filled').waitFor();
  await toasts.getByText(/0\.0151 BTC filled/).waitFor();
  await toasts.getByText(/^Bought 0\.0151/).waitFor();
  expect(await toasts.getByText(/Order taken|Ended by the venue/).count()).toBe(0);
  await clearBooks(at);
  await endWalk(opened);
});
