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

/** The meetings of a taker, in order. */
export type Meeting =
  | { readonly kind: 'match'; readonly maker: ModelOrder; readonly lots: number }
  /** Self-trade prevention closes the maker. */
  | { readonly kind: 'expire'; readonly maker: ModelOrder }
  /** A reduce-only maker has nothing left to reduce. */
  | { readonly kind: 'spent'; readonly maker: ModelOrder };

/**
 * What ended the taker, if not its size, its price or the book: self-trade, reduce-only, or the bound on the
 * work of a request. `met` counts the orders it met; orders that it ends without a match are work too.
 */
export type Walk = {
  readonly meetings: readonly Meeting[];
  readonly met: number;
  readonly endedBy?: 'own' | 'spent' | 'cut';
};

type Match = Extract<Meeting, { readonly kind: 'match' }>;

export const matchesOf = ({ meetings }: Walk): Match[] =>
  meetings.filter((one): one is Match => one.kind === 'match');

export const lotsOf = (walk: Walk): number =>
  matchesOf(walk).reduce((sum, { lots }) => sum + lots, 0);

export const costOf = (model: Model, walk: Walk): bigint =>
  matchesOf(walk).reduce(
    (sum, { maker, lots }) => sum + valueAt(marketAt(model, maker.market), maker.priceTicks, lots),
    0n,
  );

/**
 * Walks a taker through the book, on copies: nothing is changed. FOK, the cost of a MARKET BUY, the margin
 * test and previews use it to see what would happen, and execution does exactly the same. It meets at most
 * `most` orders.
 */
export function walkBook(model: Model, taker: ModelOrder, most: number): Walk {
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
  let met = 0;
  let open = taker.openLots;
  // Computed once: meeting an own order does not change the position.
  let takerMost = taker.reduceOnly ? reducible(taker) : open;
  let amount = taker.amountParts;
  for (;;) {
    const best = queue[0];
    let wanted = open;
    if (isByAmount(taker)) {
      wanted = best === undefined ? 0 : affordable(model, taker, amount, best.order.priceTicks);
    }
    if (best === undefined || wanted === 0 || !accepts(taker, best.order)) return { meetings, met };
    if (taker.reduceOnly) {
      wanted = Math.min(wanted, takerMost);
      if (wanted === 0) return { meetings, met, endedBy: 'spent' };
    }
    if (met === most) return { meetings, met, endedBy: 'cut' };
    met++;
    const maker = best.order;
    if (taker.stpMode !== 'NONE' && maker.family === taker.family) {
      if (taker.stpMode !== 'EXPIRE_TAKER') meetings.push({ kind: 'expire', maker });
      if (taker.stpMode !== 'EXPIRE_MAKER') return { meetings, met, endedBy: 'own' };
      queue.shift();
      continue;
    }
    const makerMost = maker.reduceOnly ? reducible(maker) : best.open;
    if (makerMost === 0) {
      meetings.push({ kind: 'spent', maker });
      queue.shift();
      continue;
    }
    const lots = Math.min(wanted, best.slice, makerMost);
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
    else if (maker.reduceOnly && lots === makerMost) {
      meetings.push({ kind: 'spent', maker });
      queue.shift();
    } else if (best.slice === 0) {
      // The next slice goes to the back of the queue at its price.
      queue.shift();
      best.slice = Math.min(maker.displayLots ?? best.open, best.open);
      const behind = queue.findIndex(({ order }) => order.priceTicks !== maker.priceTicks);
      queue.splice(behind < 0 ? queue.length : behind, 0, best);
    }
    // Its own match has closed the position: it ends there, whatever is in the book.
    if (isTakerSpent) return { meetings, met, endedBy: 'spent' };
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
