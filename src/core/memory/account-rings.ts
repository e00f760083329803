import { ORDER_WORDS } from '../../domain/order-layout.ts';
import { NO_ORDER, type OrderSlot, type Orders } from './order-rows.ts';

/**
 * The open orders of an account form a ring, oldest first; the account keeps the first (NO_ORDER if it has
 * none).
 *
 * The links are stored beside the rows, eight bytes per order: adding or removing an order touches two
 * neighbours, whose rows are not needed at that moment and would each cost a cache miss.
 */

/** Links the newest order. Returns the first of the account. */
export function linkToAccount(orders: Orders, first: OrderSlot, slot: OrderSlot): OrderSlot {
  const { rings } = orders;
  const own = placeOf(slot);
  if (first === NO_ORDER) {
    rings[own] = slot;
    rings[own + NEXT] = slot;
    return slot;
  }
  const head = placeOf(first);
  const last = rings[head] as OrderSlot;
  rings[placeOf(last) + NEXT] = slot;
  rings[own] = last;
  rings[own + NEXT] = first;
  rings[head] = slot;
  return first;
}

/** Removes an order. Returns the first of the remaining ones. */
export function unlinkFromAccount(orders: Orders, first: OrderSlot, slot: OrderSlot): OrderSlot {
  const { rings } = orders;
  const own = placeOf(slot);
  const previous = rings[own] as OrderSlot;
  const next = rings[own + NEXT] as OrderSlot;
  if (next === slot) return NO_ORDER;
  rings[placeOf(previous) + NEXT] = next;
  rings[placeOf(next)] = previous;
  return slot === first ? next : first;
}

/** The order after this one in its account's list, or NO_ORDER after the last. */
export function nextOfAccount(orders: Orders, first: OrderSlot, slot: OrderSlot): OrderSlot {
  const next = orders.rings[placeOf(slot) + NEXT] as OrderSlot;
  return next === first ? NO_ORDER : next;
}

/** The order before this one; before the first it is the last. */
export const previousOfAccount = (orders: Orders, slot: OrderSlot): OrderSlot =>
  orders.rings[placeOf(slot)] as OrderSlot;

/** The position of an order's links: the one before it, then the one after it. */
const placeOf = (slot: OrderSlot): number => ((slot / ROW_WORDS) | 0) * 2;
const NEXT = 1;
/** A constant of this file is also one in the machine code: dividing by it becomes a multiplication. */
const ROW_WORDS = ORDER_WORDS;
