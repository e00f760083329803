import type { OrderRequest } from '../domain/orders.ts';
import { exactNumber, type FamilyIndex, type Ticks } from '../domain/units.ts';
import { bestLevel, bestTicks, type Level, NO_LEVEL, nextLevel } from './book/book.ts';
import { BUY, opposite, SELL, type SideCode } from './book/codes.ts';
import { isReduceOnly, NO_ORDER, type OrderSlot } from './book/orders.ts';
import type { Market, State } from './state.ts';

export type Fills = {
  /** By price, best first. */
  readonly fills: { readonly priceTicks: number; readonly lots: number }[];
  /** What would stay in the book, and at which price; 0 lots where nothing may rest. */
  readonly restLots: number;
  readonly restTicks: number;
};

/**
 * What an order would meet if it came now, without anything happening: every time in force, self-trade
 * prevention by the order's own mode, and no more than its position for one that only reduces. Resting
 * orders that only reduce are not counted upon.
 */
export function previewFills(
  state: State,
  market: Market,
  order: OrderRequest,
  about: { readonly family: FamilyIndex; readonly limitTicks: number; readonly reducible: number },
): Fills {
  const side: SideCode = order.side === 'BUY' ? BUY : SELL;
  const nothing = { fills: [], restLots: 0, restTicks: 0 };
  const best = bestTicks(market.book, opposite(side));
  const takes =
    best !== undefined && (side === BUY ? about.limitTicks >= best : about.limitTicks <= best);
  if (order.timeInForce === 'MAKER_ONLY' || order.timeInForce === 'MAKER_ONLY_REPRICE') {
    if (!takes) return { fills: [], restLots: order.sizeLots, restTicks: about.limitTicks };
    const repriced = side === BUY ? best - 1 : best + 1;
    if (order.timeInForce === 'MAKER_ONLY' || repriced < 1) return nothing;
    return { fills: [], restLots: order.sizeLots, restTicks: repriced };
  }
  const walk = walkBook(state, market, order, about, side);
  const filled = walk.fills.reduce((sum, { lots }) => sum + lots, 0);
  if (order.timeInForce === 'FOK' && filled < order.sizeLots) return nothing;
  const mayRest = order.orderType === 'LIMIT' && order.timeInForce === 'GTC' && !walk.isEnded;
  return {
    fills: walk.fills,
    restLots: mayRest ? order.sizeLots - filled : 0,
    restTicks: about.limitTicks,
  };
}

type Walk = { readonly fills: Fills['fills']; readonly isEnded: boolean };

function walkBook(
  state: State,
  market: Market,
  order: OrderRequest,
  about: { readonly family: FamilyIndex; readonly limitTicks: number; readonly reducible: number },
  side: SideCode,
): Walk {
  const fills: Fills['fills'] = [];
  const isByAmount = order.amountParts > 0n && order.orderType === 'MARKET';
  let lotsLeft = isByAmount ? Number.MAX_SAFE_INTEGER : order.sizeLots;
  if (order.reduceOnly) lotsLeft = Math.min(lotsLeft, about.reducible);
  let partsLeft = order.amountParts;
  const { book } = market;
  const from = opposite(side);
  for (
    let level = bestLevel(book, from);
    level !== NO_LEVEL;
    level = nextLevel(book, from, level)
  ) {
    const priceTicks = book.levels.priceTicks[level] as Ticks;
    if (side === BUY ? priceTicks > about.limitTicks : priceTicks < about.limitTicks) break;
    const perLot = BigInt(priceTicks) * market.perTickLot;
    const affordable = isByAmount ? partsLeft / perLot : 0n;
    const wanted = isByAmount && affordable < BigInt(lotsLeft) ? exactNumber(affordable) : lotsLeft;
    const there = lotsAt(state, market, level, order, about.family, wanted);
    const lots = Math.min(wanted, there.lots);
    if (lots > 0) fills.push({ priceTicks, lots });
    lotsLeft -= lots;
    partsLeft -= BigInt(lots) * perLot;
    if (there.endsTaker && lots === there.lots && lotsLeft > 0) return { fills, isEnded: true };
    if (lots === wanted) break;
  }
  return { fills, isEnded: order.reduceOnly && lotsLeft === 0 };
}

/** What one price has for the taker; whether an order of its own family would end it there. */
function lotsAt(
  state: State,
  market: Market,
  level: Level,
  order: OrderRequest,
  family: FamilyIndex,
  wanted: number,
): { readonly lots: number; readonly endsTaker: boolean } {
  const { orders } = state;
  const { levels } = market.book;
  if (order.stpMode === 'NONE' && market.book.reduceOnlyOrders === 0) {
    return { lots: levels.openLots[level] as number, endsTaker: false };
  }
  let lots = 0;
  let slot = levels.firstOrder[level] as OrderSlot;
  let shown = 0;
  for (; slot !== NO_ORDER; slot = orders.next[slot] as OrderSlot) {
    if (order.stpMode !== 'NONE' && orders.family[slot] === family) {
      if (order.stpMode === 'EXPIRE_MAKER') continue;
      // Before an own order only what is shown is met; hidden slices queue up behind it.
      return shown >= wanted ? { lots: shown, endsTaker: false } : { lots: shown, endsTaker: true };
    }
    if (isReduceOnly(orders, slot)) continue;
    shown += orders.visibleLots[slot] as number;
    lots += orders.openLots[slot] as number;
  }
  return { lots, endsTaker: false };
}
