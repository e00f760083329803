/**
 * What would happen to a taker, without anything happening: FOK asks it, and so do the cost of a
 * market order and the margin check. It answers exactly what the loop over `nextMatch` would do.
 *
 * With STP NONE it adds up whole levels; with another mode it must look at every order it passes, and
 * so where orders that only reduce rest: those are passed over, because what they give is not certain.
 * With them in the book the loop may do better than the plan, never worse.
 */
import { assert } from '../../domain/assert.ts';
import { exactNumber, type Lots, type Ticks } from '../../domain/units.ts';
import { type Book, bestLevel, type Level, NO_LEVEL, nextLevel } from './book.ts';
import { opposite, STP_EXPIRE_MAKER, STP_NONE } from './codes.ts';
import { accepts, isOwn, type Taker } from './match.ts';
import { isReduceOnly, NO_ORDER, type OrderSlot, type Orders } from './orders.ts';

export type Plan = {
  lots: Lots;
  /** Sum of ticks x lots: exact, and the value once multiplied by the market's parts for one. */
  tickLots: bigint;
  /** The worst price that would trade; 0 when nothing would. */
  lastTicks: Ticks;
  /** Orders of its own family that would meet it and be prevented. */
  ownOrders: number;
  /** Whether such an order would end the taker. */
  endsAtOwn: boolean;
};

/** A purchase by counter amount: what may be spent, and what one lot costs at one tick. */
export type Budget = { readonly amountParts: bigint; readonly perTickLot: bigint };

export const newPlan = (): Plan => ({
  lots: 0 as Lots,
  tickLots: 0n,
  lastTicks: 0 as Ticks,
  ownOrders: 0,
  endsAtOwn: false,
});

/** Fills in `plan`. A budget bounds the taker further: at each price, to the lots it still buys. */
export function planMatches(
  book: Book,
  orders: Orders,
  taker: Taker,
  plan: Plan,
  budget?: Budget,
): void {
  clear(plan);
  const side = opposite(taker.side);
  // Kept beside the plan as a number while it is exact as one: a bigint a level would cost more.
  let smallSum = 0;
  for (
    let level = bestLevel(book, side);
    level !== NO_LEVEL && !plan.endsAtOwn;
    level = nextLevel(book, side, level)
  ) {
    const priceTicks = book.levels.priceTicks[level] as Ticks;
    if (!accepts(taker, priceTicks)) break;
    const wantedLots = lotsWanted(taker, plan, priceTicks, smallSum, budget);
    if (wantedLots === 0) break;
    const takenLots = lotsFrom(book, orders, taker, level, wantedLots, plan);
    if (takenLots === 0) continue;
    plan.lots = (plan.lots + takenLots) as Lots;
    plan.lastTicks = priceTicks;
    const sum = smallSum + priceTicks * takenLots;
    if (sum <= Number.MAX_SAFE_INTEGER) smallSum = sum;
    else plan.tickLots += BigInt(priceTicks) * BigInt(takenLots);
  }
  plan.tickLots += BigInt(smallSum);
}

/** Whether a FOK taker would be filled whole. */
export function fillsWhole(book: Book, orders: Orders, taker: Taker, plan: Plan): boolean {
  planMatches(book, orders, taker, plan);
  return plan.lots === taker.openLots;
}

/** What an amount buys at one price, in whole lots, rounded down: never more than was offered. */
export function affordableLots(budget: Budget, priceTicks: Ticks): Lots {
  assert(priceTicks > 0, 'what costs nothing cannot be counted by its price');
  const lots = budget.amountParts / (BigInt(priceTicks) * budget.perTickLot);
  return exactNumber(lots < LOTS_MAX ? lots : LOTS_MAX) as Lots;
}

/**
 * Sizes a taker that buys by amount: to what it can still buy at the best price, 0 if nothing. The
 * caller does this before every `nextMatch`, because the price changes as levels are eaten.
 */
export function sizeByBudget(book: Book, taker: Taker, budget: Budget): void {
  const level = bestLevel(book, opposite(taker.side));
  taker.openLots =
    level === NO_LEVEL
      ? (0 as Lots)
      : affordableLots(budget, book.levels.priceTicks[level] as Ticks);
}

const LOTS_MAX = BigInt(Number.MAX_SAFE_INTEGER);

function lotsWanted(
  taker: Taker,
  plan: Plan,
  priceTicks: Ticks,
  smallSum: number,
  budget: Budget | undefined,
): number {
  const openLots = taker.openLots - plan.lots;
  if (budget === undefined || openLots === 0) return openLots;
  const spentParts = (plan.tickLots + BigInt(smallSum)) * budget.perTickLot;
  const rest = { ...budget, amountParts: budget.amountParts - spentParts };
  return Math.min(openLots, affordableLots(rest, priceTicks));
}

/** What the taker would get of one level; own orders on the way are noted in the plan. */
function lotsFrom(
  book: Book,
  orders: Orders,
  taker: Taker,
  level: Level,
  wantedLots: number,
  plan: Plan,
): number {
  const levelLots = book.levels.openLots[level] as number;
  if (taker.stpMode === STP_NONE && book.reduceOnlyOrders === 0) {
    return Math.min(wantedLots, levelLots);
  }
  // Every order of the level is met in the first round, by its slice; so an own order either ends
  // the taker here, or is gone before the first hidden lot is reached.
  let shownLots = 0;
  let passedLots = 0;
  let slot = book.levels.firstOrder[level] as OrderSlot;
  for (; slot !== NO_ORDER; slot = orders.next[slot] as OrderSlot) {
    if (shownLots >= wantedLots) return wantedLots;
    if (!isOwn(orders, taker, slot)) {
      if (isReduceOnly(orders, slot)) passedLots += orders.openLots[slot] as number;
      else shownLots += orders.visibleLots[slot] as number;
      continue;
    }
    plan.ownOrders++;
    if (taker.stpMode !== STP_EXPIRE_MAKER) {
      plan.endsAtOwn = true;
      return shownLots;
    }
    passedLots += orders.openLots[slot] as number;
  }
  return Math.min(wantedLots, levelLots - passedLots);
}

function clear(plan: Plan): void {
  plan.lots = 0 as Lots;
  plan.tickLots = 0n;
  plan.lastTicks = 0 as Ticks;
  plan.ownOrders = 0;
  plan.endsAtOwn = false;
}
