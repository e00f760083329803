import type { Side } from '../domain/terms.ts';
import type { MarketIndex } from '../domain/units.ts';
import type { Database } from './database.ts';
import { type List, type PageAsk, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';

/** One match, as everybody sees it. */
export type ExchangeTradeRow = {
  readonly market: MarketIndex;
  readonly match: number;
  readonly priceTicks: number;
  readonly lots: number;
  readonly takerSide: Side;
  readonly timeMs: number;
};
export type ExchangeTradeAsk = Omit<PageAsk, 'beforeId'> & {
  readonly market?: MarketIndex | undefined;
};
export type MatchQueries = {
  exchangeTrades(ask: ExchangeTradeAsk): readonly ExchangeTradeRow[];
};

/**
 * A table of its own beside the trades: those lie by account, and a page of what a market did last
 * would be gathered from as many corners of the file as there were takers.
 */
export const MATCHES: Subject<MatchQueries> = {
  name: 'matches',
  revision: 1,
  tables: [
    `CREATE TABLE matches (
      market INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      id INTEGER NOT NULL,
      match INTEGER NOT NULL,
      price_ticks INTEGER NOT NULL,
      lots INTEGER NOT NULL,
      is_sell INTEGER NOT NULL,
      PRIMARY KEY (market, at_ms, id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX matches_by_time ON matches (at_ms, id)',
  ],
  projection: (database) => {
    const insert = database.change(
      `INSERT INTO matches (market, at_ms, id, match, price_ticks, lots, is_sell)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    return {
      'order-matched': ({ market, match, priceTicks, lots, takerSide }, timeMs, id) =>
        insert(market, timeMs, id, match, priceTicks, lots, takerSide === 'SELL' ? 1 : 0),
    };
  },
  queries: (database) => ({ exchangeTrades: exchangeTradesReader(database) }),
};

function exchangeTradesReader(database: Database): MatchQueries['exchangeTrades'] {
  const list: Omit<List, 'equal'> = {
    table: 'matches',
    columns: ['id', 'market', 'match', 'price_ticks', 'lots', 'is_sell', 'at_ms'],
  };
  const ofAll = pageReader<Stored>(database, { ...list, index: 'matches_by_time', equal: [] });
  const ofMarket = pageReader<Stored>(database, { ...list, equal: ['market'] });
  return (ask) =>
    (ask.market === undefined ? ofAll([], ask) : ofMarket([ask.market], ask)).map(restored);
}

type Stored = {
  readonly market: bigint;
  readonly match: bigint;
  readonly price_ticks: bigint;
  readonly lots: bigint;
  readonly is_sell: bigint;
  readonly at_ms: bigint;
};

const restored = (row: Stored): ExchangeTradeRow => ({
  market: Number(row.market) as MarketIndex,
  match: Number(row.match),
  priceTicks: Number(row.price_ticks),
  lots: Number(row.lots),
  takerSide: row.is_sell === 1n ? 'SELL' : 'BUY',
  timeMs: Number(row.at_ms),
});
