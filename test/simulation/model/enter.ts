import { bookSide, costOf, lotsOf, matchesOf, otherSide, type Walk, walkBook } from './book.ts';
import { canRest, checkFunds, onlyReduces, protectiveTicks } from './checks.ts';
import { closeOrder, executeOrder } from './execute.ts';
import { marginOf, mayPlace } from './margin.ts';
import { availableOf } from './money.ts';
import {
  assetOf,
  isByAmount,
  isPerpetual,
  type Model,
  type ModelOrder,
  marketAt,
  positionOf,
  type Refusal,
} from './state.ts';
import { valueAt } from './values.ts';

/**
 * Bounded work: the last checks of an order that has passed so far. First what no plan can change, then the
 * plan, then margin and balance with it. Returns why it is refused, or what to execute.
 */
export type Entry = {
  readonly refused?: Refusal;
  /** The maximum number of orders it may meet; a taker that would meet more has its rest cancelled. */
  readonly most: number;
  /** A FOK that the book cannot fill completely. */
  readonly isUnfillable?: boolean;
};

export function enterBook(model: Model, order: ModelOrder): Entry {
  const { work } = model;
  if (order.orderType === 'MARKET' || order.orderType === 'STOP_MARKET') {
    order.priceTicks = protectiveTicks(model, order);
  }
  const isPlanned = needsPlan(model, order);
  const isFok = order.timeInForce === 'FOK';
  if (isPlanned && !isFok) {
    const refused = refusedBeforePlan(model, order);
    if (refused !== undefined) return { refused, most: 0 };
  }
  const most = isPlanned ? Math.min(work.plans, work.matches) : work.matches;
  if (most === 0 && wouldTake(model, order)) return { refused: 'BUSY', most };
  let plan: Walk | undefined;
  if (isPlanned) {
    plan = walkBook(model, order, most);
    work.plans -= plan.met;
    if (isFok && !fills(model, order, plan)) return { most, isUnfillable: true };
    const isSpotBuy = !isPerpetual(marketAt(model, order.market)) && order.side === 'BUY';
    if (isSpotBuy) order.plannedCost = costOf(model, plan);
  }
  return { refused: checkFunds(model, order, plan), most };
}

/** A stop that triggers: on spot its funds are reserved since it was placed. */
export function enterTriggered(model: Model, order: ModelOrder): Entry {
  if (isPerpetual(marketAt(model, order.market))) return enterBook(model, order);
  if (order.timeInForce !== 'FOK') return { most: model.work.matches };
  const most = Math.min(model.work.plans, model.work.matches);
  const plan = walkBook(model, order, most);
  return { most, isUnfillable: !fills(model, order, plan) };
}

/** All of its size; or so much of its amount that the rest buys no further lot at the worst price paid. */
function fills(model: Model, order: ModelOrder, plan: Walk): boolean {
  if (!isByAmount(order)) return lotsOf(plan) >= order.openLots;
  const last = matchesOf(plan).at(-1);
  if (last === undefined) return false;
  const lotCost = valueAt(marketAt(model, order.market), last.maker.priceTicks, 1);
  return order.amountParts - costOf(model, plan) < lotCost;
}

/** An accepted order meets the book; the meetings count towards the request's matches. */
export function carryOutEntry(
  model: Model,
  order: ModelOrder,
  entry: Entry,
  element: number,
): void {
  if (entry.isUnfillable) closeOrder(model, order, element, 'CANCELED_BY_FOK');
  else model.work.matches -= executeOrder(model, order, element, entry.most);
}

/**
 * Orders that cannot rest are tested with their planned fills; a FOK and the cost of a MARKET BUY need the
 * plan too.
 */
function needsPlan(model: Model, order: ModelOrder): boolean {
  if (order.isWaiting) return false;
  if (order.timeInForce === 'FOK') return true;
  if (!isPerpetual(marketAt(model, order.market))) return isMarketBuy(model, order);
  return !canRest(order) && !onlyReduces(model, order);
}

const isMarketBuy = (model: Model, order: ModelOrder): boolean =>
  !isPerpetual(marketAt(model, order.market)) &&
  order.orderType === 'MARKET' &&
  order.side === 'BUY';

/** Ratio >= 50 or C < IM for an order that increases its position; or nothing to pay with. */
function refusedBeforePlan(model: Model, order: ModelOrder): Refusal {
  const market = marketAt(model, order.market);
  const margin = marginOf(model, order.account);
  if (!isPerpetual(market)) {
    if (!mayPlace(margin)) return 'MARGIN_TOO_LOW';
    const counter = assetOf(model, market.spec.counter);
    return availableOf(model, order.account, counter) <= 0n ? 'BALANCE_TOO_LOW' : undefined;
  }
  const { lots } = positionOf(model, order.account, order.market);
  const adds = order.side === 'BUY' ? lots >= 0 : lots <= 0;
  return adds && !mayPlace(margin) ? 'MARGIN_TOO_LOW' : undefined;
}

/** Whether it is an order that takes and there is an order at a price it accepts. */
export function wouldTake(model: Model, order: ModelOrder): boolean {
  if (order.isWaiting) return false;
  if (order.timeInForce === 'MAKER_ONLY' || order.timeInForce === 'MAKER_ONLY_REPRICE')
    return false;
  const best = bookSide(model, order.market, otherSide(order.side))[0]?.priceTicks;
  if (best === undefined) return false;
  return order.side === 'BUY' ? order.priceTicks >= best : order.priceTicks <= best;
}
