import { expect, test } from 'vitest';
import { limit, trade } from '../../http/trading.ts';
import { BTC, clearBooks, endWalk, markOf, openSignedIn, sharedVenue } from '../shared-venue.ts';
import { eventually } from '../venue.ts';

/** The trade view under keys and a pointer: what follows what, and what can be hit. */

test('Tab goes through own orders on the chart from the highest price to the lowest, also after one has moved', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  // The prices in sight are those that were traded at.
  for (const price of [mark + 8, mark - 8]) {
    await trade(at.other(), at.own(), limit('SELL', '0.001', String(price)));
  }
  // The oldest is neither the highest nor the lowest.
  await at.own().placeOrders({
    responseType: 'FULL',
    orders: [-4, -2, -6].map((away) => limit('BUY', '0.01', String(mark + away))),
  });
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const handles = page.locator('.lines [role=slider]');
  await eventually(() => handles.count()).toBe(3);
  const prices = () =>
    handles.evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-valuenow'))));
  expect(await prices()).toEqual([mark - 2, mark - 4, mark - 6]);
  await handles.first().focus();
  // Its cancel button lies between.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const focused = () =>
    page.locator(':focus').evaluate((one) => Number(one.getAttribute('aria-valuenow')));
  expect(await focused()).toBe(mark - 4);
  // Up over the highest: it keeps the focus where it goes.
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await eventually(prices).toEqual([mark - 1, mark - 2, mark - 6]);
  expect(await focused()).toBe(mark - 1);
  await clearBooks(at);
  await endWalk(opened);
});

test('the sides of the book are wide enough to be hit, beside the longest grouping', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/trade/OX-USDT');
  const { page } = opened;
  await page.locator('.book select').waitFor();
  for (const width of [1024, 1280, 1399, 1440]) {
    await page.setViewportSize({ width, height: 768 });
    const found = () =>
      page.locator('.book > .bar').evaluate((bar) => ({
        isWhole: bar.scrollWidth <= bar.clientWidth,
        least: Math.min(
          ...[...bar.querySelectorAll('.sides button')].map(
            (button) => button.getBoundingClientRect().width,
          ),
        ),
      }));
    await eventually(found).toEqual({ isWhole: true, least: 24 });
  }
  await page.evaluate((marketCode) => {
    localStorage.setItem('rialto-view', JSON.stringify({ marketCode, timeframe: '900s' }));
  }, BTC);
  await endWalk(opened);
});
