import { expect, test } from 'vitest';
import type { Event, OrderClosed } from '../domain/events.ts';
import type { AccountIndex, MarketIndex } from '../domain/units.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { logged, newFile, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import { catalogue, closedOf, GRID, marketDefined, SPOT } from './trades.fixture.ts';

const [anna, ben] = [0, 3] as [AccountIndex, AccountIndex];
const LARGEST = 2n ** 63n - 1n;

test('an order that closed comes back whole, with how it ended and when', () => {
  const filled = closedOf({});
  const expired = closedOf(
    { orderId: 2, account: ben, isTriggered: false, reduceOnly: false },
    { state: 'CANCELED_BY_USER', reason: 'ACCOUNT_FROZEN' },
  );
  const history = historyOf([filled, expired]);
  expect(history.order({ account: anna, orderId: filled.order.orderId })).toEqual({
    order: filled.order,
    grid: GRID,
    state: 'FILLED',
    reason: undefined,
    closedAtMs: 100,
  });
  expect(history.order({ account: ben, orderId: 2 })).toEqual({
    order: expired.order,
    grid: GRID,
    state: 'CANCELED_BY_USER',
    reason: 'ACCOUNT_FROZEN',
    closedAtMs: 101,
  });
  history.close();
});

test('an order is told by the ticks it was placed in, whatever the market became since', () => {
  const grid = { priceScale: 0, tickParts: 5n };
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  const [before, after] = [1, 2].map((orderId) => closedOf({ orderId, account: anna }));
  const changed = marketDefined(SPOT, { version: 2, ...grid });
  const events = [...catalogue, before, changed, after] as Event[];
  projector.project(logged([{ timeMs: 100, events }]));
  projector.close();
  const history = openHistory({ file, stamp: STAMP, after: () => () => {} });
  const listed = history.orders({ account: anna, fromMs: 0, toMs: 1_000, limit: 4 });
  expect(listed.map((row) => row.grid)).toEqual([grid, GRID]);
  expect(history.order({ account: anna, orderId: 1 })?.grid).toEqual(GRID);
  history.close();
});

test("nobody sees another account's order, by either id", () => {
  const history = historyOf([closedOf({ orderId: 5, clientOrderId: 7n, account: anna })]);
  expect(history.order({ account: anna, clientOrderId: 7n })?.order.orderId).toBe(5);
  expect(history.order({ account: ben, orderId: 5 })).toBeUndefined();
  expect(history.order({ account: ben, clientOrderId: 7n })).toBeUndefined();
  history.close();
});

test('of several orders with one clientOrderId the one placed last is told', () => {
  const history = historyOf(
    [9, 4, 6].map((orderId) => closedOf({ orderId, clientOrderId: LARGEST })),
  );
  expect(history.order({ account: anna, clientOrderId: LARGEST })?.order.orderId).toBe(9);
  history.close();
});

test('an order is found by its label, of several the one placed last, and tells it', () => {
  const labelled = (orderId: number, label: string, account = anna) =>
    closedOf({ orderId, account, texts: { label } }, { reason: 'ACCOUNT_FROZEN' });
  const [first, last, other] = [labelled(4, 'a'), labelled(9, 'a'), labelled(6, 'a', ben)];
  const history = historyOf([last, first, other, closedOf({ orderId: 12 })]);
  const find = (account: AccountIndex, label: string) =>
    history.order({ account, named: { label } })?.order;
  expect(find(anna, 'a')).toEqual(last.order);
  expect(find(ben, 'a')).toEqual(other.order);
  for (const label of ['A', 'a ', 'b']) expect(find(anna, label), label).toBeUndefined();
  expect(history.order({ account: anna, orderId: 4 })).toMatchObject({
    order: first.order,
    reason: 'ACCOUNT_FROZEN',
  });
  history.close();
});

test('two ids must agree, and zero names no order', () => {
  const history = historyOf([
    closedOf({ orderId: 5, clientOrderId: 7n }),
    closedOf({ orderId: 6, clientOrderId: 0n }),
  ]);
  expect(history.order({ account: anna, orderId: 5, clientOrderId: 7n })).toBeDefined();
  expect(history.order({ account: anna, orderId: 5, clientOrderId: 0n })).toBeDefined();
  expect(history.order({ account: anna, orderId: 5, clientOrderId: 8n })).toBeUndefined();
  expect(history.order({ account: anna, clientOrderId: 0n })).toBeUndefined();
  expect(history.order({ account: anna })).toBeUndefined();
  history.close();
});

test('orders that were placed side by side are found whenever they closed', () => {
  const ids = Array.from({ length: 300 }, (_, n) => 1_000_200_000_000 + ((n * 7) % 300));
  const closed = ids.map((orderId, n) => closedOf({ orderId, account: n % 2 === 0 ? anna : ben }));
  const history = historyOf(closed, 20);
  for (const { order } of closed) {
    const { account, orderId } = order;
    expect(history.order({ account, orderId })?.order).toEqual(order);
    expect(history.order({ account: account === anna ? ben : anna, orderId })).toBeUndefined();
  }
  for (const orderId of [1_000_200_000_300, 1_000_199_999_999, 0.5, 2 ** 70]) {
    expect(history.order({ account: anna, orderId })).toBeUndefined();
  }
  history.close();
});

test('closed orders of an account by page, of all markets or one, whoever closed in between', () => {
  const closed = Array.from({ length: 60 }, (_, n) =>
    closedOf({
      orderId: 60 - n,
      account: n % 3 === 0 ? ben : anna,
      market: (n % 2) as MarketIndex,
    }),
  );
  for (const rowsMax of [1, 7, 1_000]) {
    const history = historyOf(closed, rowsMax);
    for (const market of [undefined, 0, 1] as (MarketIndex | undefined)[]) {
      const own = closed
        .filter(({ order }) => order.account === anna && order.market === (market ?? order.market))
        .map(({ order }) => order.orderId)
        .reverse();
      const met: number[] = [];
      const ask = { account: anna, market, fromMs: 0, toMs: 1_000, limit: 4 };
      let page = history.orders(ask);
      while (page.length > 0) {
        met.push(...page.map(({ order }) => order.orderId));
        page = history.orders({ ...ask, beforeId: page.at(-1)?.id });
      }
      expect(met).toEqual(own);
      const late = history.orders({ ...ask, fromMs: 150, toMs: 155, limit: 50 });
      for (const { closedAtMs } of late)
        expect([150, 151, 152, 153, 154, 155]).toContain(closedAtMs);
      expect(late.length).toBe(market === undefined ? 4 : 2);
    }
    history.close();
  }
});

function historyOf(closed: readonly OrderClosed[], rowsMax = 1_000): OpenHistory {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP, rowsMax });
  const first = { timeMs: 99, events: [...catalogue] };
  const rest = closed.map((event, n) => ({ timeMs: 100 + n, events: [event] }));
  projector.project(logged([first, ...rest]));
  projector.close();
  return openHistory({ file, stamp: STAMP, after: () => () => {} });
}
