import { expect, test } from 'vitest';
import { limit, trade } from '../../http/trading.ts';
import {
  BTC,
  clearBooks,
  endWalk,
  markOf,
  openSignedIn,
  openTapped,
  sharedVenue,
} from '../shared-venue.ts';
import { eventually, intercept } from '../venue.ts';

/** The same figure in several places, very many orders, and very little room. */

test('a liquidation price beyond the chart is the one of the table: cut, not rounded', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const mark = await markOf(at);
  const { page, faults, line } = await openTapped(at);
  await page.locator('.legend').waitFor();
  const row = page.getByRole('table', { name: 'Positions' }).getByRole('row', { name: /BTC/ });
  const hold = (estLiquidationPrice: string, more = {}): void =>
    line.say({
      ...{ table: 'position', channel: 'position:all', seq: 1e15, snapshot: true },
      data: [
        {
          ...{ instrumentId: BTC, quantity: '0.5', entryPrice: String(mark), positionPnl: '0' },
          ...{ estLiquidationPrice, ...more },
        },
      ],
    });
  const figures = async (): Promise<string> => {
    // Again each time: the page reads its positions from the venue, too.
    hold('41234.9');
    const texts = [
      ...(await row.allInnerTexts()),
      ...(await page.locator('.edge').allInnerTexts()),
    ];
    return texts.flatMap((text) => text.match(/41,23\d/g) ?? []).join(' ');
  };
  await eventually(figures).toBe('41,234 41,234');
  // A price that no market reaches would push what can be done out of the table.
  const far = row.getByTitle('Beyond what the market could reach: 123,456,789,012,345,678.9');
  await eventually(async () => {
    hold('123456789012345678.9');
    return await far.count();
  }).toBe(1);
  // Whatever the figures of the row, what can be done stays in it.
  const beyond = async (): Promise<number> => {
    const great = { quantity: '1234567.891', positionPnl: '-12345678901234.5' };
    hold(String(mark * 5.9), great);
    const close = await row.getByRole('button', { name: 'Close' }).boundingBox();
    const panel = await page.locator('.blotter').boundingBox();
    const isGreat = (await row.innerText()).includes('1,234,567');
    const right = (panel?.x ?? 0) + (panel?.width ?? 0);
    return isGreat ? Math.max(0, (close?.x ?? 0) + (close?.width ?? 0) - right) : -1;
  };
  await eventually(beyond).toBe(0);
  // A program may end a hundred orders a second: the newest are not read again for each.
  await page.getByRole('tab', { name: 'History', exact: true }).click();
  const closed = page.getByRole('table', { name: 'Closed orders' });
  await closed.or(page.getByText('No order was closed')).first().waitFor();
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v3/orders?')) reads++;
  });
  for (let orderId = 1; orderId <= 20; orderId++) {
    const data = [{ orderId: String(orderId), notice: 'OrderClosed', status: 'CANCELED_BY_USER' }];
    line.say({ table: 'order', channel: 'order:all', seq: 1e15, snapshot: true, data });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
  }
  await eventually(async () => reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(15);
  expect(faults).toEqual([]);
  await page.context().close();
});

const ORDERS = 208;

test('of very many orders the list begins with the newest, and the chart draws those that have room', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  // The visible prices are those of trades.
  for (const price of [mark + 30, mark - 30]) {
    await trade(at.other(), at.own(), limit('SELL', '0.001', String(price)));
  }
  for (let placed = 0; placed < ORDERS; placed += 8) {
    const prices = Array.from({ length: 8 }, (_, one) => String(mark - 1 - ((placed + one) % 24)));
    const orders = prices.map((price) => limit('BUY', '0.001', price));
    await at.own().placeOrders({ responseType: 'ACK', orders });
  }
  // Beyond the visible prices.
  const far = [600, 601, 602].map((away) => limit('SELL', '0.001', String(mark + away)));
  await at.own().placeOrders({ responseType: 'ACK', orders: far });
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const rows = page.getByRole('table', { name: 'Open orders' }).locator('tbody tr');
  await eventually(() => rows.count()).toBe(200);
  await page.getByText('11 older ones are not listed.').waitFor();
  const handles = page.locator('.lines [role=slider]');
  await eventually(() => handles.count()).toBeGreaterThan(3);
  expect(await handles.count()).toBeLessThan(20);
  expect(await page.locator('.edge').last().innerText()).toMatch(/\+\d+/);
  await page.getByRole('button', { name: 'Show 11 more' }).click();
  await eventually(() => rows.count()).toBe(ORDERS + far.length);
  // Those out of sight are empty, until they come into it.
  await rows.last().getByRole('button', { name: 'Cancel buy' }).waitFor();
  await eventually(() => rows.first().innerText()).toBe('');
  await rows.first().scrollIntoViewIfNeeded();
  await rows.first().getByRole('button', { name: 'Cancel sell' }).focus();
  await eventually(() => rows.last().innerText()).toBe('');
  expect(await rows.getByRole('button').count()).toBeLessThan(300);
  await page.keyboard.press('Shift+Tab');
  await rows
    .first()
    .getByRole('button', { name: 'Change size' })
    .and(page.locator(':focus'))
    .waitFor();
  await page.setViewportSize({ width: 360, height: 780 });
  const beyond = () =>
    page
      .locator('.edge.above .pill')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > 360).length);
  await eventually(beyond).toBe(0);
  expect(await page.locator('.edge.above').innerText()).toContain('+2');
  await clearBooks(at);
  await page.getByText('No open order').waitFor();
  await endWalk(opened);
});

test('in a window of 320 pixels no figure is cut or broken', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.setViewportSize({ width: 320, height: 700 });
  const change = page.locator('.market .change');
  await eventually(() => change.innerText()).toMatch(/%|—/);
  await change.evaluate((one) => {
    one.textContent = '▲ 14.78 %';
  });
  expect((await change.boundingBox())?.height).toBeLessThan(20);
  await page.goto(`${at.baseUrl}/wallet`);
  await eventually(() => page.locator('.pg-figures').innerText()).toContain('1,000,000,000 OX');
  const cut = await page
    .locator('.pg-figures dd')
    .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
  expect(cut).toBe(0);
  await endWalk(opened);
});

test('the number of accounts is unknown, not 0, as long as the venue has not told it', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/settings');
  const { page, faults } = opened;
  await intercept(page, '**/v3/account**', (route) => route.abort());
  await page.getByRole('link', { name: 'Wallet', exact: true }).first().click();
  await page
    .getByText(/^Not read/)
    .first()
    .waitFor();
  expect(await page.locator('.pg-figures').innerText()).not.toContain('0 accounts');
  // The browser itself reports what was not answered.
  expect(faults.splice(0).filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([]);
  await page.unrouteAll();
  await endWalk(opened);
});
