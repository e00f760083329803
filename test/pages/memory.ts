import type { CDPSession, Page, WebSocketRoute } from 'playwright-core';
import { crc32 } from '../../src/client/crc32.ts';
import { BTC, heapOf, quoteLevels } from './frames.ts';
import { type PageVenue, signIn } from './venue.ts';

/**
 * The page's memory after as many messages as an hour at sixty book changes a second brings. The venue merges
 * changes and sends ten messages a second: those of an hour are inserted into the page's stream between the
 * venue's own, as fast as the page takes them.
 */

const CHANGES = 60 * 3_600;
const PARTS = 4;
/** Five trades a second in addition to sixty changes. */
const TRADE_EACH = 12;
const BURST = 40;
const BURST_MS = 10;

type Held = {
  readonly changes: number;
  readonly heapMb: number;
  readonly nodes: number;
  readonly listeners: number;
};
export type MemoryReport = {
  readonly seconds: number;
  /** Book messages that the page has counted: all of them arrived in order. */
  readonly bookMessages: number;
  readonly held: readonly Held[];
  /** From the first quarter to the end: after warming up, memory must not grow. */
  readonly growthMb: number;
  readonly shifts: number;
  /** What has moved, and by how much. */
  readonly shifted: readonly string[];
};

export async function measureMemory(venue: PageVenue, changes = CHANGES): Promise<MemoryReport> {
  const { page } = await venue.open('/settings');
  const line = await stuff(page);
  await page.goto(`${venue.baseUrl}/`);
  await signIn(page);
  await quoteLevels(venue.other());
  await page.locator('.book .lv').nth(10).waitFor();
  await page.evaluate(COUNT_SHIFTS);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const begun = await seqOf(page);
  const startMs = performance.now();
  const held = [await heldBy(cdp, 0)];
  for (let part = 1; part <= PARTS; part++) {
    const until = Math.round((changes * part) / PARTS);
    await line.send(until);
    held.push(await heldBy(cdp, until));
    console.log(JSON.stringify(held.at(-1)));
  }
  // The status bar updates once a second.
  await page.waitForTimeout(2_500);
  const received = (await seqOf(page)) - begun;
  const shifts = await page.evaluate<number>('window.shifts');
  const shifted = await page.evaluate<string[]>('[...window.shifted]');
  await page.context().close();
  const [, warm] = held;
  const last = held.at(-1);
  return {
    seconds: Math.round((performance.now() - startMs) / 1_000),
    bookMessages: received,
    held,
    growthMb: Number(((last?.heapMb ?? 0) - (warm?.heapMb ?? 0)).toFixed(1)),
    shifts,
    shifted,
  };
}

const seqOf = async (page: Page): Promise<number> =>
  Number((await page.locator('.status .link').getAttribute('title'))?.replace(/\D/g, ''));

const COUNT_SHIFTS = `
  window.shifts = 0;
  window.shifted = new Set();
  const at = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifts++;
      for (const { node, previousRect, currentRect } of window.shifted.size < 20 ? sources : []) {
        const name = node?.className || node?.parentElement?.className || node?.nodeName;
        window.shifted.add(name + ': ' + at(previousRect) + ' to ' + at(currentRect));
      }
    }
  }).observe({ type: 'layout-shift', buffered: false });
`;

async function heldBy(cdp: CDPSession, changes: number): Promise<Held> {
  const heapMb = await heapOf(cdp);
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0;
  return { changes, heapMb, nodes: of('Nodes'), listeners: of('JSEventListeners') };
}

type Message = { channel?: string; seq?: number; table?: string; data?: { seqNum?: number } };

/** The page's stream with inserted messages: the numbers of the venue's own continue after them. */
async function stuff(page: Page): Promise<{ send(until: number): Promise<void> }> {
  const [book, trades] = [`depthUpdate:${BTC}`, `trade:${BTC}`];
  const added = new Map([
    [book, 0],
    [trades, 0],
  ]);
  const last = new Map<string, number>();
  let socket: WebSocketRoute | undefined;
  let seqNum = 0;
  await page.routeWebSocket(/\/v2\/websocket/, (opened) => {
    socket = opened;
    const server = opened.connectToServer();
    server.onMessage((text) => {
      const message: Message = text === 'pong' ? {} : JSON.parse(String(text));
      const { channel = '', seq } = message;
      const more = added.get(channel);
      if (seq === undefined || more === undefined) {
        opened.send(text);
        return;
      }
      if (message.data?.seqNum !== undefined) seqNum = message.data.seqNum;
      last.set(channel, seq + more);
      opened.send(JSON.stringify({ ...message, seq: seq + more }));
    });
  });
  const put = (channel: string, message: object): void => {
    const seq = (last.get(channel) ?? 0) + 1;
    last.set(channel, seq);
    added.set(channel, (added.get(channel) ?? 0) + 1);
    socket?.send(JSON.stringify({ ...message, channel, seq }));
  };
  let sent = 0;
  return {
    send: async (until) => {
      while (sent < until) {
        for (let one = 0; one < BURST && sent < until; one++, sent++) {
          put(book, bookChange(sent, seqNum));
          if (sent % TRADE_EACH === 0) put(trades, tradeOf(sent));
        }
        await new Promise((resolve) => setTimeout(resolve, BURST_MS));
      }
      // Until the page has received all of it.
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
    },
  };
}

function bookChange(count: number, seqNum: number): object {
  const price = 59_000 + (count % 400);
  const quantity = count % 5 === 4 ? 0 : 1 + (count % 13) / 8;
  const bids = [[price, quantity]];
  const text = `[][[${price}.0,${Number.isInteger(quantity) ? `${quantity}.0` : quantity}]]`;
  return {
    table: 'depthUpdate-diff',
    data: { seqNum, asks: [], bids, checksum: crc32(text), marketCode: BTC, timestamp: '1' },
    action: 'increment',
  };
}

const tradeOf = (count: number): object => ({
  table: 'trade',
  data: [
    {
      ...{ marketCode: BTC, tradeId: String(count), side: count % 24 === 0 ? 'BUY' : 'SELL' },
      ...{ price: String(60_000 + (count % 7)), quantity: '0.01', timestamp: String(Date.now()) },
    },
  ],
});
