import { tickSize } from '../domain/market.ts';
import { matchOf } from '../domain/stored-events.ts';
import type { MarketIndex } from '../domain/units.ts';
import { type CandleQueries, candleQueries, LOW_BITS, STORED_LENGTHS } from './candle-reader.ts';
import type { WritableDatabase } from './database.ts';
import type { Subject } from './subject.ts';
import { larger, newest, smaller, sum, type Table } from './tables.ts';

const PLACE = { market: 'integer', length_ms: 'integer', at_ms: 'integer' } as const;
const PRICES = { open: 'integer', high: 'integer', low: 'integer', close: 'integer' } as const;
const MATCHES: Table = {
  name: 'candles',
  columns: { ...PLACE, ...PRICES, lots: 'integer', value_high: 'integer', value_low: 'integer' },
  key: Object.keys(PLACE),
};
const MARKS: Table = {
  name: 'mark_candles',
  columns: { ...PLACE, ...PRICES },
  key: Object.keys(PLACE),
};

/**
 * Candles of matches and of marks: a row for each market, stored length and interval that had one. Lengths
 * between the stored ones are combined from them when they are read, so a page costs the same however old the
 * market is. Intervals without a match have no row: reading fills them with marks.
 *
 * Matches are collected per minute in memory and added to the rows when the next minute begins or the
 * transaction ends, so a busy minute costs a few writes per transaction.
 *
 * The value of a busy interval may exceed 2^63 parts, so it is stored as its high part and its low 32 bits:
 * the database can sum either without an overflow.
 *
 * Prices are in 10^-8, not in ticks: the tick may change within an hour.
 */
export const CANDLES: Subject<CandleQueries> = {
  name: 'candles',
  revision: 3,
  tables: [MATCHES, MARKS],
  projection: (database, known) => {
    const gatheredByMarket = new Map<MarketIndex, Gathered>();
    const addMatches = matchWriter(database);
    const addMark = markWriter(database);
    return {
      ofTransaction: {
        begin: () => gatheredByMarket.clear(),
        finish: async () => {
          for (const [market, gathered] of gatheredByMarket) addMatches(market, gathered);
        },
      },
      'market-defined': ({ market }) => {
        const gathered = gatheredByMarket.get(market);
        if (gathered !== undefined) addMatches(market, gathered);
        gatheredByMarket.delete(market);
        return 0;
      },
      'index-prices-set': ({ marks = [] }, timeMs) => {
        for (const { market, mark } of marks) addMark(market, timeMs, mark);
        return marks.length * STORED_LENGTHS.length;
      },
      stored: {
        'order-matched': (event, timeMs) => {
          const market = matchOf.market(event);
          const priceTicks = matchOf.priceTicks(event);
          const minute = Math.floor(timeMs / MINUTE_MS);
          let gathered = gatheredByMarket.get(market);
          if (gathered?.minute !== minute) {
            if (gathered !== undefined) addMatches(market, gathered);
            const tick = gathered?.tick ?? tickSize(known.terms(market).grid);
            gathered = newlyGathered(minute, priceTicks, tick);
            gatheredByMarket.set(market, gathered);
          }
          if (priceTicks > gathered.highTicks) gathered.highTicks = priceTicks;
          if (priceTicks < gathered.lowTicks) gathered.lowTicks = priceTicks;
          gathered.closeTicks = priceTicks;
          gathered.lots += matchOf.lots(event);
          gathered.value += matchOf.value(event);
          return 0;
        },
      },
    };
  },
  queries: candleQueries,
};

const MINUTE_MS = 60_000;

/** Matches of a minute that are not in the rows yet. */
type Gathered = {
  readonly minute: number;
  /** In 10^-8. */
  readonly tick: bigint;
  readonly openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  lots: number;
  value: bigint;
};

const newlyGathered = (minute: number, priceTicks: number, tick: bigint): Gathered => ({
  minute,
  tick,
  openTicks: priceTicks,
  highTicks: priceTicks,
  lowTicks: priceTicks,
  closeTicks: priceTicks,
  lots: 0,
  value: 0n,
});

const startOf = (timeMs: number, lengthMs: number): number => timeMs - (timeMs % lengthMs);

/** How later prices of an interval change its row. */
const moved = (table: Table) => ({
  high: larger(table, 'high'),
  low: smaller(table, 'low'),
  close: newest('close'),
});

function matchWriter(
  database: WritableDatabase,
): (market: MarketIndex, gathered: Gathered) => void {
  const rows = database.inserter(MATCHES, Object.keys(MATCHES.columns), {
    ...moved(MATCHES),
    lots: sum(MATCHES, 'lots'),
    value_high: sum(MATCHES, 'value_high'),
    value_low: sum(MATCHES, 'value_low'),
  });
  return (market, { minute, tick, openTicks, highTicks, lowTicks, closeTicks, lots, value }) => {
    const prices = [openTicks, highTicks, lowTicks, closeTicks].map((ticks) =>
      storedPrice(BigInt(ticks) * tick),
    );
    const high = value >> LOW_BITS;
    const low = BigInt.asUintN(Number(LOW_BITS), value);
    for (const lengthMs of STORED_LENGTHS) {
      const atMs = startOf(minute * MINUTE_MS, lengthMs);
      rows.add(market, lengthMs, atMs, ...prices, lots, high, low);
    }
  };
}

function markWriter(
  database: WritableDatabase,
): (market: MarketIndex, timeMs: number, mark: bigint) => void {
  const rows = database.inserter(MARKS, Object.keys(MARKS.columns), moved(MARKS));
  return (market, timeMs, mark) => {
    const stored = storedPrice(mark);
    for (const lengthMs of STORED_LENGTHS) {
      rows.add(market, lengthMs, startOf(timeMs, lengthMs), stored, stored, stored, stored);
    }
  };
}

/** A spot mark is a quotient of two prices and may exceed what a column holds, and so may prices. */
const storedPrice = (price: bigint): bigint => (price < PRICE_MAX ? price : PRICE_MAX);
const PRICE_MAX = 2n ** 62n;
