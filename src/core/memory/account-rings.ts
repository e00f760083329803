import { ORDER_WORDS } from '../../domain/order-layout.ts';
import { NO_ORDER, type OrderSlot, type Orders } from './order-rows.ts';

/**
 * The open orders of an account are a ring, oldest first, of which the account keeps the first (NO_ORDER
 * when it has none).
 *
 * Its links stand beside the rows, eight bytes an order: who comes and goes touches two neighbours, whose
 * rows nobody needs at that moment and which would each be a line fetched from far away.
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

/** Takes an order out. Returns the first of those that are left. */
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

/** Where the links of an order stand: the one before it, then the one after it. */
const placeOf = (slot: OrderSlot): number => ((slot / ROW_WORDS) | 0) * 2;
const NEXT = 1;
/** A constant of this file is one of the machine code, too: a division by it is a multiplication. */
const ROW_WORDS = ORDER_WORDS;
