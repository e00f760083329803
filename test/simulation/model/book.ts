import { isByAmount, type Model, type ModelOrder, marketAt, positionOf } from './state.ts';
import { valueAt } from './values.ts';

/** The orders of one side of a market's book, best price first, oldest first. */
export function bookSide(model: Model, market: number, side: 'BUY' | 'SELL'): ModelOrder[] {
  return model.orders
    .filter(
      (order) =>
        order.market === market && order.side === side && !order.isWaiting && !order.isOnItsWay,
    )
    .sort((a, b) => {
      const byPrice = side === 'BUY' ? b.priceTicks - a.priceTicks : a.priceTicks - b.priceTicks;
      return byPrice !== 0 ? byPrice : a.seat - b.seat;
    });
}

export const otherSide = (side: 'BUY' | 'SELL'): 'BUY' | 'SELL' =>
  side === 'BUY' ? 'SELL' : 'BUY';

/** display - (filled mod display), or the rest if that is smaller. */
export function sliceOf(order: ModelOrder): number {
  if (order.displayLots === undefined) return order.openLots;
  const filled = order.totalLots - order.openLots;
  return Math.min(order.displayLots - (filled % order.displayLots), order.openLots);
}

/** What happens to a taker, one meeting after another. */
export type Meeting =
  | { readonly kind: 'match'; readonly maker: ModelOrder; readonly lots: number }
  /** Self-trade prevention closes the maker. */
  | { readonly kind: 'expire'; readonly maker: ModelOrder }
  /** A reduce-only maker has nothing left to reduce. */
  | { readonly kind: 'spent'; readonly maker: ModelOrder };

/** What ended the taker, if not its size, its price or the book: self-trade, or reduce-only. */
export type Walk = { readonly meetings: readonly Meeting[]; readonly endedBy?: 'own' | 'spent' };

export const lotsOf = ({ meetings }: Walk): number =>
  meetings.reduce((sum, one) => sum + (one.kind === 'match' ? one.lots : 0), 0);

export const costOf = (model: Model, { meetings }: Walk): bigint =>
  meetings.reduce(
    (sum, one) =>
      one.kind === 'match'
        ? sum + valueAt(marketAt(model, one.maker.market), one.maker.priceTicks, one.lots)
        : sum,
    0n,
  );

/**
 * Lets a taker walk through the book, on copies: nothing is changed. FOK, the cost of a MARKET BUY and
 * the margin test ask what would happen, and then exactly this happens. Only FOK does not count on
 * reduce-only makers of others, and passes them over.
 */
export function walkBook(model: Model, taker: ModelOrder, forFok = false): Walk {
  const market = marketAt(model, taker.market);
  const queue = bookSide(model, taker.market, otherSide(taker.side)).map((order) => ({
    order,
    open: order.openLots,
    slice: order.sliceLots,
  }));
  const positions = new Map<number, number>();
  const lotsHeld = (account: number): number =>
    positions.get(account) ?? positionOf(model, account, taker.market).lots;
  const reducible = (order: ModelOrder): number =>
    Math.max(0, order.side === 'BUY' ? -lotsHeld(order.account) : lotsHeld(order.account));
  const fill = (order: ModelOrder, lots: number): void => {
    const signed = order.side === 'BUY' ? lots : -lots;
    positions.set(order.account, lotsHeld(order.account) + signed);
  };

  const meetings: Meeting[] = [];
  let open = taker.openLots;
  // Counted once: who meets an order of his own has the same position after it as before.
  let takerMost = taker.reduceOnly ? reducible(taker) : open;
  let amount = taker.amountParts;
  for (;;) {
    const best = queue[0];
    let wanted = open;
    if (isByAmount(taker)) {
      wanted = best === undefined ? 0 : affordable(model, taker, amount, best.order.priceTicks);
    }
    if (best === undefined || wanted === 0 || !accepts(taker, best.order)) return { meetings };
    if (taker.reduceOnly) {
      wanted = Math.min(wanted, takerMost);
      if (wanted === 0) return { meetings, endedBy: 'spent' };
    }
    const maker = best.order;
    if (taker.stpMode !== 'NONE' && maker.family === taker.family) {
      if (taker.stpMode !== 'EXPIRE_TAKER') meetings.push({ kind: 'expire', maker });
      if (taker.stpMode !== 'EXPIRE_MAKER') return { meetings, endedBy: 'own' };
      queue.shift();
      continue;
    }
    const most = maker.reduceOnly ? reducible(maker) : best.open;
    if (forFok && maker.reduceOnly) {
      queue.shift();
      continue;
    }
    if (most === 0) {
      meetings.push({ kind: 'spent', maker });
      queue.shift();
      continue;
    }
    const lots = Math.min(wanted, best.slice, most);
    meetings.push({ kind: 'match', maker, lots });
    open -= lots;
    takerMost -= lots;
    amount -= valueAt(market, maker.priceTicks, lots);
    fill(taker, lots);
    fill(maker, lots);
    best.open -= lots;
    best.slice -= lots;
    const isTakerSpent = taker.reduceOnly && takerMost === 0 && open > 0;
    if (best.open === 0) queue.shift();
    else if (maker.reduceOnly && lots === most) {
      meetings.push({ kind: 'spent', maker });
      queue.shift();
    } else if (best.slice === 0) {
      // The next slice goes to the back of its price.
      queue.shift();
      best.slice = Math.min(maker.displayLots ?? best.open, best.open);
      const behind = queue.findIndex(({ order }) => order.priceTicks !== maker.priceTicks);
      queue.splice(behind < 0 ? queue.length : behind, 0, best);
    }
    // Its own match has closed the position: it ends there, whatever stands in the book.
    if (isTakerSpent) return { meetings, endedBy: 'spent' };
  }
}

export const accepts = (taker: ModelOrder, maker: ModelOrder): boolean =>
  taker.side === 'BUY'
    ? maker.priceTicks <= taker.priceTicks
    : maker.priceTicks >= taker.priceTicks;

function affordable(
  model: Model,
  taker: ModelOrder,
  amountParts: bigint,
  priceTicks: number,
): number {
  return Number(amountParts / valueAt(marketAt(model, taker.market), priceTicks, 1));
}
