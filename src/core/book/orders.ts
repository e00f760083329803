/**
 * Every open order of the venue, as columns: an order is a slot, a row across typed arrays.
 *
 * Plain data, so that a snapshot writes and restores it without knowing what it is. An order needs
 * no memory but its row of 179 bytes and 8 to 16 in the index of ids: its links in the price level,
 * in the heap of stops and in the list of its account are columns too. Everything is O(1), but for
 * the growth of the columns by half when they are full.
 */
import { assert } from '../../domain/assert.ts';
import { FLAG_REDUCE_ONLY } from '../../domain/order-codec.ts';
import { NONE } from './ladder.ts';
import {
  enterOrder,
  findOrder,
  newOrderIndex,
  type OrderIndex,
  removeOrder,
} from './order-index.ts';

declare const unit: unique symbol;
/** An order's row. */
export type OrderSlot = number & { readonly [unit]: 'orderSlot' };

export const NO_ORDER = NONE as OrderSlot;

/** An order that never adds to a position. */
export const isReduceOnly = (orders: Orders, slot: OrderSlot): boolean =>
  ((orders.flags[slot] as number) & FLAG_REDUCE_ONLY) !== 0;

export type Orders = Columns & {
  /** How many are open. */
  openCount: number;
  /** Slots ever used: those from here to the capacity are untouched. */
  usedSlots: number;
  /** Head of the list of free slots, linked by `next`. */
  freeSlot: OrderSlot;
  readonly index: OrderIndex;
};

type Columns = ReturnType<typeof newColumns>;

/** Lots and ticks are safe integers; parts are 64-bit amounts of an asset. */
const newColumns = (capacity: number) => ({
  orderId: new Float64Array(capacity),
  clientOrderId: new BigInt64Array(capacity),
  account: new Int32Array(capacity),
  family: new Int32Array(capacity),
  market: new Int32Array(capacity),
  side: new Uint8Array(capacity),
  orderType: new Uint8Array(capacity),
  timeInForce: new Uint8Array(capacity),
  stpMode: new Uint8Array(capacity),
  triggerType: new Uint8Array(capacity),
  source: new Uint8Array(capacity),
  flags: new Uint8Array(capacity),

  priceTicks: new Float64Array(capacity),
  stopTicks: new Float64Array(capacity),
  totalLots: new Float64Array(capacity),
  /** Not yet filled, hidden part included. */
  openLots: new Float64Array(capacity),
  /** The size of an iceberg's slice; the total for an order that shows itself whole. */
  displayLots: new Float64Array(capacity),
  /** What is left of the slice that stands in the book. */
  visibleLots: new Float64Array(capacity),

  /** What the ledger still holds for it. */
  heldParts: new BigInt64Array(capacity),
  /** The counter amount of an amount order. */
  amountParts: new BigInt64Array(capacity),
  /** Sum of price x quantity of its matches, for the average price. */
  filledCostParts: new BigInt64Array(capacity),
  feeNativeParts: new BigInt64Array(capacity),
  feeUsdtParts: new BigInt64Array(capacity),
  feeOtherParts: new BigInt64Array(capacity),
  feeOtherAsset: new Int32Array(capacity),

  createdAtMs: new Float64Array(capacity),
  lastModifiedAtMs: new Float64Array(capacity),
  lastMatchedAtMs: new Float64Array(capacity),

  /** Neighbours in the price level. */
  previous: new Int32Array(capacity),
  next: new Int32Array(capacity),
  /** In the book: its level. Waiting in the heap of stops at p: -2 - p. Nowhere: -1. */
  place: new Int32Array(capacity),
  /** Neighbours in the ring of the account's open orders. */
  previousOfAccount: new Int32Array(capacity),
  nextOfAccount: new Int32Array(capacity),
});

export function newOrders(capacity = 1024): Orders {
  return {
    ...newColumns(capacity),
    openCount: 0,
    usedSlots: 0,
    freeSlot: NO_ORDER,
    index: newOrderIndex(),
  };
}

/**
 * A row for a new order, which is nowhere yet. A row is given again after its order has closed and
 * is not wiped, because whoever places an order writes every column; one who does not, wipes first.
 */
export function openOrder(orders: Orders, orderId: number): OrderSlot {
  let slot = orders.freeSlot;
  if (slot === NO_ORDER) {
    if (orders.usedSlots === orders.orderId.length) growColumns(orders);
    slot = orders.usedSlots++ as OrderSlot;
  } else {
    orders.freeSlot = orders.next[slot] as OrderSlot;
  }
  orders.openCount++;
  orders.orderId[slot] = orderId;
  orders.place[slot] = NONE;
  enterOrder(orders.index, orders.orderId, slot);
  return slot;
}

/** Zeroes what the venue says about an order: every column but its id and its links. */
export function wipeOrder(orders: Orders, slot: OrderSlot): void {
  orders.clientOrderId[slot] = 0n;
  orders.account[slot] = 0;
  orders.family[slot] = 0;
  orders.market[slot] = 0;
  orders.side[slot] = 0;
  orders.orderType[slot] = 0;
  orders.timeInForce[slot] = 0;
  orders.stpMode[slot] = 0;
  orders.triggerType[slot] = 0;
  orders.source[slot] = 0;
  orders.flags[slot] = 0;
  orders.priceTicks[slot] = 0;
  orders.stopTicks[slot] = 0;
  orders.totalLots[slot] = 0;
  orders.openLots[slot] = 0;
  orders.displayLots[slot] = 0;
  orders.visibleLots[slot] = 0;
  orders.heldParts[slot] = 0n;
  orders.amountParts[slot] = 0n;
  orders.filledCostParts[slot] = 0n;
  orders.feeNativeParts[slot] = 0n;
  orders.feeUsdtParts[slot] = 0n;
  orders.feeOtherParts[slot] = 0n;
  orders.feeOtherAsset[slot] = 0;
  orders.createdAtMs[slot] = 0;
  orders.lastModifiedAtMs[slot] = 0;
  orders.lastMatchedAtMs[slot] = 0;
}

/** Gives the row back. The order has left its book, the stops and its account's list before. */
export function closeOrder(orders: Orders, slot: OrderSlot): void {
  assert(
    orders.place[slot] === NONE,
    'an order that closes is in no book and waits for no trigger',
  );
  removeOrder(orders.index, orders.orderId, slot);
  orders.next[slot] = orders.freeSlot;
  orders.freeSlot = slot;
  orders.openCount--;
}

/** The open order of an id, or NO_ORDER. */
export const slotOf = (orders: Orders, orderId: number): OrderSlot =>
  findOrder(orders.index, orders.orderId, orderId) as OrderSlot;

export const isResting = (orders: Orders, slot: OrderSlot): boolean =>
  (orders.place[slot] as number) > NONE;

export const isWaiting = (orders: Orders, slot: OrderSlot): boolean =>
  (orders.place[slot] as number) < NONE;

/**
 * The open orders of an account are a ring, oldest first, of which the account keeps the first
 * (NO_ORDER when it has none). Both functions answer the first as it is afterwards.
 */
export function linkToAccount(orders: Orders, first: OrderSlot, slot: OrderSlot): OrderSlot {
  const { previousOfAccount, nextOfAccount } = orders;
  if (first === NO_ORDER) {
    previousOfAccount[slot] = slot;
    nextOfAccount[slot] = slot;
    return slot;
  }
  const last = previousOfAccount[first] as OrderSlot;
  nextOfAccount[last] = slot;
  previousOfAccount[slot] = last;
  nextOfAccount[slot] = first;
  previousOfAccount[first] = slot;
  return first;
}

export function unlinkFromAccount(orders: Orders, first: OrderSlot, slot: OrderSlot): OrderSlot {
  const { previousOfAccount, nextOfAccount } = orders;
  const previous = previousOfAccount[slot] as OrderSlot;
  const next = nextOfAccount[slot] as OrderSlot;
  if (next === slot) return NO_ORDER;
  nextOfAccount[previous] = next;
  previousOfAccount[next] = previous;
  return slot === first ? next : first;
}

/** The order after this one in its account's list, or NO_ORDER after the last. */
export function nextOfAccount(orders: Orders, first: OrderSlot, slot: OrderSlot): OrderSlot {
  const next = orders.nextOfAccount[slot] as OrderSlot;
  return next === first ? NO_ORDER : next;
}

/** By half, so that the unused part of the columns never costs more than half of the used. */
function growColumns(orders: Orders): void {
  const bigger = newColumns(Math.floor((orders.orderId.length * 3) / 2));
  for (const name of Object.keys(bigger) as (keyof Columns)[]) {
    (bigger[name] as Float64Array).set(orders[name] as Float64Array);
  }
  Object.assign(orders, bigger);
}
