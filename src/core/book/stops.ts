/**
 * Untriggered stops of one market: a binary heap for each trigger type and side.
 *
 * BUY stops trigger by rising stop price and SELL stops by falling, then by order id; the top of the heap is
 * always the next one. An order stores its position in its heap, so removal needs no search. Adding and
 * removing cost O(log n); checking whether one has triggered costs O(1).
 */

import { assert } from '../../domain/assert.ts';
import {
  BUY,
  opposite,
  SELL,
  type SideCode,
  TRIGGER_LAST_PRICE,
  type TriggerCode,
} from '../../domain/order-codes.ts';
import type { Ticks } from '../../domain/units.ts';
import {
  isWaiting,
  NO_ORDER,
  type OrderSlot,
  type Orders,
  orderIdOf,
  placeOf,
  setPlace,
  sideOf,
  stopTicksOf,
  triggerTypeOf,
} from '../memory/order-rows.ts';
import { keyOf, NONE } from './ladder.ts';

export type Stops = {
  /** By trigger x 2 + side. */
  readonly heaps: StopHeap[];
};

export type StopHeap = { slots: Int32Array; count: number };

export function newStops(): Stops {
  return { heaps: [0, 1, 2, 3].map(() => ({ slots: new Int32Array(16), count: 0 })) };
}

/** Adds an order; its trigger, side, stop price and id are its own fields. */
export function addStop(stops: Stops, orders: Orders, slot: OrderSlot): void {
  assert(placeOf(orders, slot) === NONE, 'an order waits in one place');
  const heap = heapOf(stops, orders, slot);
  if (heap.count === heap.slots.length) {
    const bigger = new Int32Array(heap.count * 2);
    bigger.set(heap.slots);
    heap.slots = bigger;
  }
  rise(heap, orders, heap.count++, slot);
}

export function removeStop(stops: Stops, orders: Orders, slot: OrderSlot): void {
  assert(isWaiting(orders, slot), 'only what waits is removed');
  const heap = heapOf(stops, orders, slot);
  const at = positionOf(orders, slot);
  const last = heap.slots[--heap.count] as OrderSlot;
  setPlace(orders, slot, NONE);
  if (last === slot) return;
  // The last order takes the free position, then moves up or down to where it belongs.
  rise(heap, orders, at, last);
  if (positionOf(orders, last) === at) sink(heap, orders, at, last);
}

/** A price that stops of one trigger type and side are compared with; 0 while there is none. */
export type TriggerPrice = {
  readonly trigger: TriggerCode;
  readonly side: SideCode;
  readonly priceTicks: number;
};

/** The next order that this price triggers, or NO_ORDER. It stays in its heap until it is removed. */
export function nextFired(stops: Stops, orders: Orders, price: TriggerPrice): OrderSlot {
  const { trigger, side, priceTicks } = price;
  if (priceTicks === 0) return NO_ORDER;
  const heap = stops.heaps[trigger * 2 + side] as StopHeap;
  if (heap.count === 0) return NO_ORDER;
  const slot = heap.slots[0] as OrderSlot;
  return keyOfStop(orders, slot) <= keyOf(opposite(side), priceTicks as Ticks) ? slot : NO_ORDER;
}

/** Whether a new last price can trigger any of them. */
export const waitsForLastPrice = ({ heaps }: Stops): boolean =>
  (heaps[TRIGGER_LAST_PRICE * 2 + BUY]?.count ?? 0) > 0 ||
  (heaps[TRIGGER_LAST_PRICE * 2 + SELL]?.count ?? 0) > 0;

/** BUY stops are ordered like asks, SELL stops like bids: the next to fire has the smallest key. */
const keyOfStop = (orders: Orders, slot: OrderSlot): number =>
  keyOf(opposite(sideOf(orders, slot)), stopTicksOf(orders, slot));

function isBefore(orders: Orders, a: OrderSlot, b: OrderSlot): boolean {
  const difference = keyOfStop(orders, a) - keyOfStop(orders, b);
  if (difference !== 0) return difference < 0;
  return orderIdOf(orders, a) < orderIdOf(orders, b);
}

/** Puts an order at a free place, or as far above it as it belongs. */
function rise(heap: StopHeap, orders: Orders, from: number, slot: OrderSlot): void {
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap.slots[above] as OrderSlot;
    if (!isBefore(orders, slot, other)) break;
    put(heap, orders, at, other);
    at = above;
  }
  put(heap, orders, at, slot);
}

/** Puts an order at a free place, or as far below it as it belongs. */
function sink(heap: StopHeap, orders: Orders, from: number, slot: OrderSlot): void {
  let at = from;
  for (let below = 2 * at + 1; below < heap.count; below = 2 * at + 1) {
    let other = heap.slots[below] as OrderSlot;
    const right = below + 1;
    if (right < heap.count && isBefore(orders, heap.slots[right] as OrderSlot, other)) {
      other = heap.slots[right] as OrderSlot;
      below = right;
    }
    if (!isBefore(orders, other, slot)) break;
    put(heap, orders, at, other);
    at = below;
  }
  put(heap, orders, at, slot);
}

function put(heap: StopHeap, orders: Orders, at: number, slot: OrderSlot): void {
  heap.slots[at] = slot;
  setPlace(orders, slot, -2 - at);
}

const heapOf = (stops: Stops, orders: Orders, slot: OrderSlot): StopHeap =>
  stops.heaps[triggerTypeOf(orders, slot) * 2 + sideOf(orders, slot)] as StopHeap;

const positionOf = (orders: Orders, slot: OrderSlot): number => -2 - placeOf(orders, slot);
