import { expect, test } from 'vitest';
import { limit, place } from '../../http/trading.ts';
import { later } from '../later.ts';
import { bestOf, shownBook, tap } from '../line.ts';
import {
  BTC,
  clearBooks,
  markOf,
  openTapped,
  quote,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, fillTicket } from '../venue.ts';

/** A stream that goes silent, is lost, or loses messages. */

test('silence makes panels look old and say since when; a lost stream leaves cancelling; it comes back by itself', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  await quote(at.other(), BTC, mark);
  await place(at.own(), limit('BUY', '0.01', String(mark - 300)));
  const { page, faults, line } = await openTapped(at);
  await page.locator('.book .lv').first().waitFor();
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const row = page.getByRole('row', { name: new RegExp((mark - 300).toLocaleString('en-US')) });
  await row.waitFor();
  await fillTicket(page, { price: String(mark - 200), size: '0.01' });
  await page.getByText('none, it rests').waitFor();
  let previews = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/v3/orders/preview')) previews++;
  });
  const chart = page.getByRole('region', { name: 'Chart' });
  const book = page.getByRole('region', { name: 'Order book' });
  expect(await page.locator('[data-stale]').count()).toBe(0);

  line.isSilent = true;
  await later(page, 4_000);
  await chart.getByText(/^Prices of \d\d:\d\d:\d\d UTC$/).waitFor();
  await book.getByText(/^\d\d:\d\d:\d\d$/).waitFor();
  const colourless = page.locator('.book .side.bids');
  expect(await colourless.evaluate((side) => getComputedStyle(side).filter)).toBe('grayscale(1)');
  await page.locator('.status').getByText('No answer').waitFor();
  // Nobody has closed it: it is given up when ten pings were not answered.
  for (let pings = 0; pings < 12; pings++) await later(page, 1_000);
  await page.getByText('Not connected').waitFor();
  expect(await ticketButton(page).innerText()).toBe('Waiting for the connection');
  line.isSilent = false;
  // The next one was not greeted, and is given up, too.
  await later(page, 15_000);
  await later(page, -27_000);
  await eventually(() => page.locator('[data-stale]').count()).toBe(0);

  line.isCut = true;
  line.cut();
  await page.locator('.status').getByText('Connecting').waitFor();
  const asked = previews;
  await later(page, 10_000);
  await page.getByText('Not connected').waitFor();
  await page.getByText(/Next try in \d s|Trying now/).waitFor();
  expect(await ticketButton(page).isDisabled()).toBe(true);
  expect(await ticketButton(page).innerText()).toBe('Waiting for the connection');
  // The estimate stays as it was, looks old, and is not asked for.
  expect(previews).toBe(asked);
  const receipt = page.locator('.receipt[data-stale]');
  expect(await receipt.innerText()).toContain('none, it rests');
  await page
    .locator('.ticket .power')
    .getByText(/^\d\d:\d\d:\d\d$/)
    .waitFor();
  await row.getByRole('button', { name: /^Cancel buy/ }).click();
  await eventually(async () => (await at.own().workingOrders({})).length).toBe(0);
  // The stream cannot report it to the page: the venue's response is enough.
  await page.getByText('No open order').waitFor();
  // Pressed while nobody answers: later it may be back before it can be pressed.
  await page.getByRole('button', { name: 'Try now' }).click();
  line.isCut = false;
  // Skips the wait for the next automatic attempt.
  await later(page, 5_000);
  await later(page, -15_000);
  await eventually(() => page.getByText('Not connected').count()).toBe(0);
  await eventually(() => ticketButton(page).isDisabled()).toBe(false);
  await eventually(() => page.locator('[data-stale]').count()).toBe(0);
  await eventually(async () => previews).toBeGreaterThan(asked);
  // The browser itself reports ended connections.
  expect(faults.filter((fault) => !/WebSocket/.test(fault))).toEqual([]);
  await clearBooks(at);
  await page.context().close();
});

const MINUTE_MS = 60_000;

test('bars that were missed while the stream was lost, or nobody looked, are on the chart after it', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const { page, faults } = await at.open('/settings');
  const line = await tap(page);
  const newestMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  let bars = 3;
  /** Each a dollar above the previous one. */
  const row = (index: number) => {
    const price = String(60_000 + index);
    const openedAt = String(newestMs + index * MINUTE_MS);
    return {
      ...{ openedAt, open: price, high: price, low: price, close: price },
      ...{ volume: '1', currencyVolume: '1' },
    };
  };
  await page.route('**/v3/candles?**', (route) =>
    route.fulfill({
      json: {
        success: true,
        data: Array.from({ length: bars }, (_, index) => row(index)).reverse(),
      },
    }),
  );
  await page.evaluate((marketCode) => {
    localStorage.setItem('rialto-view', JSON.stringify({ marketCode, timeframe: '60s' }));
  }, BTC);
  await page.goto(`${at.baseUrl}/`);
  const chart = page.getByRole('slider', { name: /^Candles/ });
  const shown = () => chart.getAttribute('aria-valuetext');
  await eventually(shown).toContain('close 60002');
  // Seven minutes later; the page has received nothing in between.
  bars = 10;
  const { openedAt, open, high, low, close } = row(9);
  const heard = async (): Promise<string> => {
    // Again each time: the candles may be there before the stream is.
    line.say({
      ...{ table: 'candles60s', channel: `candles60s:${BTC}`, seq: 1e15, snapshot: true },
      data: [{ marketCode: BTC, candle: [openedAt, open, high, low, close, '1', '1'] }],
    });
    return (await shown()) ?? '';
  };
  await eventually(heard).toContain('close 60009');
  await chart.focus();
  const before = async (): Promise<string> => {
    await chart.press('Escape');
    await chart.press('ArrowLeft');
    await chart.press('ArrowLeft');
    return (await shown()) ?? '';
  };
  await eventually(before).toContain('close 60008');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the book equals the venue’s after many changes on a line that loses some of them', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  const opened = await at.open('/settings');
  const { page } = opened;
  const line = await tap(page);
  line.loses = 5;
  await page.goto(`${at.baseUrl}/`);
  await page.locator('.book').waitFor();
  const other = at.other();
  for (let round = 0; round < 12; round++) {
    const orders = Array.from({ length: 8 }, (_, level) => {
      const away = 1 + ((round * 3 + level * 5) % 17);
      const side = level % 2 === 0 ? ('BUY' as const) : ('SELL' as const);
      return limit(
        side,
        `0.${1 + ((round + level) % 9)}`,
        String(mark + (side === 'BUY' ? -away : away)),
      );
    });
    await other.placeOrders({ responseType: 'ACK', orders });
    if (round === 6) line.cut();
    if (round % 4 === 3) await other.cancelAllOrders({});
    if (round % 4 === 3) await other.placeOrders({ responseType: 'ACK', orders });
  }
  const wanted = bestOf(await other.depth({ marketCode: BTC, level: '10' }), 5);
  await eventually(() => shownBook(page, 5)).toEqual(wanted);
  expect(wanted.length).toBeGreaterThan(5);
  expect(opened.faults.filter((fault) => !/WebSocket/.test(fault))).toEqual([]);
  await clearBooks(at);
  await page.context().close();
});
