import { expect, test } from 'vitest';
import { limit, place, trade } from '../../http/trading.ts';
import { tap } from '../line.ts';
import {
  BTC,
  clearBooks,
  endWalk,
  markOf,
  openSignedIn,
  openTapped,
  sharedVenue,
} from '../shared-venue.ts';
import { eventually, fillTicket, type Opened } from '../venue.ts';

/** The trade view by keyboard and pointer: focus order, and the size of targets. */

test('Tab goes through own orders on the chart from the highest price to the lowest, also after one has moved', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  // The visible prices are those of trades.
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
  // No other line passes through a label, however near they are.
  const covered = await page.locator('.lines .tag').evaluateAll(
    (tags) =>
      tags.filter((tag) => {
        const { left, right, top, bottom } = tag.getBoundingClientRect();
        const at = document.elementsFromPoint((left + right) / 2, (top + bottom) / 2)[0];
        return getComputedStyle(tag).zIndex !== '1' || !tag.contains(at ?? null);
      }).length,
  );
  expect(covered).toBe(0);
  await handles.first().focus();
  // Its cancel button is in between.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const focused = () =>
    page.locator(':focus').evaluate((one) => Number(one.getAttribute('aria-valuenow')));
  expect(await focused()).toBe(mark - 4);
  // Above the highest: it keeps the focus when it moves.
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await eventually(prices).toEqual([mark - 1, mark - 2, mark - 6]);
  expect(await focused()).toBe(mark - 1);
  // X cancels it, and the focus moves to the next.
  await page.keyboard.press('x');
  await eventually(prices).toEqual([mark - 2, mark - 6]);
  expect(await focused()).toBe(mark - 2);
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

test('what cancels all orders is whole beside the tabs at every width', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const stop = { marketCode: BTC, side: 'SELL', orderType: 'STOP_MARKET', quantity: '1' } as const;
  await at.own().placeOrders({
    responseType: 'FULL',
    orders: [
      limit('BUY', '0.01', String(mark - 400)),
      { ...stop, stopPrice: String(mark - 800), triggerType: 'MARK_PRICE' },
    ],
  });
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const button = page.getByRole('button', { name: /^Cancel orders and stops/ });
  await button.waitFor();
  // As wide as with a position.
  await page.evaluate(() => document.querySelector('.blotter .tabs')?.append('Positions 99'));
  for (const width of [720, 768, 1024, 1100, 1280, 1400, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const beyond = await button.evaluate((one) => {
      const edge = one.closest('.panel')?.getBoundingClientRect().right ?? 0;
      return Math.max(0, Math.round(one.getBoundingClientRect().right - edge));
    });
    expect({ width, beyond }).toEqual({ width, beyond: 0 });
  }
  await clearBooks(at);
  await endWalk(opened);
});

type Noting = { drawn: { readonly texts: string[]; marks: number } };

/** Records what is written on canvases from now on, and the marks of own orders beside the book. */
function noteDrawing(): void {
  const noted: Noting['drawn'] = { texts: [], marks: 0 };
  (globalThis as unknown as Noting).drawn = noted;
  const { prototype } = CanvasRenderingContext2D;
  const { fillText, fillRect } = prototype;
  prototype.fillText = function (text, ...rest) {
    noted.texts.push(text);
    fillText.call(this, text, ...rest);
  };
  prototype.fillRect = function (...box) {
    if (box[0] === 2 && box[2] === 4) noted.marks++;
    fillRect.call(this, ...box);
  };
}

const drawnOn = ({ page }: Opened) =>
  page.evaluate(() => {
    const { drawn } = globalThis as unknown as Noting;
    return { texts: [...drawn.texts], marks: drawn.marks };
  });

test('a trade after the page has read the tape and before its stream delivers is shown', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const { page, faults } = await at.open('/settings');
  const line = await tap(page);
  line.isCut = true;
  // Not the read of the page before: one that leaving it has cut off is never finished.
  let isOpened = false;
  page.once('framenavigated', () => {
    isOpened = true;
  });
  const read = page.waitForEvent('requestfinished', {
    predicate: (request) => isOpened && request.url().includes('/v3/exchange-trades'),
  });
  await page.goto(`${at.baseUrl}/`);
  await read;
  await trade(at.other(), at.own(), limit('SELL', '0.0413', String(mark)));
  line.isCut = false;
  const firstRow = page.getByRole('table', { name: 'Last trades' }).getByRole('row').nth(1);
  await eventually(() => firstRow.innerText()).toContain('0.0413');
  await page.close();
  expect(faults).toEqual([]);
});

test('trades are drawn on a canvas and told in a table; figures of both and of the book are grouped as chosen', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('.tape canvas').waitFor();
  await page.evaluate(noteDrawing);
  await trade(at.other(), at.own(), limit('SELL', '0.0377', String(mark)));
  const firstRow = page.getByRole('table', { name: 'Last trades' }).getByRole('row').nth(1);
  await eventually(() => firstRow.innerText()).toContain('0.0377');
  expect(await firstRow.innerText()).toMatch(/^Buy/);
  const commas = mark.toLocaleString('en-US');
  await eventually(async () => (await drawnOn(opened)).texts).toEqual(
    expect.arrayContaining(['▲', commas, '0.0377']),
  );
  await page.evaluate(() => {
    history.pushState(null, '', '/settings');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await page.getByRole('radio', { name: /’/ }).click();
  await page.getByRole('link', { name: 'Trade', exact: true }).click();
  await place(at.own(), limit('BUY', '0.0123', String(mark - 13)));
  const wanted = [mark, mark - 13].map((price) => price.toLocaleString('en-US').replace(',', '’'));
  await eventually(async () => (await drawnOn(opened)).texts).toEqual(
    expect.arrayContaining(wanted),
  );
  // A figure is edited without the separators that it is shown with, whichever they are.
  await page.getByRole('tab', { name: /^Orders/ }).click();
  await page.getByRole('button', { name: `Change price ${wanted[1]}` }).click();
  const cell = page.getByRole('textbox', { name: 'New price' });
  expect(await cell.inputValue()).toBe(String(mark - 13));
  await cell.press('Escape');
  // In a price group the order has its mark, too.
  await page.getByRole('combobox', { name: 'Grouping' }).selectOption('10');
  const { marks } = await drawnOn(opened);
  await place(at.own(), limit('BUY', '0.01', String(mark - 26)));
  await eventually(async () => (await drawnOn(opened)).marks).toBeGreaterThan(marks);
  await page.evaluate(() => localStorage.removeItem('rialto-settings'));
  await clearBooks(at);
  await endWalk(opened);
});

const KINDS = ['Limit', 'Market', 'Stop limit', 'Stop market'] as const;
const STATE = { upperPriceBound: '0', lowerPriceBound: '0', marketCode: BTC };
const REASON = 'the index is in doubt since its second source fell silent';

test('at 1440 x 900 the ticket is whole: each type, when it would be refused, and in a halted market', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const mark = await markOf(at);
  const { page, faults, line } = await openTapped(at);
  const ticket = page.locator('.ticket');
  const hidden = () => ticket.evaluate((box) => box.scrollHeight - box.clientHeight);
  const go = ticket.locator('.go');
  for (const state of ['OPEN', 'HALTED']) {
    const of = { ...STATE, state, stateReason: REASON };
    line.say({
      ...{ table: 'market', channel: 'market:all', seq: 1e15, snapshot: true },
      data: [of],
    });
    for (const kind of KINDS) {
      await fillTicket(page, { kind, size: '' });
      if (kind.startsWith('Stop')) await fillTicket(page, { stop: String(mark + 50) });
      if (!kind.endsWith('arket')) await fillTicket(page, { price: String(mark + 60) });
      await eventually(() => go.innerText()).toContain('Buy BTC');
      await eventually(async () => `${kind} ${state} ${await hidden()}`).toBe(`${kind} ${state} 0`);
      await fillTicket(page, { size: '0.01' });
      await eventually(() => go.innerText()).toContain('0.0100 BTC');
      await eventually(async () => `${kind} ${state} ${await hidden()}`).toBe(`${kind} ${state} 0`);
      // More than the venue accepts.
      await fillTicket(page, { size: '900000' });
      await eventually(() => go.innerText()).toMatch(/^\d{5,6}: /);
      await eventually(async () => `${kind} ${state} ${await hidden()}`).toBe(`${kind} ${state} 0`);
    }
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

/** Controls that are smaller than 24 px in either direction, including their padding. */
function smallTargets(): string[] {
  const controls = 'button, a[href], select, summary, input[type=range], [role=slider], [role=tab]';
  // Rows of the book are as high as they are drawn; a draggable border can also be moved by keys.
  const all = [...document.querySelectorAll(controls)].filter(
    (one) => one.checkVisibility() && one.closest('.sr, .skip, .lv') === null,
  );
  return all.flatMap((one) => {
    // A link in a sentence is as high as its line.
    if (one.matches('p a')) return [];
    const { width, height } = one.getBoundingClientRect();
    const around = getComputedStyle(one, '::before');
    const taller = around.position === 'absolute' ? Number.parseFloat(around.height) || 0 : 0;
    const isSmall = width > 1 && (width < 23.9 || Math.max(height, taller) < 23.9);
    return isSmall ? [`${one.className} ${one.ariaLabel ?? one.textContent}`] : [];
  });
}

test('whatever is pressed has 24 px, on the routes and at the handles of the chart', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  for (const price of [mark + 8, mark - 8]) {
    await trade(at.other(), at.own(), limit('SELL', '0.001', String(price)));
  }
  await place(at.own(), limit('BUY', '0.01', String(mark - 4)));
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.locator('.lines [role=slider]').waitFor();
  for (const [path, words] of [
    ['/', 'In force'],
    ['/portfolio', 'Equity by account'],
    ['/wallet', 'May leave in 24 h'],
    ['/settings', 'this one'],
  ] as const) {
    await page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
    await page.getByRole('main').getByText(words).first().waitFor();
    for (const width of [1440, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      expect([path, width, await page.evaluate(smallTargets)]).toEqual([path, width, []]);
    }
  }
  await clearBooks(at);
  await endWalk(opened);
});

test('on a phone the ticket is a sheet that is pressed like any other part of the page', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.setViewportSize({ width: 360, height: 780 });
  await page.locator('.dock').getByRole('button', { name: /^Sell/ }).click();
  const ticket = page.locator('.ticket');
  await ticket.getByRole('tab', { name: 'Stop limit', exact: true }).click();
  await page.locator('#ticket-stopPrice').click();
  await page.keyboard.type('59000');
  await ticket.getByRole('button', { name: 'Bid' }).click();
  await ticket.getByRole('radio', { name: /^Buy/ }).click();
  await ticket.getByRole('tab', { name: 'Limit', exact: true }).click();
  // The page beside it is dimmed; a click there closes it.
  await page.mouse.click(180, 40);
  await eventually(() => page.locator('.trade.sheet').count()).toBe(0);
  await endWalk(opened);
});
