import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tickSize } from '../domain/market.ts';
import type { WalletType } from '../domain/terms.ts';
import { type OpenHistory, openHistory } from './history.ts';
import { anyLife, Oracle } from './oracle.fixture.ts';
import {
  ACCOUNTS,
  ASSETS,
  FAMILIES,
  type Happened,
  logged,
  newFile,
  STAMP,
} from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import { PERPETUAL, SPOT } from './trades.fixture.ts';

test('any page of any list is what a plain filter over everything gives', () => {
  fc.assert(
    fc.property(anyLife(50), anyRowsMax, anyAsks, (life, rowsMax, asks) => {
      const history = historyOf(life, rowsMax);
      const oracle = new Oracle(life);
      for (const ask of asks) {
        const page = pageOf(ask, life, oracle);
        compareWallet(history, oracle, ask, page);
        compareTransfers(history, oracle, ask, page);
        compareTrades(history, oracle, ask, page);
        compareRisk(history, oracle, ask, page);
      }
      history.close();
    }),
    { numRuns: 60, interruptAfterTimeLimit: 30_000 },
  );
});

test('walking the wallet page by page meets every entry once, whatever it is of', () => {
  fc.assert(
    fc.property(anyLife(30), anyRowsMax, fc.integer({ min: 1, max: 4 }), (life, rowsMax, limit) => {
      const history = historyOf(life, rowsMax);
      const { wallet } = new Oracle(life);
      for (const account of ACCOUNTS) {
        const window = { account, fromMs: 0, toMs: 1_000_000, limit };
        const met: bigint[] = [];
        for (let page = history.walletEntries(window); page.length > 0; ) {
          met.push(...page.map(({ id }) => id));
          page = history.walletEntries({ ...window, beforeId: met.at(-1) });
        }
        const ids = wallet.filter((row) => row.account === account).map(({ id }) => id);
        expect(met).toEqual(ids.sort((a, b) => Number(b - a)));
      }
      history.close();
    }),
    { numRuns: 20, interruptAfterTimeLimit: 15_000 },
  );
});

test('the day is what its matches were, from any minute on', () => {
  fc.assert(
    fc.property(anyLife(40), anyRowsMax, fc.nat(200), (life, rowsMax, stretch) => {
      // Stretched, so that the same matches fall into one minute or into many.
      const stretched = life.map(({ timeMs, events }) => ({ timeMs: timeMs * stretch, events }));
      const history = historyOf(stretched, rowsMax);
      const { matches } = new Oracle(stretched);
      const last = stretched.at(-1)?.timeMs ?? 0;
      for (const market of [SPOT, PERPETUAL]) {
        for (const fromMs of [0, 59_999, 60_000, last - (last % 60_000), last + 1]) {
          const from = Math.ceil(fromMs / 60_000) * 60_000;
          const found = matches.filter((row) => row.market === market && row.timeMs >= from);
          const prices = found.map(({ priceTicks, grid }) => BigInt(priceTicks) * tickSize(grid));
          expect(history.dayStats({ market, fromMs })).toEqual(
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
      history.close();
    }),
    { numRuns: 40, interruptAfterTimeLimit: 15_000 },
  );
});

const SOME_TYPES: WalletType[] = [
  ...(['INTERNAL', 'DEPOSIT', 'FUNDING', 'TRADE', 'TRADE_FEE', 'LIQUIDATION'] as const),
];
/** Ends of windows and ids lie on, just before and just after what happened. */
const anyEdge = fc.record({ pick: fc.nat(10_000), beside: fc.constantFrom(-1, 0, 0, 1) });
const anyAsk = fc.record({
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
const anyAsks = fc.array(anyAsk, { minLength: 30, maxLength: 30 });
/** One outcome to a transaction, some, or all: packed rows then hold one record, some, or many. */
const anyRowsMax = fc.constantFrom(1, 40, 100_000);
type Ask = typeof anyAsk extends fc.Arbitrary<infer Value> ? Value : never;
type Page = { fromMs: number; toMs: number; limit: number; beforeId?: bigint | undefined };

function pageOf(ask: Ask, life: readonly Happened[], { wallet }: Oracle): Page {
  const { from, to, before, limit } = ask;
  const timeAt = (edge: NonNullable<Ask['from']>): number =>
    (life[edge.pick % life.length]?.timeMs ?? 1_000) + edge.beside;
  const idAt = (edge: NonNullable<Ask['from']>): bigint =>
    (wallet[edge.pick % wallet.length]?.id ?? 300n) + BigInt(edge.beside);
  return {
    fromMs: from === null ? 0 : timeAt(from),
    toMs: to === null ? 1_000_000 : timeAt(to),
    beforeId: before === null ? undefined : idAt(before),
    limit,
  };
}

function compareWallet(history: OpenHistory, oracle: Oracle, ask: Ask, page: Page): void {
  const { account, type } = ask;
  const entries = oracle.wallet
    .filter((row) => row.account === account && (type ?? row.type) === row.type)
    .map(({ account: _, ...row }) => row);
  expect(history.walletEntries({ account, type, ...page })).toEqual(paged(entries, page));
}

function compareTransfers(history: OpenHistory, oracle: Oracle, ask: Ask, page: Page): void {
  const { account, family, asset, isOfAccount } = ask;
  const owner = isOfAccount ? account : undefined;
  const transfers = oracle.transfers
    .filter((row) => row.family === family && (asset ?? row.asset) === row.asset)
    .filter((row) => owner === undefined || row.from === owner || row.to === owner)
    .map(({ family: _, ...row }) => row);
  const found = history.transfers({ family, account: owner, asset, ...page });
  expect(found).toEqual(paged(transfers, page));
}

function compareTrades(history: OpenHistory, oracle: Oracle, ask: Ask, page: Page): void {
  const { account, market } = ask;
  const trades = oracle.trades
    .filter((row) => row.account === account && (market ?? row.market) === row.market)
    .map(({ account: _, ...row }) => row);
  expect(history.trades({ account, market, ...page })).toEqual(paged(trades, page));
  const { beforeId: _, ...window } = page;
  const matches = oracle.matches.filter((row) => (market ?? row.market) === row.market);
  const found = paged(matches, window).map(({ id: _, value: __, ...row }) => row);
  expect(history.exchangeTrades({ market, ...window })).toEqual(found);
}

function compareRisk(history: OpenHistory, oracle: Oracle, ask: Ask, page: Page): void {
  const { account, market } = ask;
  const payments = oracle.payments
    .filter((row) => row.account === account && (market ?? row.market) === row.market)
    .map(({ account: _, ...row }) => row);
  expect(history.fundingPayments({ account, market, ...page })).toEqual(paged(payments, page));
  const { beforeId: _, ...window } = page;
  const rates = oracle.rates.filter((row) => (market ?? row.market) === row.market);
  const found = paged(rates, window).map(({ id: _, ...row }) => row);
  expect(history.fundingRates({ market, ...window })).toEqual(found);
  const liquidations = oracle.liquidations
    .filter((row) => row.account === account)
    .map(({ account: _, ...row }) => row);
  expect(history.liquidations({ account, ...page })).toEqual(paged(liquidations, page));
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

function historyOf(life: readonly Happened[], rowsMax: number): OpenHistory {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP, rowsMax });
  projector.project(logged(life));
  projector.close();
  return openHistory({ file, stamp: STAMP, after: () => () => {} });
}
