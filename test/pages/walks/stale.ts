import type { Page, WebSocketRoute } from 'playwright-core';
import { expect, test } from 'vitest';
import { limit, place } from '../../http/trading.ts';
import {
  BTC,
  clearBooks,
  endWalk,
  markOf,
  quote,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, signIn } from '../venue.ts';

/** A stream that falls silent, that is lost, and that loses messages. */

type Line = {
  /** What the venue says does not arrive. */
  isSilent: boolean;
  /** New connections end at once. */
  isCut: boolean;
  /** Each so many messages of the book one is lost; 0 for none. */
  loses: number;
  cut(): void;
};

/** The page's stream passes through here. */
async function tap(page: Page): Promise<Line> {
  const open = new Set<WebSocketRoute>();
  let heard = 0;
  const line: Line = {
    ...{ isSilent: false, isCut: false, loses: 0 },
    cut: () => {
      for (const socket of open) void socket.close({ code: 1001 });
      open.clear();
    },
  };
  await page.routeWebSocket(/\/v2\/websocket|\/stream|ws/, (socket) => {
    if (line.isCut) {
      void socket.close({ code: 1001 });
      return;
    }
    open.add(socket);
    const server = socket.connectToServer();
    server.onMessage((text) => {
      if (line.isSilent) return;
      if (line.loses > 0 && String(text).includes('depthUpdate') && ++heard % line.loses === 0)
        return;
      socket.send(text);
    });
  });
  return line;
}

test('silence makes panels look old and say since when; a lost stream leaves cancelling; it comes back by itself', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  await quote(at.other(), BTC, mark);
  await place(at.own(), limit('BUY', '0.01', String(mark - 300)));
  const { page, faults } = await at.open('/settings');
  const line = await tap(page);
  await page.goto(`${at.baseUrl}/`);
  await signIn(page);
  await page.locator('.book .lv').first().waitFor();
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const row = page.getByRole('row', { name: new RegExp((mark - 300).toLocaleString('en-US')) });
  await row.waitFor();
  const chart = page.getByRole('region', { name: 'Chart' });
  const book = page.getByRole('region', { name: 'Order book' });
  expect(await page.locator('[data-stale]').count()).toBe(0);

  line.isSilent = true;
  await chart.getByText(/^Prices of \d\d:\d\d:\d\d UTC$/).waitFor();
  await book.getByText(/^\d\d:\d\d:\d\d$/).waitFor();
  const colourless = page.locator('.book .side.bids');
  expect(await colourless.evaluate((side) => getComputedStyle(side).filter)).toBe('grayscale(1)');
  line.isSilent = false;
  await eventually(() => page.locator('[data-stale]').count()).toBe(0);

  line.isCut = true;
  line.cut();
  await page.getByText('Not connected').waitFor();
  await page.getByText(/Next try in \d s|Trying now/).waitFor();
  expect(await ticketButton(page).isDisabled()).toBe(true);
  expect(await ticketButton(page).innerText()).toBe('Waiting for the connection');
  await row.getByRole('button', { name: /^Cancel buy/ }).click();
  await eventually(async () => (await at.own().workingOrders({})).length).toBe(0);
  // Nobody can tell the page by the stream: the venue's answer is enough.
  await page.getByText('No open order').waitFor();
  line.isCut = false;
  await page.getByRole('button', { name: 'Try now' }).click();
  await eventually(() => page.getByText('Not connected').count()).toBe(0);
  await eventually(() => ticketButton(page).isDisabled()).toBe(false);
  await eventually(() => page.locator('[data-stale]').count()).toBe(0);
  // Connections that were ended are noted by the browser itself.
  expect(faults.filter((fault) => !/WebSocket/.test(fault))).toEqual([]);
  await clearBooks(at);
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
  const [depth] = [await other.depth({ marketCode: BTC, level: '10' })];
  const best = (side: readonly (readonly (string | number)[])[]): string[] =>
    side.slice(0, 5).map(([price, quantity]) => `${Number(price)} ${Number(quantity)}`);
  const wanted = [...best(depth.asks), ...best(depth.bids)];
  await eventually(async () => {
    const shown = async (side: string): Promise<string[]> => {
      const names = await page
        .locator(`.book .side.${side} .lv`)
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
      const read = names.map((name) => {
        const [, price, quantity] = /^\w+ ([\d.]+), size ([\d.]+)$/.exec(name) ?? [];
        return `${Number(price)} ${Number(quantity)}`;
      });
      return (side === 'asks' ? read.reverse() : read).slice(0, 5);
    };
    return [...(await shown('asks')), ...(await shown('bids'))];
  }).toEqual(wanted);
  expect(wanted.length).toBeGreaterThan(5);
  opened.faults.splice(
    0,
    opened.faults.length,
    ...opened.faults.filter((f) => !/WebSocket/.test(f)),
  );
  await clearBooks(at);
  await endWalk(opened);
});
