import { entryCounterFromText } from '../../domain/ids.ts';
import { matchFromIdText } from '../../domain/orders.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { History, TradeQuery, TradeRow } from '../../history/history.ts';

/**
 * Pages of trades. `beforeId` is the id of a row, or the matchId of one.
 *
 * Only the row's own id can continue inside a match: an account that meets itself has two rows of one match,
 * so a matchId stands for both. History pages by the row's id, which grows with time. Within one market
 * matches grow with time as well, so the position of a match is found by bisecting the window: some thirty
 * reads of one row each, however many trades there are.
 *
 * The two kinds of id never collide: the id of a row, read as one of a match, has a counter that no match can
 * have.
 */
export async function tradesBefore(
  history: History,
  ask: Omit<TradeQuery, 'beforeId'>,
  beforeIdText: string | undefined,
): Promise<readonly TradeRow[] | undefined> {
  if (beforeIdText === undefined) return history.trades(ask);
  const found = matchFromIdText(beforeIdText);
  if (found === undefined) {
    const beforeId = entryCounterFromText(beforeIdText);
    return beforeId === undefined ? undefined : history.trades({ ...ask, beforeId });
  }
  const { account, fromMs, toMs } = ask;
  const market = found.market as MarketIndex;
  const beforeId = await firstIdFrom(history, { account, market, fromMs, toMs }, found.match);
  return history.trades(beforeId === undefined ? ask : { ...ask, beforeId });
}

type Span = {
  readonly account: AccountIndex;
  readonly market: MarketIndex;
  readonly fromMs: number;
  readonly toMs: number;
};

/** The lowest id of the trades in the span whose match is this one or a later one. */
async function firstIdFrom(
  history: History,
  span: Span,
  match: number,
): Promise<bigint | undefined> {
  const isReachedBy = async (toMs: number): Promise<boolean> => {
    const [newest] = await history.trades({ ...span, toMs, limit: 1 });
    return newest !== undefined && newest.match >= match;
  };
  if (!(await isReachedBy(span.toMs))) return undefined;
  let beforeMs = span.fromMs - 1;
  let atMs = span.toMs;
  while (atMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + atMs) / 2);
    if (await isReachedBy(middleMs)) atMs = middleMs;
    else beforeMs = middleMs;
  }
  return firstIdWithin(history, { ...span, fromMs: atMs, toMs: atMs }, match);
}

const STEP = 500;

/** The same inside one millisecond, which an order that sweeps the book can fill with many rows. */
async function firstIdWithin(
  history: History,
  span: Span,
  match: number,
): Promise<bigint | undefined> {
  let lowest: bigint | undefined;
  for (;;) {
    const beforeId = lowest === undefined ? {} : { beforeId: lowest };
    const rows = await history.trades({ ...span, ...beforeId, limit: STEP });
    const later = rows.filter((row) => row.match >= match);
    lowest = later.at(-1)?.id ?? lowest;
    if (later.length < STEP) return lowest;
  }
}
