import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tickSize } from '../domain/market.ts';
import type { WalletType } from '../domain/terms.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { anyLife, Oracle } from './oracle.fixture.ts';
import { ACCOUNTS, ASSETS, FAMILIES, type Happened, logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';
import { PERPETUAL, SPOT } from './trades.fixture.ts';

export function describePages({ name, newPlace, runs }: Store): void {
  describe(`${name}: pages`, () => {
    test('any page of any list is what a plain filter over everything gives', async () => {
      await fc.assert(
        fc.asyncProperty(anyLife(50), anyRowsMax, anyQueries, async (life, rowsMax, queries) => {
          const history = await historyOf(life, rowsMax);
          const oracle = new Oracle(life);
          for (const query of queries) {
            const page = pageOf(query, life, oracle);
            await compareWallet(history, oracle, query, page);
            await compareTransfers(history, oracle, query, page);
            await compareTrades(history, oracle, query, page);
            await compareRisk(history, oracle, query, page);
          }
          await history.close();
        }),
        { numRuns: Math.ceil(60 * runs), interruptAfterTimeLimit: 30_000 },
      );
    });

    test('walking the wallet page by page meets every entry once, whatever it is of', async () => {
      await fc.assert(
        fc.asyncProperty(
          anyLife(30),
          anyRowsMax,
          fc.integer({ min: 1, max: 4 }),
          async (life, rowsMax, limit) => {
            const history = await historyOf(life, rowsMax);
            const { wallet } = new Oracle(life);
            for (const account of ACCOUNTS) {
              const window = { account, fromMs: 0, toMs: 1_000_000, limit };
              const met: bigint[] = [];
              for (let page = await history.walletEntries(window); page.length > 0; ) {
                met.push(...page.map(({ id }) => id));
                page = await history.walletEntries({ ...window, beforeId: met.at(-1) });
              }
              const ids = wallet.filter((row) => row.account === account).map(({ id }) => id);
              expect(met).toEqual(ids.sort((a, b) => Number(b - a)));
            }
            await history.close();
          },
        ),
        { numRuns: Math.ceil(20 * runs), interruptAfterTimeLimit: 15_000 },
      );
    });

    test('the day is what its matches were, from any minute on', async () => {
      await fc.assert(
        fc.asyncProperty(anyLife(40), anyRowsMax, fc.nat(200), async (life, rowsMax, stretch) => {
          // Stretched, so that the same matches fall into one minute or into many.
          const stretched = life.map(({ timeMs, events }) => ({
            timeMs: timeMs * stretch,
            events,
          }));
          const history = await historyOf(stretched, rowsMax);
          const { matches } = new Oracle(stretched);
          const last = stretched.at(-1)?.timeMs ?? 0;
          for (const market of [SPOT, PERPETUAL]) {
            for (const fromMs of [0, 59_999, 60_000, last - (last % 60_000), last + 1]) {
              const from = Math.ceil(fromMs / 60_000) * 60_000;
              const found = matches.filter((row) => row.market === market && row.timeMs >= from);
              const prices = found.map(
                ({ priceTicks, grid }) => BigInt(priceTicks) * tickSize(grid),
              );
              expect(await history.dayStats({ market, fromMs })).toEqual(
                found[0] && {
                  open: prices[0],
                  high: prices.reduce((most, price) => (price > most ? price : most)),
                  low: prices.reduce((least, price) => (price < least ? price : least)),
                  lots: found.reduce((sum, { lots }) => sum + lots, 0),
                  value: found.reduce((sum, { value }) => sum + value, 0n),
                },
              );
            }
          }
          await history.close();
        }),
        { numRuns: Math.ceil(40 * runs), interruptAfterTimeLimit: 15_000 },
      );
    });

    const SOME_TYPES: WalletType[] = [
      ...(['INTERNAL', 'DEPOSIT', 'FUNDING', 'TRADE', 'TRADE_FEE', 'LIQUIDATION'] as const),
    ];
    /** Window ends and ids exactly on, just before and just after what happened. */
    const anyEdge = fc.record({ pick: fc.nat(10_000), beside: fc.constantFrom(-1, 0, 0, 1) });
    const anyQuery = fc.record({
      account: fc.constantFrom(...ACCOUNTS),
      type: fc.constantFrom<(WalletType | undefined)[]>(undefined, undefined, ...SOME_TYPES),
      family: fc.constantFrom(...FAMILIES),
      asset: fc.constantFrom(undefined, ...ASSETS),
      market: fc.constantFrom(undefined, SPOT, PERPETUAL),
      isOfAccount: fc.boolean(),
      from: fc.option(anyEdge, { freq: 2 }),
      to: fc.option(anyEdge, { freq: 2 }),
      before: fc.option(anyEdge, { freq: 2 }),
      limit: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(500)),
    });
    const anyQueries = fc.array(anyQuery, { minLength: 30, maxLength: 30 });
    /** One outcome per transaction, some, or all: packed rows then hold one record, some, or many. */
    const anyRowsMax = fc.constantFrom(1, 40, 100_000);
    type Query = typeof anyQuery extends fc.Arbitrary<infer Value> ? Value : never;
    type Page = { fromMs: number; toMs: number; limit: number; beforeId?: bigint | undefined };

    function pageOf(query: Query, life: readonly Happened[], { wallet }: Oracle): Page {
      const { from, to, before, limit } = query;
      const timeAt = (edge: NonNullable<Query['from']>): number =>
        (life[edge.pick % life.length]?.timeMs ?? 1_000) + edge.beside;
      const idAt = (edge: NonNullable<Query['from']>): bigint =>
        (wallet[edge.pick % wallet.length]?.id ?? 300n) + BigInt(edge.beside);
      return {
        fromMs: from === null ? 0 : timeAt(from),
        toMs: to === null ? 1_000_000 : timeAt(to),
        beforeId: before === null ? undefined : idAt(before),
        limit,
      };
    }

    async function compareWallet(
      history: OpenHistory,
      oracle: Oracle,
      query: Query,
      page: Page,
    ): Promise<void> {
      const { account, type } = query;
      const entries = oracle.wallet
        .filter((row) => row.account === account && (type ?? row.type) === row.type)
        .map(({ account: _, ...row }) => row);
      expect(await history.walletEntries({ account, type, ...page })).toEqual(paged(entries, page));
    }

    async function compareTransfers(
      history: OpenHistory,
      oracle: Oracle,
      query: Query,
      page: Page,
    ): Promise<void> {
      const { account, family, asset, isOfAccount } = query;
      const owner = isOfAccount ? account : undefined;
      const transfers = oracle.transfers
        .filter((row) => row.family === family && (asset ?? row.asset) === row.asset)
        .filter((row) => owner === undefined || row.from === owner || row.to === owner)
        .map(({ family: _, ...row }) => row);
      const found = await history.transfers({ family, account: owner, asset, ...page });
      expect(found).toEqual(paged(transfers, page));
    }

    async function compareTrades(
      history: OpenHistory,
      oracle: Oracle,
      query: Query,
      page: Page,
    ): Promise<void> {
      const { account, market } = query;
      const trades = oracle.trades
        .filter((row) => row.account === account && (market ?? row.market) === row.market)
        .map(({ account: _, ...row }) => row);
      expect(await history.trades({ account, market, ...page })).toEqual(paged(trades, page));
      const matches = oracle.matches.filter((row) => (market ?? row.market) === row.market);
      const found = paged(matches, page).map(({ value: _, ...row }) => row);
      expect(await history.exchangeTrades({ market, ...page })).toEqual(found);
    }

    async function compareRisk(
      history: OpenHistory,
      oracle: Oracle,
      query: Query,
      page: Page,
    ): Promise<void> {
      const { account, market } = query;
      const payments = oracle.payments
        .filter((row) => row.account === account && (market ?? row.market) === row.market)
        .map(({ account: _, ...row }) => row);
      expect(await history.fundingPayments({ account, market, ...page })).toEqual(
        paged(payments, page),
      );
      const { beforeId: _, ...window } = page;
      const rates = oracle.rates.filter((row) => (market ?? row.market) === row.market);
      const found = paged(rates, window).map(({ id: _, ...row }) => row);
      expect(await history.fundingRates({ market, ...window })).toEqual(found);
      const liquidations = oracle.liquidations
        .filter((row) => row.account === account)
        .map(({ account: _, ...row }) => row);
      expect(await history.liquidations({ account, ...page })).toEqual(paged(liquidations, page));
      const everybodys = oracle.liquidations.map(({ account: _, ...row }) => row);
      expect(await history.liquidations(page)).toEqual(paged(everybodys, page));
    }

    function paged<Row extends { id: bigint; timeMs: number }>(
      rows: readonly Row[],
      page: Page,
    ): Row[] {
      return rows
        .filter(({ timeMs }) => timeMs >= page.fromMs && timeMs <= page.toMs)
        .filter(({ id }) => page.beforeId === undefined || id < page.beforeId)
        .toSorted((a, b) => b.timeMs - a.timeMs || Number(b.id - a.id))
        .slice(0, page.limit);
    }

    async function historyOf(life: readonly Happened[], rowsMax: number): Promise<OpenHistory> {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP, rowsMax });
      await projector.project(logged(life));
      await projector.close();
      return openHistory({ ...place, stamp: STAMP, after: () => () => {} });
    }
  });
}
