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
import { type List, type PageQuery, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';

/** What one position paid or received for an hour; received amounts are positive. */
export type FundingPaymentRow = {
  readonly id: bigint;
  readonly market: MarketIndex;
  readonly payment: Amount;
  /** In 10^-9. */
  readonly rate: bigint;
  /** Signed: negative for a short position. */
  readonly lots: number;
  readonly index: UsdPrice;
  readonly timeMs: number;
};
export type FundingPaymentQuery = PageQuery & {
  readonly account: AccountIndex;
  readonly market?: MarketIndex | undefined;
};

/** The rate of a finished hour, even if it was 0. */
export type FundingRateRow = {
  readonly market: MarketIndex;
  readonly rate: bigint;
  readonly timeMs: number;
};
export type FundingRateQuery = Omit<PageQuery, 'beforeId'> & {
  readonly market?: MarketIndex | undefined;
};
export type FundingQueries = {
  fundingPayments(query: FundingPaymentQuery): Promise<readonly FundingPaymentRow[]>;
  fundingRates(query: FundingRateQuery): Promise<readonly FundingRateRow[]>;
};

const PAYMENTS: Table = {
  name: 'funding_payments',
  columns: {
    account: 'integer',
    at_ms: 'integer',
    id: 'integer',
    market: 'integer',
    payment: 'integer',
    rate: 'integer',
    lots: 'integer',
    index_price: 'integer',
  },
  key: ['account', 'id'],
  indexes: [{ name: 'funding_payments_by_market', columns: ['account', 'market', 'id'] }],
};
const RATES: Table = {
  name: 'funding_rates',
  columns: { market: 'integer', at_ms: 'integer', id: 'integer', rate: 'integer' },
  key: ['market', 'id'],
  indexes: [{ name: 'funding_rates_by_id', columns: ['id'] }],
};

/** Rows are ordered by the time of the command that paid: shortly after the hour, never before it. */
export const FUNDING: Subject<FundingQueries> = {
  name: 'funding',
  revision: 2,
  tables: [PAYMENTS, RATES],
  projection: (database) => {
    const payments = database.inserter(PAYMENTS, Object.keys(PAYMENTS.columns));
    const rates = database.inserter(RATES, Object.keys(RATES.columns));
    return {
      'funding-set': ({ market, rate }, timeMs, id) => rates.add(market, timeMs, id, rate),
      'funding-paid': ({ account, market, payment, rate, lots, index }, timeMs, first) => {
        const id = first + FUNDING_SLOT.payment;
        return payments.add(account, timeMs, id, market, payment, rate, lots, index);
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
    equal: ['account', 'market'],
  });
  return async (query) => {
    const { account, market } = query;
    const found = await (market === undefined
      ? ofAccount([account], query)
      : ofMarket([account, market], query));
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
    equal: [],
  });
  const ofMarket = pageReader<StoredRate>(database, { ...list, equal: ['market'] });
  return async (query) => {
    const { market } = query;
    const found = await (market === undefined ? ofAll([], query) : ofMarket([market], query));
    return found.map(restoredRate);
  };
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
