import { matchOf } from '../domain/stored-events.ts';
import { type Amount, amount, exactNumber, type MarketIndex } from '../domain/units.ts';
import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/** Open, high, low and totals of a market's matches over a period. */
export type DayStats = {
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly lots: number;
  readonly value: Amount;
};
export type DayStatsAsk = { readonly market: MarketIndex; readonly fromMs: number };
export type CandleQueries = {
  /** Of the minutes that begin at `fromMs` or later; undefined when nothing was matched in them. */
  dayStats(ask: DayStatsAsk): DayStats | undefined;
};

/**
 * One row a minute and market, of minutes with a match. A minute is gathered in memory and written
 * when the next begins or the transaction ends, so a busy one costs a write a transaction.
 *
 * The value of a busy minute may pass 2^63 parts, so it is kept as its high part and its low 32
 * bits: the database adds up either without an overflow.
 */
export const CANDLES: Subject<CandleQueries> = {
  name: 'candles',
  revision: 1,
  tables: [
    `CREATE TABLE candles (
      market INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      open_ticks INTEGER NOT NULL,
      high_ticks INTEGER NOT NULL,
      low_ticks INTEGER NOT NULL,
      close_ticks INTEGER NOT NULL,
      lots INTEGER NOT NULL,
      value_high INTEGER NOT NULL,
      value_low INTEGER NOT NULL,
      PRIMARY KEY (market, at_ms)
    ) STRICT, WITHOUT ROWID`,
  ],
  projection: (database) => {
    const candleByMarket = new Map<MarketIndex, Candle>();
    const readCandle = candleReader(database);
    const write = candleWriter(database);
    const minuteOf = (market: MarketIndex, atMs: number): Candle => {
      const before = candleByMarket.get(market);
      if (before !== undefined) write(market, before);
      // A transaction may have ended within this minute.
      const candle = readCandle(market, atMs) ?? emptyCandle(atMs);
      candleByMarket.set(market, candle);
      return candle;
    };
    return {
      ofTransaction: {
        begin: () => candleByMarket.clear(),
        finish: () => {
          for (const [market, candle] of candleByMarket) write(market, candle);
        },
      },
      stored: {
        'order-matched': (event, timeMs) => {
          const market = matchOf.market(event);
          const priceTicks = matchOf.priceTicks(event);
          const atMs = timeMs - (timeMs % MINUTE_MS);
          const current = candleByMarket.get(market);
          const candle = current?.atMs === atMs ? current : minuteOf(market, atMs);
          if (candle.lots === 0) candle.openTicks = priceTicks;
          if (priceTicks > candle.highTicks) candle.highTicks = priceTicks;
          if (priceTicks < candle.lowTicks) candle.lowTicks = priceTicks;
          candle.closeTicks = priceTicks;
          candle.lots += matchOf.lots(event);
          candle.value += matchOf.value(event);
          return 0;
        },
      },
    };
  },
  queries: (database) => ({ dayStats: dayStatsReader(database) }),
};

type Candle = {
  readonly atMs: number;
  openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  lots: number;
  value: bigint;
};

const emptyCandle = (atMs: number): Candle => ({
  atMs,
  openTicks: 0,
  highTicks: 0,
  lowTicks: Number.MAX_SAFE_INTEGER,
  closeTicks: 0,
  lots: 0,
  value: 0n,
});

function candleReader(
  database: Database,
): (market: MarketIndex, atMs: number) => Candle | undefined {
  const read = database.query<Record<string, bigint> & StoredValue>(
    `SELECT open_ticks, high_ticks, low_ticks, close_ticks, lots, value_high, value_low
      FROM candles WHERE market = ? AND at_ms = ?`,
  );
  return (market, atMs) => {
    const [row] = read(market, atMs);
    if (row === undefined) return undefined;
    return {
      atMs,
      openTicks: Number(row['open_ticks']),
      highTicks: Number(row['high_ticks']),
      lowTicks: Number(row['low_ticks']),
      closeTicks: Number(row['close_ticks']),
      lots: Number(row['lots']),
      value: wholeValue(row),
    };
  };
}

function candleWriter(database: Database): (market: MarketIndex, candle: Candle) => void {
  const replace = database.change(
    `REPLACE INTO candles (market, at_ms, open_ticks, high_ticks, low_ticks, close_ticks, lots,
        value_high, value_low)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (market, { atMs, openTicks, highTicks, lowTicks, closeTicks, lots, value }) => {
    const high = value >> LOW_BITS;
    const low = BigInt.asUintN(Number(LOW_BITS), value);
    replace(market, atMs, openTicks, highTicks, lowTicks, closeTicks, lots, high, low);
  };
}

function dayStatsReader(database: Database): CandleQueries['dayStats'] {
  const first = database.query<{ open_ticks: bigint }>(
    'SELECT open_ticks FROM candles WHERE market = ? AND at_ms >= ? ORDER BY at_ms LIMIT 1',
  );
  const all = database.query<StoredStats>(
    `SELECT max(high_ticks) AS high, min(low_ticks) AS low, sum(lots) AS lots,
        sum(value_high) AS value_high, sum(value_low) AS value_low
      FROM candles WHERE market = ? AND at_ms >= ?`,
  );
  return ({ market, fromMs }) => {
    const [opening] = first(market, fromMs);
    const [stats] = all(market, fromMs);
    // Minutes are never taken back: one that was found is also among all of them.
    if (opening === undefined || stats === undefined) return undefined;
    return {
      openTicks: Number(opening.open_ticks),
      highTicks: Number(stats.high),
      lowTicks: Number(stats.low),
      lots: exactNumber(stats.lots),
      value: amount(wholeValue(stats)),
    };
  };
}

type StoredValue = { readonly value_high: bigint; readonly value_low: bigint };
type StoredStats = StoredValue & {
  readonly high: bigint;
  readonly low: bigint;
  readonly lots: bigint;
};

const wholeValue = ({ value_high, value_low }: StoredValue): bigint =>
  (value_high << LOW_BITS) + value_low;

const MINUTE_MS = 60_000;
const LOW_BITS = 32n;
