import {
  type AccountIndex,
  type Amount,
  amount,
  type MarketIndex,
  type UsdPrice,
  usdPrice,
} from '../domain/units.ts';
import type { Database } from './database.ts';
import { FUNDING_SLOT } from './entry-ids.ts';
import { type List, type PageAsk, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';

/** What one position paid or received for an hour; what was received is positive. */
export type FundingPaymentRow = {
  readonly id: bigint;
  readonly market: MarketIndex;
  readonly payment: Amount;
  /** In 10^-9. */
  readonly rate: bigint;
  /** Signed: negative was short. */
  readonly lots: number;
  readonly index: UsdPrice;
  readonly timeMs: number;
};
export type FundingPaymentAsk = PageAsk & {
  readonly account: AccountIndex;
  readonly market?: MarketIndex | undefined;
};

/** The rate of an hour that was over, also where it was 0. */
export type FundingRateRow = {
  readonly market: MarketIndex;
  readonly rate: bigint;
  readonly timeMs: number;
};
export type FundingRateAsk = Omit<PageAsk, 'beforeId'> & {
  readonly market?: MarketIndex | undefined;
};
export type FundingQueries = {
  fundingPayments(ask: FundingPaymentAsk): readonly FundingPaymentRow[];
  fundingRates(ask: FundingRateAsk): readonly FundingRateRow[];
};

/** Rows lie by the time of the command that paid: about the hour, and never before it. */
export const FUNDING: Subject<FundingQueries> = {
  name: 'funding',
  revision: 2,
  tables: [
    `CREATE TABLE funding_payments (
      account INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      id INTEGER NOT NULL,
      market INTEGER NOT NULL,
      payment INTEGER NOT NULL,
      rate INTEGER NOT NULL,
      lots INTEGER NOT NULL,
      index_price INTEGER NOT NULL,
      PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX funding_payments_by_market
      ON funding_payments (account, market, id)`,
    `CREATE TABLE funding_rates (
      market INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      id INTEGER NOT NULL,
      rate INTEGER NOT NULL,
      PRIMARY KEY (market, id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX funding_rates_by_id ON funding_rates (id)',
  ],
  projection: (database) => {
    const insertPayment = database.change(
      `INSERT INTO funding_payments (account, at_ms, id, market, payment, rate, lots, index_price)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const insertRate = database.change(
      'INSERT INTO funding_rates (market, at_ms, id, rate) VALUES (?, ?, ?, ?)',
    );
    return {
      'funding-set': ({ market, rate }, timeMs, id) => insertRate(market, timeMs, id, rate),
      'funding-paid': ({ account, market, payment, rate, lots, index }, timeMs, first) => {
        const id = first + FUNDING_SLOT.payment;
        return insertPayment(account, timeMs, id, market, payment, rate, lots, index);
      },
    };
  },
  queries: (database) => ({
    fundingPayments: paymentsReader(database),
    fundingRates: ratesReader(database),
  }),
};

function paymentsReader(database: Database): FundingQueries['fundingPayments'] {
  const list: Omit<List, 'equal'> = {
    table: 'funding_payments',
    columns: ['id', 'market', 'payment', 'rate', 'lots', 'index_price', 'at_ms'],
  };
  const ofAccount = pageReader<StoredPayment>(database, { ...list, equal: ['account'] });
  const ofMarket = pageReader<StoredPayment>(database, {
    ...list,
    index: 'funding_payments_by_market',
    equal: ['account', 'market'],
  });
  return (ask) => {
    const { account, market } = ask;
    const found =
      market === undefined ? ofAccount([account], ask) : ofMarket([account, market], ask);
    return found.map(restoredPayment);
  };
}

function ratesReader(database: Database): FundingQueries['fundingRates'] {
  const list: Omit<List, 'equal'> = {
    table: 'funding_rates',
    columns: ['id', 'market', 'rate', 'at_ms'],
  };
  const ofAll = pageReader<StoredRate>(database, {
    ...list,
    index: 'funding_rates_by_id',
    equal: [],
  });
  const ofMarket = pageReader<StoredRate>(database, { ...list, equal: ['market'] });
  return (ask) =>
    (ask.market === undefined ? ofAll([], ask) : ofMarket([ask.market], ask)).map(restoredRate);
}

type StoredPayment = {
  readonly id: bigint;
  readonly market: bigint;
  readonly payment: bigint;
  readonly rate: bigint;
  readonly lots: bigint;
  readonly index_price: bigint;
  readonly at_ms: bigint;
};

const restoredPayment = (row: StoredPayment): FundingPaymentRow => ({
  id: row.id,
  market: Number(row.market) as MarketIndex,
  payment: amount(row.payment),
  rate: row.rate,
  lots: Number(row.lots),
  index: usdPrice(row.index_price),
  timeMs: Number(row.at_ms),
});

type StoredRate = { readonly market: bigint; readonly rate: bigint; readonly at_ms: bigint };

const restoredRate = (row: StoredRate): FundingRateRow => ({
  market: Number(row.market) as MarketIndex,
  rate: row.rate,
  timeMs: Number(row.at_ms),
});
