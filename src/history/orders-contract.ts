import { describe, expect, test } from 'vitest';
import type { Event, OrderClosed } from '../domain/events.ts';
import type { AccountIndex, MarketIndex } from '../domain/units.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';
import { catalogue, closedOf, GRID, marketDefined, SPOT } from './trades.fixture.ts';

export function describeOrders({ name, newPlace, runs }: Store): void {
  describe(`${name}: closed orders`, () => {
    const [anna, ben] = [0, 3] as [AccountIndex, AccountIndex];
    const LARGEST = 2n ** 63n - 1n;

    test('an order that closed comes back whole, with how it ended and when', async () => {
      const filled = closedOf({});
      const expired = closedOf(
        { orderId: 2, account: ben, isTriggered: false, reduceOnly: false },
        { state: 'CANCELED_BY_USER', reason: 'ACCOUNT_FROZEN' },
      );
      const history = await historyOf([filled, expired]);
      expect(await history.order({ account: anna, orderId: filled.order.orderId })).toEqual({
        order: filled.order,
        grid: GRID,
        state: 'FILLED',
        reason: undefined,
        closedAtMs: 100,
      });
      expect(await history.order({ account: ben, orderId: 2 })).toEqual({
        order: expired.order,
        grid: GRID,
        state: 'CANCELED_BY_USER',
        reason: 'ACCOUNT_FROZEN',
        closedAtMs: 101,
      });
      await history.close();
    });

    test('an order is shown with the ticks it was placed in, whatever the market became since', async () => {
      const grid = { priceScale: 0, tickParts: 5n };
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP });
      const [before, after] = [1, 2].map((orderId) => closedOf({ orderId, account: anna }));
      const changed = marketDefined(SPOT, { version: 2, ...grid });
      const events = [...catalogue, before, changed, after] as Event[];
      await projector.project(logged([{ timeMs: 100, events }]));
      await projector.close();
      const history = await openHistory({ ...place, stamp: STAMP, after: () => () => {} });
      const listed = await history.orders({ account: anna, fromMs: 0, toMs: 1_000, limit: 4 });
      expect(listed.map((row) => row.grid)).toEqual([grid, GRID]);
      expect((await history.order({ account: anna, orderId: 1 }))?.grid).toEqual(GRID);
      await history.close();
    });

    test("nobody sees another account's order, by either id", async () => {
      const history = await historyOf([closedOf({ orderId: 5, clientOrderId: 7n, account: anna })]);
      expect((await history.order({ account: anna, clientOrderId: 7n }))?.order.orderId).toBe(5);
      expect(await history.order({ account: ben, orderId: 5 })).toBeUndefined();
      expect(await history.order({ account: ben, clientOrderId: 7n })).toBeUndefined();
      await history.close();
    });

    test('of several orders with one clientOrderId the one placed last is returned', async () => {
      const history = await historyOf(
        [9, 4, 6].map((orderId) => closedOf({ orderId, clientOrderId: LARGEST })),
      );
      expect((await history.order({ account: anna, clientOrderId: LARGEST }))?.order.orderId).toBe(
        9,
      );
      await history.close();
    });

    test('an order is found by its label, the last placed of several, and the label is returned', async () => {
      const labelled = (orderId: number, label: string, account = anna) =>
        closedOf({ orderId, account, texts: { label } }, { reason: 'ACCOUNT_FROZEN' });
      const [first, last, other] = [labelled(4, 'a'), labelled(9, 'a'), labelled(6, 'a', ben)];
      const history = await historyOf([last, first, other, closedOf({ orderId: 12 })]);
      const find = async (account: AccountIndex, label: string) =>
        (await history.order({ account, named: { label } }))?.order;
      expect(await find(anna, 'a')).toEqual(last.order);
      expect(await find(ben, 'a')).toEqual(other.order);
      for (const label of ['A', 'a ', 'b']) expect(await find(anna, label), label).toBeUndefined();
      expect(await history.order({ account: anna, orderId: 4 })).toMatchObject({
        order: first.order,
        reason: 'ACCOUNT_FROZEN',
      });
      await history.close();
    });

    test('two ids must agree, and zero names no order', async () => {
      const history = await historyOf([
        closedOf({ orderId: 5, clientOrderId: 7n }),
        closedOf({ orderId: 6, clientOrderId: 0n }),
      ]);
      expect(await history.order({ account: anna, orderId: 5, clientOrderId: 7n })).toBeDefined();
      expect(await history.order({ account: anna, orderId: 5, clientOrderId: 0n })).toBeDefined();
      expect(await history.order({ account: anna, orderId: 5, clientOrderId: 8n })).toBeUndefined();
      expect(await history.order({ account: anna, clientOrderId: 0n })).toBeUndefined();
      expect(await history.order({ account: anna })).toBeUndefined();
      await history.close();
    });

    test('orders that were placed side by side are found whenever they closed', async () => {
      // Spread over three rows of places, or in one.
      const count = runs < 1 ? 60 : 300;
      const ids = Array.from({ length: count }, (_, n) => 1_000_200_000_000 + ((n * 7) % count));
      const closed = ids.map((orderId, n) =>
        closedOf({ orderId, account: n % 2 === 0 ? anna : ben }),
      );
      const history = await historyOf(closed, count / 15);
      for (const { order } of closed) {
        const { account, orderId } = order;
        expect((await history.order({ account, orderId }))?.order).toEqual(order);
        expect(
          await history.order({ account: account === anna ? ben : anna, orderId }),
        ).toBeUndefined();
      }
      for (const orderId of [1_000_200_000_300, 1_000_199_999_999, 0.5, 2 ** 70]) {
        expect(await history.order({ account: anna, orderId })).toBeUndefined();
      }
      await history.close();
    });

    test('closed orders of an account by page, of all markets or one, whoever closed in between', async () => {
      const closed = Array.from({ length: 60 }, (_, n) =>
        closedOf({
          orderId: 60 - n,
          account: n % 3 === 0 ? ben : anna,
          market: (n % 2) as MarketIndex,
        }),
      );
      for (const rowsMax of [1, 7, 1_000]) {
        const history = await historyOf(closed, rowsMax);
        for (const market of [undefined, 0, 1] as (MarketIndex | undefined)[]) {
          const own = closed
            .filter(
              ({ order }) => order.account === anna && order.market === (market ?? order.market),
            )
            .map(({ order }) => order.orderId)
            .reverse();
          const met: number[] = [];
          const query = { account: anna, market, fromMs: 0, toMs: 1_000, limit: 4 };
          let page = await history.orders(query);
          while (page.length > 0) {
            met.push(...page.map(({ order }) => order.orderId));
            page = await history.orders({ ...query, beforeId: page.at(-1)?.id });
          }
          expect(met).toEqual(own);
          const late = await history.orders({ ...query, fromMs: 150, toMs: 155, limit: 50 });
          for (const { closedAtMs } of late)
            expect([150, 151, 152, 153, 154, 155]).toContain(closedAtMs);
          expect(late.length).toBe(market === undefined ? 4 : 2);
        }
        await history.close();
      }
    });

    async function historyOf(
      closed: readonly OrderClosed[],
      rowsMax = 1_000,
    ): Promise<OpenHistory> {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP, rowsMax });
      const first = { timeMs: 99, events: [...catalogue] };
      const rest = closed.map((event, n) => ({ timeMs: 100 + n, events: [event] }));
      await projector.project(logged([first, ...rest]));
      await projector.close();
      return openHistory({ ...place, stamp: STAMP, after: () => () => {} });
    }
  });
}
