/**
 * Order id -> slot, by open addressing with linear probing in one Int32Array.
 *
 * The table holds slots only; the id itself is read from the order, so an entry costs 4 bytes. At most half
 * of it is used. Removal moves the following entries back into the gap, so that no tombstones accumulate,
 * however long the venue runs. The hash reads the low 32 bits of an id: the venue assigns ids in sequence, so
 * nobody can choose them to collide.
 */

import { ORDER_OFFSETS, WORD_BYTES } from '../../domain/order-layout.ts';
import { indexAt, numberAt } from './columns.ts';

/** The word of an order's row that holds its id. */
const ID = ORDER_OFFSETS.orderId / WORD_BYTES;

export type OrderIndex = {
  /** slot + 1, or 0 for nothing. Its length is a power of two. */
  table: Int32Array;
  /** 32 - log2(length): the hash is the top bits of a product. */
  shift: number;
  count: number;
};

export function newOrderIndex(): OrderIndex {
  return { table: new Int32Array(1024), shift: 22, count: 0 };
}

/** The slot of an order id, or -1. */
export function findOrder(index: OrderIndex, numbers: Float64Array, orderId: number): number {
  const { table } = index;
  const mask = table.length - 1;
  for (let at = homeOf(orderId, index.shift); ; at = (at + 1) & mask) {
    const entry = indexAt(table, at);
    if (entry === 0 || numbers[entry - 1 + ID] === orderId) return entry - 1;
  }
}

/** Adds an order whose id is already set. */
export function enterOrder(index: OrderIndex, numbers: Float64Array, slot: number): void {
  if (index.count * 2 >= index.table.length) growTable(index, numbers);
  insert(index, numbers, slot);
  index.count++;
}

export function removeOrder(index: OrderIndex, numbers: Float64Array, slot: number): void {
  const { table, shift } = index;
  const mask = table.length - 1;
  let gap = homeOf(numberAt(numbers, slot + ID), shift);
  while (table[gap] !== slot + 1) gap = (gap + 1) & mask;
  for (let at = (gap + 1) & mask; ; at = (at + 1) & mask) {
    const entry = indexAt(table, at);
    if (entry === 0) break;
    // An entry may move into the gap unless the gap is before its home.
    const home = homeOf(numberAt(numbers, entry - 1 + ID), shift);
    if (((at - home) & mask) >= ((at - gap) & mask)) {
      table[gap] = entry;
      gap = at;
    }
  }
  table[gap] = 0;
  index.count--;
}

/**
 * Sixteen ids in sequence share a cache line, because orders of one time come and go together;
 * multiplication by 2^32 / golden ratio spreads the lines evenly over the table.
 */
const homeOf = (orderId: number, shift: number): number =>
  ((Math.imul(orderId >>> 4, 0x9e3779b1) >>> (shift + 4)) << 4) | (orderId & 15);

function insert(index: OrderIndex, numbers: Float64Array, slot: number): void {
  const { table } = index;
  const mask = table.length - 1;
  let at = homeOf(numberAt(numbers, slot + ID), index.shift);
  while (table[at] !== 0) at = (at + 1) & mask;
  table[at] = slot + 1;
}

function growTable(index: OrderIndex, numbers: Float64Array): void {
  const before = index.table;
  index.table = new Int32Array(before.length * 2);
  index.shift--;
  for (const entry of before) if (entry !== 0) insert(index, numbers, entry - 1);
}
