import { ByteReader } from '../bytes/pack.ts';
import { MATCH_SIDES_AT, readMatchHead } from '../domain/event-codec.ts';
import type { PriceGrid } from '../domain/market.ts';
import { matchOf } from '../domain/stored-events.ts';
import type { Side } from '../domain/terms.ts';
import type { MarketIndex } from '../domain/units.ts';
import { pageTermsReader, type TermsAt } from './catalogue.ts';
import {
  type ListedRecord,
  PackedListWriter,
  packedListReader,
  packedTable,
} from './packed-lists.ts';
import type { PageQuery } from './pages.ts';
import type { Subject } from './subject.ts';

/** One match, as published. */
export type ExchangeTradeRow = {
  readonly id: bigint;
  readonly market: MarketIndex;
  readonly match: number;
  readonly priceTicks: number;
  /** The grid of its ticks: a market's grid may change. */
  readonly grid: PriceGrid;
  readonly lots: number;
  readonly takerSide: Side;
  readonly timeMs: number;
};
export type ExchangeTradeQuery = PageQuery & {
  readonly market?: MarketIndex | undefined;
};
export type MatchQueries = {
  exchangeTrades(query: ExchangeTradeQuery): Promise<readonly ExchangeTradeRow[]>;
};

const TABLE = packedTable('matches');

/**
 * A table separate from the trades: those are ordered by account, so a page of a market's last matches would
 * be collected from as many places of the file as there were takers. One list with a part for each market, of
 * what both sides of a match share, in the encoding of the event.
 */
export const MATCHES: Subject<MatchQueries> = {
  name: 'matches',
  revision: 2,
  tables: [TABLE],
  projection: (database) => {
    const matches = new PackedListWriter(database, TABLE);
    return {
      ofTransaction: { begin: () => matches.begin(), finish: async () => matches.finish() },
      stored: {
        'order-matched': (event, timeMs, id) => {
          matches.add(EVERYBODY, matchOf.market(event), id, timeMs);
          matches.append(event, event.start, event.start + MATCH_SIDES_AT);
          return 1;
        },
      },
    };
  },
  queries: (database) => {
    const matches = packedListReader(database, TABLE);
    const termsOfPage = pageTermsReader(database);
    return {
      exchangeTrades: async ({ market, ...page }) => {
        const termsAt = termsOfPage();
        const records = await matches.page({
          ...page,
          list: EVERYBODY,
          ...(market === undefined ? {} : { parts: [market, market] }),
        });
        return Promise.all(records.map((record) => restored(record, termsAt)));
      },
    };
  },
};

const EVERYBODY = 0;

async function restored(
  { id, timeMs, fields }: ListedRecord,
  termsAt: TermsAt,
): Promise<ExchangeTradeRow> {
  const { value: _, ...match } = readMatchHead(new ByteReader(fields));
  return { id: BigInt(id), ...match, grid: (await termsAt(match.market, BigInt(id))).grid, timeMs };
}
