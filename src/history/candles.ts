import { assert } from '../domain/assert.ts';
import { tickSize } from '../domain/market.ts';
import { matchOf } from '../domain/stored-events.ts';
import type { MarketIndex } from '../domain/units.ts';
import { type CandleQueries, candleQueries, LOW_BITS, STORED_LENGTHS } from './candle-reader.ts';
import { type MarketTerms, termsReader } from './catalogue.ts';
import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/**
 * Candles of matches and of marks: a row for each market, stored length and interval that had one.
 * Lengths between the stored ones are joined from them when they are read, so a page costs the same
 * however old the market is. Intervals without a match have no row: reading fills them with marks.
 *
 * Matches are gathered by the minute in memory and added to the rows when the next minute begins or the
 * transaction ends, so a busy minute costs a few writes a transaction.
 *
 * The value of a busy interval may pass 2^63 parts, so it is kept as its high part and its low 32 bits:
 * the database adds up either without an overflow.
 *
 * Prices are in 10^-8, not in ticks: an hour may begin with one tick and end with another.
 */
export const CANDLES: Subject<CandleQueries> = {
  name: 'candles',
  revision: 3,
  tables: [
    `CREATE TABLE candles (
      market INTEGER NOT NULL,
      length_ms INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      open INTEGER NOT NULL,
      high INTEGER NOT NULL,
      low INTEGER NOT NULL,
      close INTEGER NOT NULL,
      lots INTEGER NOT NULL,
      value_high INTEGER NOT NULL,
      value_low INTEGER NOT NULL,
      PRIMARY KEY (market, length_ms, at_ms)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE mark_candles (
      market INTEGER NOT NULL,
      length_ms INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      open INTEGER NOT NULL,
      high INTEGER NOT NULL,
      low INTEGER NOT NULL,
      close INTEGER NOT NULL,
      PRIMARY KEY (market, length_ms, at_ms)
    ) STRICT, WITHOUT ROWID`,
  ],
  projection: (database) => {
    const gatheredByMarket = new Map<MarketIndex, Gathered>();
    const termsOf = termsReader(database);
    const addMatches = matchWriter(database);
    const addMark = markWriter(database);
    return {
      ofTransaction: {
        begin: () => gatheredByMarket.clear(),
        finish: () => {
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
            const tick = gathered?.tick ?? tickOf(termsOf(market));
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

function tickOf([newest]: readonly MarketTerms[]): bigint {
  assert(newest !== undefined, 'a match is of a market that was defined before');
  return tickSize(newest.grid);
}

const startOf = (timeMs: number, lengthMs: number): number => timeMs - (timeMs % lengthMs);

function matchWriter(database: Database): (market: MarketIndex, gathered: Gathered) => void {
  const add = database.change(
    `INSERT INTO candles (market, length_ms, at_ms, open, high, low, close, lots, value_high, value_low)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        high = max(high, excluded.high), low = min(low, excluded.low), close = excluded.close,
        lots = lots + excluded.lots,
        value_high = value_high + excluded.value_high,
        value_low = value_low + excluded.value_low`,
  );
  return (market, { minute, tick, openTicks, highTicks, lowTicks, closeTicks, lots, value }) => {
    const prices = [openTicks, highTicks, lowTicks, closeTicks].map((ticks) =>
      storedPrice(BigInt(ticks) * tick),
    );
    const high = value >> LOW_BITS;
    const low = BigInt.asUintN(Number(LOW_BITS), value);
    for (const lengthMs of STORED_LENGTHS) {
      const atMs = startOf(minute * MINUTE_MS, lengthMs);
      add(market, lengthMs, atMs, ...prices, lots, high, low);
    }
  };
}

function markWriter(
  database: Database,
): (market: MarketIndex, timeMs: number, mark: bigint) => void {
  const add = database.change(
    `INSERT INTO mark_candles (market, length_ms, at_ms, open, high, low, close)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        high = max(high, excluded.high), low = min(low, excluded.low), close = excluded.close`,
  );
  return (market, timeMs, mark) => {
    const stored = storedPrice(mark);
    for (const lengthMs of STORED_LENGTHS) {
      add(market, lengthMs, startOf(timeMs, lengthMs), stored, stored, stored, stored);
    }
  };
}

/** A spot mark is a quotient of two prices and may pass what a column holds, and prices with it. */
const storedPrice = (price: bigint): bigint => (price < PRICE_MAX ? price : PRICE_MAX);
const PRICE_MAX = 2n ** 62n;
