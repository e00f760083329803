import { ByteReader } from '../bytes/pack.ts';
import { MATCH_SIDES_AT, readMatchHead } from '../domain/event-codec.ts';
import type { PriceGrid } from '../domain/market.ts';
import { readMatchSide } from '../domain/order-codec.ts';
import type { OrderTexts } from '../domain/order-layout.ts';
import { matchOf, matchSideOf, type StoredEvent } from '../domain/stored-events.ts';
import type { MatchType, Side } from '../domain/terms.ts';
import type { AccountIndex, Amount, AssetIndex, MarketIndex } from '../domain/units.ts';
import { pageTermsReader, type TermsAt } from './catalogue.ts';
import type { Database } from './database.ts';
import { MAKER_SLOT, SLOTS, TAKER_SLOT } from './entry-ids.ts';
import {
  type ListedRecord,
  PackedListWriter,
  packedListReader,
  packedTable,
} from './packed-lists.ts';
import type { PageQuery } from './pages.ts';
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
  /** The grid of its ticks: a market's grid may change. */
  readonly grid: PriceGrid;
  readonly lots: number;
  readonly value: Amount;
  readonly feeAsset: AssetIndex;
  readonly fee: Amount;
  readonly source: number;
  readonly texts?: OrderTexts;
  readonly timeMs: number;
};
export type TradeQuery = PageQuery & {
  readonly account: AccountIndex;
  readonly market?: MarketIndex | undefined;
};
export type TradeQueries = {
  trades(query: TradeQuery): Promise<readonly TradeRow[]>;
};

/**
 * Which wallet entries a trade implies: wallet entries of trades are not stored but derived from here
 * (trade-entries.ts). An account's trades are stored in parts by market and by this value, so that a page of
 * fees need not walk past a million trades without one.
 */
export const MOVES = { nothing: 0, assets: 1, fee: 2, both: 3 } as const;
const MOVES_COUNT = 4;

const partOf = (market: MarketIndex, moves: number): number => market * MOVES_COUNT + moves;
const movesOfPart = (part: number): number => part % MOVES_COUNT;

const TABLE = packedTable('trades');

/**
 * A match is stored once for each side, in the list of its account: what both sides share and this side's own
 * part, in the encoding of the event (domain/event-codec.ts): when that changes, raise this revision too.
 */
export const TRADES: Subject<TradeQueries> = {
  name: 'trades',
  revision: 3,
  tables: [TABLE],
  projection: (database, known) => {
    const trades = new PackedListWriter(database, TABLE);
    const add = (event: StoredEvent, side: number, timeMs: number, id: number): void => {
      const market = matchOf.market(event);
      const assets =
        known.terms(market).isSpot || matchSideOf.hasRealised(event, side) ? MOVES.assets : 0;
      const moves = assets | (matchSideOf.hasFee(event, side) ? MOVES.fee : 0);
      trades.add(matchSideOf.account(event, side), partOf(market, moves), id, timeMs);
      trades.append(event, event.start, event.start + MATCH_SIDES_AT);
      trades.append(event, side, matchSideOf.end(event, side));
    };
    return {
      ofTransaction: {
        begin: () => trades.begin(),
        finish: async () => trades.finish(),
      },
      stored: {
        'order-matched': (event, timeMs, id) => {
          add(event, matchOf.taker(event), timeMs, id + TAKER_SLOT);
          add(event, matchOf.maker(event), timeMs, id + MAKER_SLOT);
          return 2;
        },
      },
    };
  },
  queries: (database) => {
    const read = tradesReader(database);
    return { trades: async (query) => (await read(query)).map(({ realised: _, ...row }) => row) };
  },
};

/** A trade with the amounts of its wallet entries. */
export type Trade = TradeRow & { readonly realised: Amount };

/** Trades of an account: of all its markets or one, and only those with the requested moves. */
export function tradesReader(
  database: Database,
): (query: TradeQuery, isWanted?: (moves: number) => boolean) => Promise<Trade[]> {
  const trades = packedListReader(database, TABLE);
  const termsOfPage = pageTermsReader(database);
  return async ({ account, market, ...page }, isWanted = () => true) => {
    const termsAt = termsOfPage();
    const records = await trades.page({
      ...page,
      list: account,
      ...(market === undefined
        ? {}
        : { parts: [partOf(market, MOVES.nothing), partOf(market, MOVES.both)] }),
      isWanted: (part) => isWanted(movesOfPart(part)),
    });
    return Promise.all(records.map((record) => restored(record, termsAt)));
  };
}

async function restored({ id, timeMs, fields }: ListedRecord, termsAt: TermsAt): Promise<Trade> {
  const reader = new ByteReader(fields);
  const { takerSide, ...match } = readMatchHead(reader);
  const { account: _, openLots: __, ...own } = readMatchSide(reader);
  const isMaker = id % SLOTS === MAKER_SLOT;
  return {
    ...{ id: BigInt(id), ...match, ...own },
    grid: (await termsAt(match.market, BigInt(id))).grid,
    side: (takerSide === 'SELL') === isMaker ? 'BUY' : 'SELL',
    matchType: isMaker ? 'MAKER' : 'TAKER',
    timeMs,
  };
}
