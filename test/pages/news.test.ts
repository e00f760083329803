import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** What a tab says of its account. Node draws no frames: here one is drawn when the test says so. */
let draws: (() => void)[] = [];
const drawFrame = (): void => {
  const due = draws;
  draws = [];
  for (const draw of due) draw();
};

let live: typeof import('../../web/trade/feed.ts').live;
let createFedStore: typeof import('../../web/shared/store.ts').createFedStore;
let shownMessages: typeof import('../../web/shared/messages.tsx').shownMessages;
beforeAll(async () => {
  // Files share what is loaded: here it is new, with its own frames, and nothing of it is left behind. Good news
  // leaves after seconds: not in the tests of others.
  vi.resetModules();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => void draws.push(draw));
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('matchMedia', () => new EventTarget());
  vi.stubGlobal('BroadcastChannel', EventTarget);
  ({ live } = await import('../../web/trade/feed.ts'));
  ({ createFedStore } = await import('../../web/shared/store.ts'));
  ({ shownMessages } = await import('../../web/shared/messages.tsx'));
  (await import('../../web/trade/own-news.ts')).startOwnNews();
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

const receive = (orderId: number, more: object): void => {
  const order = {
    ...{ orderId: String(orderId), marketCode: 'X', side: 'SELL', orderType: 'LIMIT' },
    ...{ price: String(100 + orderId), quantity: '3', remainQuantity: '3', timeInForce: 'GTC' },
    ...{ createdAt: '1000', timestamp: '1000', notice: 'OrderOpened', status: 'OPEN', ...more },
  };
  live.feed({ table: 'order', channel: 'order:all', seq: 1, data: [order] });
};
const shown = (): string[] => shownMessages.get().map(({ title, text }) => `${title} | ${text}`);

test('orders that one command ends are one message, whatever the frames they arrive in', () => {
  for (let orderId = 1; orderId <= 302; orderId++) receive(orderId, {});
  const end = (orderId: number, timestamp: string): void =>
    receive(orderId, {
      timestamp,
      notice: 'OrderClosed',
      status: 'CANCELED_BY_SELF_TRADE_PROTECTION',
    });
  end(1, '2000');
  drawFrame();
  const [alone] = shown();
  expect(alone).toMatch(/^Ended by the venue: Sell limit 3.* at 101.* \| X\. /);
  expect(shown()).toHaveLength(1);
  for (let orderId = 2; orderId <= 301; orderId++) end(orderId, '2000');
  drawFrame();
  drawFrame();
  const all = shown();
  expect(all).toHaveLength(1);
  expect(all[0]).toMatch(/^301 orders ended by the venue \| .*The first: Sell limit 3.* at 101/);
  end(302, '2001');
  drawFrame();
  expect(shown()).toHaveLength(2);
  expect(shown()[0]).toMatch(/^Ended by the venue: Sell limit 3.* at 402/);
  expect(shown()[1]).toBe(all[0]);
});

test('what one order buys of many is one message with all of it; a few fills are told each', () => {
  const titles = (): string[] => shown().filter((words) => /^(Bought|Sold)/.test(words));
  const fill = (matchId: number, timestamp: string, more = {}): void =>
    receive(900 + matchId, {
      ...{ matchId: String(matchId), side: 'BUY', timestamp, notice: 'OrderMatched' },
      ...{ status: 'FILLED', matchPrice: String(500 + matchId), matchQuantity: '0.5', ...more },
    });
  for (const matchId of [1, 2]) fill(matchId, '3000');
  fill(3, '3000', { side: 'SELL' });
  drawFrame();
  drawFrame();
  expect(titles().map((words) => words.replaceAll(/0{3,}/g, ''))).toEqual([
    'Sold 0.5  at 503. | X',
    'Bought 0.5  at 502. | X',
    'Bought 0.5  at 501. | X',
  ]);
  for (let matchId = 4; matchId <= 5_002; matchId++) fill(matchId, '3000');
  drawFrame();
  drawFrame();
  expect(titles().map((words) => words.replaceAll(/0{3,}/g, ''))).toEqual([
    'Sold 0.5  at 503. | X',
    'Bought 2,500.5  at 501. to 5,502. | X. 5,001 fills',
  ]);
});

test('messages wait for a frame or a reader, and change what is known together', () => {
  const folds: (readonly number[])[] = [];
  const notified: number[] = [];
  const sum = createFedStore(0, (before, items: readonly number[]) => {
    folds.push(items);
    return items.reduce((all, one) => all + one, before);
  });
  sum.subscribe(() => notified.push(sum.get()));
  for (const item of [1, 2, 3]) sum.feed(item);
  expect(folds).toEqual([]);
  drawFrame();
  expect([folds, notified]).toEqual([[[1, 2, 3]], [6]]);
  sum.feed(4);
  expect(sum.get()).toBe(10);
  sum.feed(5);
  sum.update((before) => before * 2);
  expect(sum.get()).toBe(30);
  drawFrame();
  expect(notified).toEqual([6, 30]);
  sum.feed(6);
  sum.set(1);
  drawFrame();
  expect(notified).toEqual([6, 30, 1]);
  // Nobody sees a hidden tab: it draws no frames.
  for (let item = 0; item < 2_500; item++) sum.feed(1);
  expect(folds.slice(3).map((items) => items.length)).toEqual([1_000, 1_000]);
  expect(sum.get()).toBe(2_501);
});
