import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { limit, place, trade } from '../../http/trading.ts';
import { later } from '../later.ts';
import { BTC, clearBooks, endWalk, markOf, openSignedIn, sharedVenue } from '../shared-venue.ts';
import { eventually, fillTicket, intercept, type PageVenue } from '../venue.ts';

/** Orders from the ticket, on the chart and in the panels around them. */

const send = (page: Page) => page.locator('.ticket .go').click();

test('an order is dragged on the chart, moved by keys, left by Esc, and goes back when it is refused', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('#ticket-price').waitFor();
  const mark = await markOf(at);
  // The visible prices are those of trades.
  for (const price of [mark + 8, mark - 8]) {
    await trade(at.other(), at.own(), limit('SELL', '0.001', String(price)));
  }
  await fillTicket(page, { side: 'Sell', price: String(mark + 3), size: '0.02' });
  await send(page);
  await page.getByRole('slider', { name: /^Sell limit/ }).waitFor();
  const buy = page.getByRole('slider', { name: /^Buy limit/ });
  await fillTicket(page, {
    ...{ side: 'Buy', price: String(mark - 3), size: '0.01', inForce: 'MAKER_ONLY' },
  });
  await eventually(() => page.locator('.ticket .go').innerText()).toContain('Buy 0.0100 BTC');
  await send(page);
  await buy.waitFor();
  const priceOf = async (): Promise<number> => Number(await buy.getAttribute('aria-valuenow'));
  const standing = async (): Promise<number> =>
    Number(
      (await at.own().workingOrders({ marketCode: BTC })).find(({ side }) => side === 'BUY')?.price,
    );
  const ghost = page.locator('.ln.ghost');
  const isHeld = (): Promise<boolean> => buy.evaluate((handle) => handle.hasPointerCapture(1));
  const drag = async (by: number): Promise<void> => {
    // That of the previous move disappears when the stream has reported the order's price.
    await ghost.waitFor({ state: 'detached' });
    let [x, y] = [0, 0];
    // The chart may rescale between finding the handle and pressing it.
    do {
      await page.mouse.up();
      const box = await buy.boundingBox();
      if (box === null) throw new Error('no handle');
      [x, y] = [box.x + 10, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
    } while (!(await isHeld()));
    await page.mouse.move(x, y + by / 2);
    await page.mouse.move(x, y + by);
    // It is where the order still is.
    await ghost.waitFor();
    await page.mouse.up();
  };
  await drag(40);
  // With the icon of its kind: without it the text would be in the icon's column.
  await page.locator('.toast', { hasText: 'Order changed' }).locator('.info svg').waitFor();
  await eventually(priceOf).toBeLessThan(mark - 3);
  await eventually(standing).toBe(await priceOf());
  // Across the book: post only is refused, and the line moves back.
  const before = await priceOf();
  await drag(-330);
  await page.getByText('Not changed').waitFor();
  await eventually(priceOf).toBe(before);
  expect(await standing()).toBe(before);
  await buy.focus();
  await page.keyboard.press('ArrowUp');
  expect(await priceOf()).toBe(before + 1);
  await page.keyboard.press('Escape');
  expect(await priceOf()).toBe(before);
  // A change that is started just after another stays, also when the wait for the venue's answer to the other
  // is over.
  await page.keyboard.press('ArrowUp');
  const answered = page.waitForResponse('**/v3/orders/modify');
  await page.keyboard.press('Enter');
  await (await answered).finished();
  await eventually(standing).toBe(before + 1);
  await page.keyboard.press('Alt+ArrowDown');
  await later(page, 3_500);
  expect(await priceOf()).toBe(before - 99);
  await page.keyboard.press('Escape');
  await eventually(priceOf).toBe(before + 1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(standing).toBe(before);
  await eventually(priceOf).toBe(before);
  // However far the arrows go: the offered price is one that the venue accepts.
  const [market] = await at.own().markets({ marketCode: BTC });
  const lowest = Math.ceil(Number(market?.lowerPriceBound));
  for (let left = before - lowest; left > -100; left -= 100)
    await page.keyboard.press('Alt+ArrowDown');
  expect(await priceOf()).toBe(lowest);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await eventually(standing).toBe(before + 2);
  await page.getByText(`Now ${(before + 2).toLocaleString('en-US')}.`).waitFor();
  // While the venue has not answered: Esc drops a change begun since, and Enter sends one after the answer.
  const unanswered = Promise.withResolvers<void>();
  await intercept(page, '**/v3/orders/modify', async (route) => {
    await unanswered.promise;
    await route.continue();
  });
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.press('Escape');
  expect(await priceOf()).toBe(before + 3);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await standing()).toBe(before + 2);
  unanswered.resolve();
  await eventually(standing).toBe(before + 1);
  await eventually(priceOf).toBe(before + 1);
  await clearBooks(at);
  await endWalk(opened);
});

test('one press sends one order under a slow answer and a double click', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('#ticket-price').waitFor();
  let requests = 0;
  const pressedAgain = Promise.withResolvers<void>();
  await intercept(page, '**/v3/orders/place', async (route) => {
    requests++;
    await pressedAgain.promise;
    await route.continue();
  });
  const mark = await markOf(at);
  await fillTicket(page, { price: String(mark - 500), size: '0.01' });
  // The same size in OX, and back.
  await page.getByRole('button', { name: 'In OX' }).click();
  expect(await page.locator('#ticket-size').inputValue()).toBe(
    (mark - 500).toLocaleString('en-US'),
  );
  await page.getByRole('button', { name: 'In OX' }).click();
  expect(await page.locator('#ticket-size').inputValue()).toBe('0.0100');
  await page.getByText('none, it rests').waitFor();
  await page.locator('.ticket .go').dblclick();
  await page.locator('#ticket-size').press('Enter');
  expect(await page.locator('.ticket .go').isDisabled()).toBe(true);
  pressedAgain.resolve();
  await page.getByText('Order taken').waitFor();
  expect(requests).toBe(1);
  expect(await at.own().workingOrders({ marketCode: BTC })).toHaveLength(1);
  await clearBooks(at);
  await endWalk(opened);
});

test('a fill is said once, on whatever route it happens', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  // Known once the stream has told of the account's orders: earlier fills are history.
  await page.getByRole('tab', { name: /^Orders/ }).click();
  await page.getByText('No open order').waitFor();
  const said = async (): Promise<string[]> =>
    (await page.locator('#bell-list').innerText()).match(/Bought .*/g) ?? [];
  const bell = page.getByRole('button', { name: 'Messages' });
  await trade(at.other(), at.own(), limit('SELL', '0.0123', String(mark)));
  await page
    .getByText(/^Bought 0\.0123/)
    .first()
    .waitFor();
  for (const route of ['Wallet', 'Trade']) {
    await page.getByRole('link', { name: route, exact: true }).click();
    await page.locator('nav a[aria-current=page]', { hasText: route }).first().waitFor();
  }
  await page.getByRole('link', { name: 'Wallet' }).click();
  await trade(at.other(), at.own(), limit('SELL', '0.0124', String(mark)));
  await bell.click();
  await eventually(async () => (await said()).length).toBe(2);
  expect((await said()).map((text) => text.split(' at ')[0])).toEqual([
    'Bought 0.0124 BTC',
    'Bought 0.0123 BTC',
  ]);
  expect((await said()).join()).not.toContain('(2)');
  // Two levels at once: the last one is on top.
  await place(at.other(), limit('SELL', '0.0125', String(mark)));
  await place(at.other(), limit('SELL', '0.0126', String(mark + 1)));
  await place(at.own(), limit('BUY', '0.0251', String(mark + 1)));
  await eventually(async () => (await said()).slice(0, 2).map((text) => text.slice(0, 13))).toEqual(
    ['Bought 0.0126', 'Bought 0.0125'],
  );
  await clearBooks(at);
  await endWalk(opened);
});

const LIMITS = ['GTC', 'IOC', 'FOK', 'MAKER_ONLY', 'MAKER_ONLY_REPRICE'];

test('each order type and time in force does what the preview has said', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('#ticket-price').waitFor();
  const mark = await markOf(at);
  const price = String(mark + 5);
  await at.other().placeOrders({
    responseType: 'FULL',
    orders: [{ marketCode: BTC, side: 'SELL', orderType: 'LIMIT', price, quantity: '5' }],
  });
  const orders = [
    ...LIMITS.map((inForce) => ({ kind: 'Limit', price, inForce, size: '0.01' })),
    { kind: 'Limit', price: String(mark - 9), inForce: 'GTC', size: '0.02' },
    { kind: 'Market', size: '0.03' },
    ...LIMITS.slice(0, 2).map((inForce) => ({
      ...{ kind: 'Stop limit', stop: String(mark + 40), price: String(mark + 41), inForce },
      size: '0.01',
    })),
    { kind: 'Limit', price: `${mark}.5`, inForce: 'GTC', size: '0.01' },
    { kind: 'Stop market', stop: String(mark + 50), size: '0.01' },
  ];
  let refusals = 0;
  for (const order of orders) {
    const previewed = page.waitForResponse(
      async (response) =>
        response.url().endsWith('/v3/orders/preview') &&
        (response.request().postData() ?? '').includes(`"quantity":"${order.size}"`) &&
        matches(order, response.request().postData() ?? ''),
    );
    await fillTicket(page, { side: 'Buy', ...order });
    const preview = await (await previewed).json();
    const refusal = preview.success === false ? preview : preview.data.refusal;
    const expected = preview.data;
    // The previous one was answered a while ago.
    await eventually(() => page.locator('.ticket .go').isDisabled()).toBe(false);
    const answered = page.waitForResponse('**/v3/orders/place');
    if (refusal !== undefined) {
      await page.getByRole('button', { name: 'Send anyway' }).click();
    } else {
      await send(page);
      // A market order is confirmed once, with the same button.
      if (order.kind === 'Market') await send(page);
    }
    const [placed] = (await (await answered).json()).data;
    const what = JSON.stringify(order);
    if (refusal !== undefined) {
      expect([what, placed.submitted, placed.code]).toEqual([what, false, refusal.code]);
      refusals++;
    } else {
      const filled = Number(placed.cumulativeMatchedQuantity ?? 0);
      expect([what, placed.status, filled]).toEqual([
        ...[what, expected.status],
        Number(expected.filledQuantity),
      ]);
      if (filled > 0) expect(Number(placed.avgFillPrice)).toBe(Number(expected.avgFillPrice));
    }
  }
  // Half a tick.
  expect(refusals).toBe(1);
  await clearBooks(at);
  await endWalk(opened);
});

function matches(order: { readonly [name: string]: string }, sent: string): boolean {
  const { inForce, price, stop } = order;
  return [
    inForce === undefined || sent.includes(`"timeInForce":"${inForce}"`),
    price === undefined || sent.includes(`rice":"${price}"`),
    stop === undefined || sent.includes(`"stopPrice":"${stop}"`),
    order['kind'] !== 'Market' || sent.includes('"MARKET"'),
  ].every(Boolean);
}

test('borders move by keys and pointer and are remembered; the book folds; cancelling all asks; the bell keeps what was said', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('#ticket-price').waitFor();
  const width = async (): Promise<number> =>
    Math.round((await page.locator('.middle').boundingBox())?.width ?? 0);
  const border = page.getByRole('separator', { name: 'Width of the order book' });
  expect(await width()).toBe(280);
  await border.focus();
  await page.keyboard.press('ArrowLeft');
  await eventually(width).toBe(296);
  await page.reload();
  await eventually(width).toBe(296);
  await border.dblclick();
  await eventually(width).toBe(280);
  await page.locator('body').press('\\');
  await eventually(() => page.locator('.middle').isVisible()).toBe(false);
  await page.locator('body').press('\\');
  await page.locator('.middle').waitFor();
  const mark = await markOf(at);
  const [taken] = await at.own().placeOrders({
    responseType: 'FULL',
    orders: [
      {
        ...{ marketCode: BTC, side: 'BUY', orderType: 'LIMIT' },
        ...{ price: String(mark - 700), quantity: '0.01' },
      },
    ],
  });
  expect(taken?.submitted).toBe(true);
  await page.getByText(/▼ Buy limit/).waitFor();
  await page.locator('body').press('Shift+X');
  const dialog = page.getByRole('dialog', { name: /^Cancel 1 order/ });
  // The safe button has the focus.
  await dialog.getByRole('button', { name: 'Leave as it is' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await at.own().workingOrders({ marketCode: BTC })).toHaveLength(1);
  await page.locator('body').press('Shift+X');
  await dialog.getByRole('button', { name: 'Cancel 1 order' }).click();
  await eventually(async () => (await at.own().workingOrders({ marketCode: BTC })).length).toBe(0);
  await page.getByRole('button', { name: /^Messages/ }).click();
  await page.locator('.bell-list').getByText('Orders are being cancelled').waitFor();
  await page.keyboard.press('Control+k');
  const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option');
  await page.getByRole('combobox', { name: 'Search markets and actions' }).fill('eth usdt');
  await page.keyboard.press('Alt+ArrowRight');
  await page.getByRole('combobox', { name: 'Search markets and actions' }).fill('');
  await options.first().getByText('ETH/USDT').waitFor();
  await options.first().getByText('★').waitFor();
  await page.keyboard.press('Escape');
  await clearBooks(at);
  await endWalk(opened);
});

test('the chart is read by keys, drawn as a line, and shows what is asked for', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const mark = await markOf(at);
  await trade(at.other(), at.own(), limit('SELL', '0.001', String(mark)));
  const bars = page.getByRole('slider', { name: /^Candles of BTC/ });
  await bars.focus();
  await page.keyboard.press('ArrowLeft');
  const words = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC: open \d+, high \d+, low \d+, close \d+$/;
  await eventually(() => bars.getAttribute('aria-valuetext')).toMatch(words);
  // Also days, of which the venue returns a week at a time.
  await page.getByRole('radio', { name: '1D' }).click();
  await eventually(() => bars.getAttribute('aria-valuetext')).toMatch(/ 00:00 UTC: open \d+/);
  await page.getByRole('radio', { name: '15m' }).click();
  await page.getByLabel('Drawn as').selectOption('Line');
  await placeBeside(at, mark);
  const own = page.locator('.lines').getByText(/Buy limit/);
  await own.waitFor();
  await page.getByRole('button', { name: /^On chart/ }).click();
  await page.getByRole('checkbox', { name: 'Orders' }).uncheck();
  await own.waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'Orders' }).check();
  await own.waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Drawn as').selectOption('Candles');
  await clearBooks(at);
  await endWalk(opened);
});

const placeBeside = (at: PageVenue, mark: number) =>
  at.own().placeOrders({
    responseType: 'FULL',
    orders: [limit('BUY', '0.01', String(mark - 1))],
  });
