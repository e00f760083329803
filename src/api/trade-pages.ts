import { matchFromIdText } from '../domain/orders.ts';
import type { AccountIndex, MarketIndex } from '../domain/units.ts';
import type { History, TradeAsk, TradeRow } from '../history/history.ts';

/**
 * Pages of trades, turned by the only id a caller has seen: that of a match.
 *
 * History pages by an id of its own, which grows with time. Within one market matches grow with time
 * as well, so the place of a match is found by halving the window: some thirty looks at one row
 * each, however many trades there are.
 */
export function tradesBefore(
  history: History,
  ask: Omit<TradeAsk, 'beforeId'>,
  beforeMatchId: string | undefined,
): readonly TradeRow[] | undefined {
  if (beforeMatchId === undefined) return wholeMatches(history, ask);
  const found = matchFromIdText(beforeMatchId);
  if (found === undefined) return undefined;
  const { account, fromMs, toMs } = ask;
  const market = found.market as MarketIndex;
  const beforeId = firstIdFrom(history, { account, market, fromMs, toMs }, found.match);
  return wholeMatches(history, beforeId === undefined ? ask : { ...ask, beforeId });
}

type Span = {
  readonly account: AccountIndex;
  readonly market: MarketIndex;
  readonly fromMs: number;
  readonly toMs: number;
};

/** The lowest id of the trades in the span whose match is this one or a later one. */
function firstIdFrom(history: History, span: Span, match: number): bigint | undefined {
  const isReachedBy = (toMs: number): boolean => {
    const [newest] = history.trades({ ...span, toMs, limit: 1 });
    return newest !== undefined && newest.match >= match;
  };
  if (!isReachedBy(span.toMs)) return undefined;
  let beforeMs = span.fromMs - 1;
  let atMs = span.toMs;
  while (atMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + atMs) / 2);
    if (isReachedBy(middleMs)) atMs = middleMs;
    else beforeMs = middleMs;
  }
  return firstIdWithin(history, { ...span, fromMs: atMs, toMs: atMs }, match);
}

const STEP = 500;

/** The same inside one millisecond, which an order that sweeps the book can fill with many rows. */
function firstIdWithin(history: History, span: Span, match: number): bigint | undefined {
  let lowest: bigint | undefined;
  for (;;) {
    const beforeId = lowest === undefined ? {} : { beforeId: lowest };
    const rows = history.trades({ ...span, ...beforeId, limit: STEP });
    const later = rows.filter((row) => row.match >= match);
    lowest = later.at(-1)?.id ?? lowest;
    if (later.length < STEP) return lowest;
  }
}

/**
 * An account that meets itself has two rows with one id. A page does not end between them, or the
 * next would begin after both: it is a row shorter then, and only a page of one row is a row longer.
 */
function wholeMatches(history: History, ask: TradeAsk): readonly TradeRow[] {
  const rows = history.trades({ ...ask, limit: ask.limit + 1 });
  if (rows.length <= ask.limit) return rows;
  const [last, next] = rows.slice(ask.limit - 1);
  const isSplit = last?.market === next?.market && last?.match === next?.match;
  if (!isSplit) return rows.slice(0, ask.limit);
  return ask.limit === 1 ? rows : rows.slice(0, ask.limit - 1);
}
