/**
 * The oracle: a book that is simple enough to be obviously correct. Two sorted lists of objects, walked from
 * the front. The fast book must behave the same, step for step; kept for tests, for ever.
 */

import {
  BUY,
  opposite,
  type SideCode,
  STP_EXPIRE_BOTH,
  STP_EXPIRE_MAKER,
  STP_EXPIRE_TAKER,
  STP_NONE,
  type StpCode,
} from '../../domain/order-codes.ts';
import { exactNumber } from '../../domain/units.ts';

export type PlainOrder = {
  readonly orderId: number;
  readonly family: number;
  readonly side: SideCode;
  readonly priceTicks: number;
  readonly displayLots: number;
  totalLots: number;
  openLots: number;
};

export type PlainTaker = {
  readonly side: SideCode;
  readonly limitTicks: number;
  readonly family: number;
  readonly stpMode: StpCode;
  openLots: number;
};

/** What an amount order may still spend, and what one lot costs at one tick. */
export type PlainBudget = { amountParts: bigint; readonly perTickLot: bigint };

export type PlainOutcome =
  | {
      readonly kind: 'match';
      readonly makerId: number;
      readonly ticks: number;
      readonly lots: number;
    }
  | { readonly kind: 'maker-expires'; readonly makerId: number }
  | { readonly kind: 'taker-expires' };

/** By side, in the order in which a taker meets them. */
export type PlainBook = readonly [bids: PlainOrder[], asks: PlainOrder[]];

export const newPlainBook = (): PlainBook => [[], []];

/** Behind every order of the same or a better price. */
export function restPlain(book: PlainBook, order: PlainOrder): void {
  const queue = book[order.side];
  const isBehind = (other: PlainOrder): boolean =>
    order.side === BUY ? other.priceTicks < order.priceTicks : other.priceTicks > order.priceTicks;
  const at = queue.findIndex(isBehind);
  queue.splice(at < 0 ? queue.length : at, 0, order);
}

export function removePlain(book: PlainBook, order: PlainOrder): void {
  const queue = book[order.side];
  queue.splice(queue.indexOf(order), 1);
}

export function shrinkPlain(order: PlainOrder, totalLots: number): void {
  order.openLots -= order.totalLots - totalLots;
  order.totalLots = totalLots;
}

/** Executes a taker and returns what happened, in order. A budget bounds it at every price. */
export function takePlain(
  book: PlainBook,
  taker: PlainTaker,
  budget?: PlainBudget,
): PlainOutcome[] {
  const outcomes: PlainOutcome[] = [];
  const queue = book[opposite(taker.side)];
  for (;;) {
    const maker = queue[0];
    if (maker === undefined || !acceptsPlain(taker, maker.priceTicks)) return outcomes;
    const wantedLots = wantedPlain(taker, maker.priceTicks, budget);
    if (wantedLots === 0) return outcomes;
    if (taker.stpMode !== STP_NONE && maker.family === taker.family) {
      if (taker.stpMode === STP_EXPIRE_MAKER || taker.stpMode === STP_EXPIRE_BOTH) {
        outcomes.push({ kind: 'maker-expires', makerId: maker.orderId });
        queue.shift();
      }
      if (taker.stpMode === STP_EXPIRE_TAKER || taker.stpMode === STP_EXPIRE_BOTH) {
        outcomes.push({ kind: 'taker-expires' });
        return outcomes;
      }
      continue;
    }
    const lots = Math.min(wantedLots, sliceOfPlain(maker));
    const { orderId, priceTicks } = maker;
    outcomes.push({ kind: 'match', makerId: orderId, ticks: priceTicks, lots });
    const isSliceDone = lots === sliceOfPlain(maker);
    maker.openLots -= lots;
    taker.openLots -= lots;
    if (budget !== undefined) {
      budget.amountParts -= BigInt(priceTicks) * BigInt(lots) * budget.perTickLot;
    }
    if (isSliceDone) queue.shift();
    if (isSliceDone && maker.openLots > 0) restPlain(book, maker);
  }
}

/** What would happen: executed on a copy. */
export function planPlain(
  book: PlainBook,
  taker: PlainTaker,
  budget?: PlainBudget,
): PlainOutcome[] {
  const copyOf = (queue: PlainOrder[]): PlainOrder[] => queue.map((order) => ({ ...order }));
  const copy: PlainBook = [copyOf(book[0]), copyOf(book[1])];
  return takePlain(copy, { ...taker }, budget === undefined ? undefined : { ...budget });
}

export type PlainLevel = { priceTicks: number; visibleLots: number; openLots: number };

export function levelsOfPlain(book: PlainBook, side: SideCode): PlainLevel[] {
  const levels: PlainLevel[] = [];
  for (const order of book[side]) {
    let level = levels.at(-1);
    if (level?.priceTicks !== order.priceTicks) {
      level = { priceTicks: order.priceTicks, visibleLots: 0, openLots: 0 };
      levels.push(level);
    }
    level.visibleLots += sliceOfPlain(order);
    level.openLots += order.openLots;
  }
  return levels;
}

/** The orders that self-trade prevention ends, by the rule. */
function sliceOfPlain({ displayLots, totalLots, openLots }: PlainOrder): number {
  const filledLots = totalLots - openLots;
  return Math.min(displayLots - (filledLots % displayLots), openLots);
}

const acceptsPlain = (taker: PlainTaker, priceTicks: number): boolean =>
  taker.side === BUY ? priceTicks <= taker.limitTicks : priceTicks >= taker.limitTicks;

function wantedPlain(taker: PlainTaker, priceTicks: number, budget?: PlainBudget): number {
  if (budget === undefined) return taker.openLots;
  const lots = budget.amountParts / (BigInt(priceTicks) * budget.perTickLot);
  return lots < BigInt(taker.openLots) ? exactNumber(lots) : taker.openLots;
}
