import { assert } from '../domain/assert.ts';
import type { MatchSide } from '../domain/orders.ts';
import type { MatchType, Side } from '../domain/terms.ts';
import {
  type AccountIndex,
  type Amount,
  type AssetIndex,
  amount,
  type MarketIndex,
} from '../domain/units.ts';
import { termsReader } from './catalogue.ts';
import type { Database } from './database.ts';
import { MAKER_SLOT, TAKER_SLOT } from './entry-ids.ts';
import { type List, type PageAsk, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';

/** One side of a match, as the account on that side sees it. */
export type TradeRow = {
  readonly id: bigint;
  readonly market: MarketIndex;
  readonly match: number;
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly side: Side;
  readonly matchType: MatchType;
  readonly priceTicks: number;
  readonly lots: number;
  readonly value: Amount;
  readonly feeAsset: AssetIndex;
  readonly fee: Amount;
  readonly source: number;
  readonly timeMs: number;
};
export type TradeAsk = PageAsk & {
  readonly account: AccountIndex;
  readonly market?: MarketIndex | undefined;
};
export type TradeQueries = {
  trades(ask: TradeAsk): readonly TradeRow[];
};

/**
 * Which wallet entries a trade stands for: wallet entries of trades are not stored, they are read
 * from here (trade-entries.ts). An account's trades lie in four parts by this column, so that a
 * page of fees need not walk past a million trades without one; all trades are the parts merged.
 */
export const MOVES = { nothing: 0, assets: 1, fee: 2, both: 3 } as const;

/**
 * A match is written once for each side, in the list of its account. That is most of what history
 * writes, so both sides go in one statement, and what can be derived is left out.
 */
export const TRADES: Subject<TradeQueries> = {
  name: 'trades',
  revision: 1,
  tables: [
    `CREATE TABLE trades (
      account INTEGER NOT NULL,
      moves INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      id INTEGER NOT NULL,
      market INTEGER NOT NULL,
      match INTEGER NOT NULL,
      order_id INTEGER NOT NULL,
      client_order_id INTEGER NOT NULL,
      is_sell INTEGER NOT NULL,
      is_maker INTEGER NOT NULL,
      price_ticks INTEGER NOT NULL,
      lots INTEGER NOT NULL,
      value INTEGER NOT NULL,
      realised INTEGER NOT NULL,
      fee_asset INTEGER NOT NULL,
      fee INTEGER NOT NULL,
      source INTEGER NOT NULL,
      PRIMARY KEY (account, moves, at_ms, id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX trades_by_market ON trades (account, market, at_ms, id)',
  ],
  projection: (database) => {
    const insertBoth = database.change(INSERT_BOTH_SIDES);
    const termsOf = termsReader(database);
    // Kept for one transaction at most, and dropped when a market changes.
    const isSpotByMarket = new Map<MarketIndex, boolean>();
    const isSpot = (market: MarketIndex): boolean => {
      const [terms] = termsOf(market);
      assert(terms !== undefined, 'a match is of a market that was defined before');
      isSpotByMarket.set(market, terms.isSpot);
      return terms.isSpot;
    };
    const movesOf = (side: MatchSide, isOnSpot: boolean): number =>
      (isOnSpot || side.realised !== 0n ? MOVES.assets : 0) | (side.fee !== 0n ? MOVES.fee : 0);
    return {
      ofTransaction: { begin: () => isSpotByMarket.clear() },
      'market-defined': () => {
        isSpotByMarket.clear();
        return 0;
      },
      'order-matched': (event, timeMs, id) => {
        const { market, taker, maker } = event;
        const isOnSpot = isSpotByMarket.get(market) ?? isSpot(market);
        const isTakerSell = event.takerSide === 'SELL' ? 1 : 0;
        return insertBoth(
          timeMs,
          market,
          event.match,
          event.priceTicks,
          event.lots,
          event.value,
          id + TAKER_SLOT,
          taker.account,
          movesOf(taker, isOnSpot),
          taker.orderId,
          taker.clientOrderId,
          isTakerSell,
          taker.realised,
          taker.feeAsset,
          taker.fee,
          taker.source,
          id + MAKER_SLOT,
          maker.account,
          movesOf(maker, isOnSpot),
          maker.orderId,
          maker.clientOrderId,
          1 - isTakerSell,
          maker.realised,
          maker.feeAsset,
          maker.fee,
          maker.source,
        );
      },
    };
  },
  queries: (database) => ({ trades: tradesReader(database) }),
};

/** ?1 to ?6 are the match's own, then ten of the taker, then ten of the maker. */
const INSERT_BOTH_SIDES = `
  INSERT INTO trades (at_ms, market, match, price_ticks, lots, value, is_maker,
    id, account, moves, order_id, client_order_id, is_sell, realised, fee_asset, fee, source)
  VALUES
    (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16),
    (?1, ?2, ?3, ?4, ?5, ?6, 1, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)`;

function tradesReader(database: Database): TradeQueries['trades'] {
  const list: Omit<List, 'equal'> = {
    table: 'trades',
    columns: [
      ...['id', 'market', 'match', 'order_id', 'client_order_id', 'is_sell', 'is_maker'],
      ...['price_ticks', 'lots', 'value', 'fee_asset', 'fee', 'source', 'at_ms'],
    ],
  };
  const ofAccount = pageReader<Stored>(database, {
    ...list,
    equal: ['account'],
    parts: { column: 'moves', codes: Object.values(MOVES) },
  });
  const ofMarket = pageReader<Stored>(database, {
    ...list,
    index: 'trades_by_market',
    equal: ['account', 'market'],
  });
  return (ask) => {
    const { account, market } = ask;
    const found =
      market === undefined ? ofAccount([account], ask) : ofMarket([account, market], ask);
    return found.map(restored);
  };
}

type Stored = {
  readonly id: bigint;
  readonly market: bigint;
  readonly match: bigint;
  readonly order_id: bigint;
  readonly client_order_id: bigint;
  readonly is_sell: bigint;
  readonly is_maker: bigint;
  readonly price_ticks: bigint;
  readonly lots: bigint;
  readonly value: bigint;
  readonly fee_asset: bigint;
  readonly fee: bigint;
  readonly source: bigint;
  readonly at_ms: bigint;
};

const restored = (row: Stored): TradeRow => ({
  id: row.id,
  market: Number(row.market) as MarketIndex,
  match: Number(row.match),
  orderId: Number(row.order_id),
  clientOrderId: row.client_order_id,
  side: row.is_sell === 1n ? 'SELL' : 'BUY',
  matchType: row.is_maker === 1n ? 'MAKER' : 'TAKER',
  priceTicks: Number(row.price_ticks),
  lots: Number(row.lots),
  value: amount(row.value),
  feeAsset: Number(row.fee_asset) as AssetIndex,
  fee: amount(row.fee),
  source: Number(row.source),
  timeMs: Number(row.at_ms),
});
