/**
 * A taker meets the book, one maker at a time: best price first, oldest first, slice by slice.
 *
 * The caller drives the loop: `nextMatch` finds the next maker and changes nothing; the caller settles (or
 * closes what self-trade prevention ends), then calls `applyMatch` and asks again. So the book does not know
 * money, and nothing is allocated. The loop ends when the taker is filled, no price is acceptable, or the
 * book is empty.
 */

import {
  BUY,
  opposite,
  type SideCode,
  STP_EXPIRE_MAKER,
  STP_EXPIRE_TAKER,
  STP_NONE,
  type StpCode,
} from '../../domain/order-codes.ts';
import type { FamilyIndex, Lots, Ticks } from '../../domain/units.ts';
import {
  familyOf,
  NO_ORDER,
  type OrderSlot,
  type Orders,
  visibleLotsOf,
} from '../memory/order-rows.ts';
import { type Book, bestLevel, bestTicks, fillResting, NO_LEVEL } from './book.ts';

/** Reused: the caller fills it in for each order. */
export type Taker = {
  side: SideCode;
  /** The worst price it accepts; a market order's protective price. */
  limitTicks: Ticks;
  openLots: Lots;
  account: number;
  family: FamilyIndex;
  stpMode: StpCode;
  /** Never takes more than the opposite position of its account. */
  onlyReduces: boolean;
};

/** The maker that the taker meets, at which price, for how many lots; 0 lots if they must not trade. */
export type Match = {
  maker: OrderSlot;
  priceTicks: Ticks;
  lots: Lots;
  /** For whoever settles it (risk/match-amounts.ts); the book does not use them. */
  readonly amounts: BigInt64Array;
};

/** The taker is filled, or no order has a price it accepts. */
export const MEETS_NOBODY = 0;
/** They trade. Settle, then `applyMatch`. */
export const MEETS_MAKER = 1;
/** Own order: remove and close the maker, then continue. */
export const EXPIRES_MAKER = 2;
/** Own order: the rest of the taker closes, the maker stays. */
export const EXPIRES_TAKER = 3;
/** Own order: both close. */
export const EXPIRES_BOTH = 4;
export type Meeting =
  | typeof MEETS_NOBODY
  | typeof MEETS_MAKER
  | typeof EXPIRES_MAKER
  | typeof EXPIRES_TAKER
  | typeof EXPIRES_BOTH;

export const newTaker = (): Taker => ({
  side: BUY,
  limitTicks: 0 as Ticks,
  openLots: 0 as Lots,
  account: 0,
  family: 0 as FamilyIndex,
  stpMode: STP_NONE,
  onlyReduces: false,
});

export const newMatch = (): Match => ({
  maker: NO_ORDER,
  priceTicks: 0 as Ticks,
  lots: 0 as Lots,
  amounts: new BigInt64Array(AMOUNTS),
});
const AMOUNTS = 8;

/** Finds the next maker. Changes only `match`. */
export function nextMatch(book: Book, orders: Orders, taker: Taker, match: Match): Meeting {
  const level = bestLevel(book, opposite(taker.side));
  if (level === NO_LEVEL || taker.openLots === 0) return MEETS_NOBODY;
  const priceTicks = book.levels.priceTicks[level] as Ticks;
  if (!accepts(taker, priceTicks)) return MEETS_NOBODY;
  const maker = book.levels.firstOrder[level] as OrderSlot;
  match.maker = maker;
  match.priceTicks = priceTicks;
  if (isOwn(orders, taker, maker)) {
    match.lots = 0 as Lots;
    return ownMeeting(taker.stpMode);
  }
  const visibleLots = visibleLotsOf(orders, maker);
  match.lots = visibleLots < taker.openLots ? visibleLots : taker.openLots;
  return MEETS_MAKER;
}

/** Applies a match. Returns whether the maker is filled and has left the book. */
export function applyMatch(book: Book, orders: Orders, taker: Taker, match: Match): boolean {
  taker.openLots = (taker.openLots - match.lots) as Lots;
  return fillResting(book, orders, match.maker, match.lots);
}

/** Whether an order at this price would match at once, which a post-only order must not. */
export function wouldTake(book: Book, side: SideCode, priceTicks: Ticks): boolean {
  const best = bestTicks(book, opposite(side));
  if (best === undefined) return false;
  return side === BUY ? priceTicks >= best : priceTicks <= best;
}

export const accepts = (taker: Taker, priceTicks: Ticks): boolean =>
  taker.side === BUY ? priceTicks <= taker.limitTicks : priceTicks >= taker.limitTicks;

/** Whether the taker's mode forbids this maker of its own family. */
export const isOwn = (orders: Orders, taker: Taker, maker: OrderSlot): boolean =>
  taker.stpMode !== STP_NONE && familyOf(orders, maker) === taker.family;

function ownMeeting(stpMode: StpCode): Meeting {
  if (stpMode === STP_EXPIRE_MAKER) return EXPIRES_MAKER;
  return stpMode === STP_EXPIRE_TAKER ? EXPIRES_TAKER : EXPIRES_BOTH;
}
