import { assert } from '../domain/assert.ts';
import { type Amount, amount, type MarketIndex } from '../domain/units.ts';
import type { Database } from './database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** From the shortest to the longest; every length that can be requested is a multiple of one of them. */
export const STORED_LENGTHS = [MINUTE_MS, 15 * MINUTE_MS, HOUR_MS] as const;
/** How many bits of a value are stored in its low part. */
export const LOW_BITS = 32n;

/** Open, high, low (in 10^-8) and totals of a market's matches over a period. */
export type DayStats = {
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly lots: number;
  readonly value: Amount;
};
/** The same for its marks. */
export type DayMarks = Pick<DayStats, 'open' | 'high' | 'low'>;
export type DayStatsQuery = { readonly market: MarketIndex; readonly fromMs: number };

/**
 * An interval of a market, prices in 10^-8. With a match they are those of the matches; without one they are
 * marks, and `lots` and `value` are 0.
 */
export type CandleRow = {
  readonly openedAtMs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly lots: number;
  readonly value: Amount;
};
export type CandleQuery = {
  readonly market: MarketIndex;
  /** A multiple of a stored length. */
  readonly lengthMs: number;
  /** Intervals that begin within, both ends inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
};
export type CandleQueries = {
  /** For the minutes that begin at `fromMs` or later; undefined if nothing was matched in them. */
  dayStats(query: DayStatsQuery): Promise<DayStats | undefined>;
  dayMarks(query: DayStatsQuery): Promise<DayMarks | undefined>;
  /** Newest first and without gaps, starting with the market's first mark or match. */
  candles(query: CandleQuery): Promise<readonly CandleRow[]>;
};

export const candleQueries = (database: Database): CandleQueries => ({
  dayStats: dayStatsReader(database),
  dayMarks: dayMarksReader(database),
  candles: candlesReader(database),
});

/**
 * Reads the rows of the longest stored length that divides the requested one, at most 24 per candle, and the
 * mark that applied when the page begins.
 */
function candlesReader(database: Database): CandleQueries['candles'] {
  const matchesIn = matchesReader(database);
  const marksIn = marksReader(database);
  const markBefore = database.query<{ close: bigint }>(
    `SELECT close FROM mark_candles WHERE market = ? AND length_ms = ? AND at_ms < ?
      ORDER BY at_ms DESC LIMIT 1`,
  );
  const matchBefore = database.query<{ close: bigint }>(
    `SELECT close FROM candles WHERE market = ? AND length_ms = ? AND at_ms < ?
      ORDER BY at_ms DESC LIMIT 1`,
  );
  const read = async (query: CandleQuery): Promise<CandleRow[]> => {
    const { market, lengthMs, fromMs, toMs, limit } = query;
    const lastMs = toMs - (toMs % lengthMs);
    const firstMs = Math.max(
      Math.ceil(fromMs / lengthMs) * lengthMs,
      lastMs - (limit - 1) * lengthMs,
    );
    if (firstMs > lastMs || limit === 0) return [];
    const stored = storedLengthFor(lengthMs);
    const range = [market, stored, firstMs, lastMs + lengthMs] as const;
    return joined({
      ...{ firstMs, lastMs, lengthMs },
      matches: await matchesIn(...range),
      marks: await marksIn(...range),
      markBefore: (await markBefore(market, stored, firstMs))[0]?.close,
      matchBefore: (await matchBefore(market, stored, firstMs))[0]?.close,
    });
  };
  return (query) => database.snapshot(() => read(query));
}

function storedLengthFor(lengthMs: number): number {
  const found = STORED_LENGTHS.findLast((stored) => lengthMs % stored === 0);
  assert(found !== undefined, 'a candle is as long as some whole minutes');
  return found;
}

type Rows = {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly lengthMs: number;
  /** Oldest first. */
  readonly matches: readonly StoredMatches[];
  readonly marks: readonly StoredPrices[];
  readonly markBefore: bigint | undefined;
  readonly matchBefore: bigint | undefined;
};

/** If nothing happened, the last mark applies; in the time before marks were recorded, the last match. */
function joined({ firstMs, lastMs, lengthMs, matches, marks, ...before }: Rows): CandleRow[] {
  const found: CandleRow[] = [];
  let { markBefore: mark, matchBefore: match } = before;
  let nextMatch = 0;
  let nextMark = 0;
  for (let atMs = firstMs; atMs <= lastMs; atMs += lengthMs) {
    const ofMatches = matches.slice(nextMatch, endOf(matches, nextMatch, atMs + lengthMs));
    const ofMarks = marks.slice(nextMark, endOf(marks, nextMark, atMs + lengthMs));
    nextMatch += ofMatches.length;
    nextMark += ofMarks.length;
    if (ofMatches.length > 0) found.push(candleOfMatches(atMs, ofMatches));
    else if (ofMarks.length > 0) found.push({ ...empty(atMs), ...pricesOf(ofMarks) });
    else if (mark !== undefined) found.push({ ...empty(atMs), ...flat(mark) });
    else if (match !== undefined) found.push({ ...empty(atMs), ...flat(match) });
    mark = ofMarks.at(-1)?.close ?? mark;
    match = ofMatches.at(-1)?.close ?? match;
  }
  return found.reverse();
}

/** The first row from `from` on that begins at `endMs` or later. */
function endOf(rows: readonly StoredPrices[], from: number, endMs: number): number {
  let at = from;
  while (at < rows.length && Number(rows[at]?.at_ms) < endMs) at++;
  return at;
}

const flat = (price: bigint) => ({ open: price, high: price, low: price, close: price });

const empty = (openedAtMs: number) => ({ openedAtMs, lots: 0, value: amount(0n) });

const candleOfMatches = (openedAtMs: number, rows: readonly StoredMatches[]): CandleRow => ({
  openedAtMs,
  ...pricesOf(rows),
  lots: saturated(rows.reduce((sum, { lots }) => sum + lots, 0n)),
  value: amount(rows.reduce((sum, row) => sum + wholeValue(row), 0n)),
});

/** Only shown, so it is capped at the largest number that can be shown. */
const saturated = (lots: bigint): number => Math.min(Number(lots), Number.MAX_SAFE_INTEGER);

/** At least one row, oldest first. */
function pricesOf(rows: readonly StoredPrices[]) {
  const [first] = rows;
  assert(first !== undefined, 'a candle is joined from at least one row');
  let { high, low, close } = first;
  for (const row of rows) {
    if (row.high > high) high = row.high;
    if (row.low < low) low = row.low;
    close = row.close;
  }
  return { open: first.open, high, low, close };
}

function dayStatsReader(database: Database): CandleQueries['dayStats'] {
  const read = sinceReader(database, matchesReader(database));
  return async (query) => {
    const rows = await read(query);
    if (rows.length === 0) return undefined;
    const { open, high, low, lots, value } = candleOfMatches(query.fromMs, rows);
    return { open, high, low, lots, value };
  };
}

function dayMarksReader(database: Database): CandleQueries['dayMarks'] {
  const read = sinceReader(database, marksReader(database));
  return async (query) => {
    const rows = await read(query);
    if (rows.length === 0) return undefined;
    const { open, high, low } = pricesOf(rows);
    return { open, high, low };
  };
}

/** Minutes up to the next full hour, then hours: about eighty rows for a day. */
const sinceReader =
  <Row>(database: Database, rowsIn: RowsIn<Row>) =>
  ({ market, fromMs }: DayStatsQuery): Promise<Row[]> =>
    database.snapshot(async () => {
      const hourMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
      return [
        ...(await rowsIn(market, MINUTE_MS, fromMs, hourMs)),
        ...(await rowsIn(market, HOUR_MS, hourMs, Number.MAX_SAFE_INTEGER)),
      ];
    });

/** Rows of a stored length that begin in a half-open window, oldest first. */
type RowsIn<Row> = (
  market: number,
  lengthMs: number,
  fromMs: number,
  endMs: number,
) => Promise<Row[]>;

const matchesReader = (database: Database): RowsIn<StoredMatches> =>
  database.query(
    `SELECT at_ms, open, high, low, close, lots, value_high, value_low
      FROM candles WHERE market = ? AND length_ms = ? AND at_ms >= ? AND at_ms < ? ORDER BY at_ms`,
  );

const marksReader = (database: Database): RowsIn<StoredPrices> =>
  database.query(
    `SELECT at_ms, open, high, low, close
      FROM mark_candles WHERE market = ? AND length_ms = ? AND at_ms >= ? AND at_ms < ?
      ORDER BY at_ms`,
  );

type StoredPrices = {
  readonly at_ms: bigint;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
};
type StoredMatches = StoredPrices & {
  readonly lots: bigint;
  readonly value_high: bigint;
  readonly value_low: bigint;
};

const wholeValue = ({ value_high, value_low }: StoredMatches): bigint =>
  (value_high << LOW_BITS) + value_low;
