import { expect, test } from 'vitest';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import { lots, ticks } from '../../domain/units.ts';
import { auditBook } from '../audit/audit-book.ts';
import {
  closeOrder,
  isResting,
  NO_ORDER,
  newOrders,
  nextOf,
  type OrderSlot,
  openOrder,
  orderIdOf,
  setDisplayLots,
  setOpenLots,
  setPriceTicks,
  setSide,
  setTotalLots,
  visibleLotsOf,
} from '../memory/order-rows.ts';
import {
  bestTicks,
  depthOf,
  fillResting,
  levelAt,
  NO_LEVEL,
  newBook,
  removeResting,
  rest,
  shrinkResting,
} from './book.ts';

type Resting = {
  side?: SideCode;
  ticks?: number;
  total?: number;
  display?: number;
  filled?: number;
};

function newVenue() {
  const book = newBook();
  const orders = newOrders(2);
  let lastId = 0;
  const add = ({ side = SELL, ticks = 100, total = 10, display = total, filled = 0 }: Resting) => {
    const slot = openOrder(orders, ++lastId);
    setSide(orders, slot, side);
    setPriceTicks(orders, slot, ticks);
    setTotalLots(orders, slot, total);
    setOpenLots(orders, slot, total - filled);
    setDisplayLots(orders, slot, display);
    rest(book, orders, slot);
    return slot;
  };
  const queue = (side: SideCode, priceTicks: number): number[] => {
    const ids: number[] = [];
    const level = levelAt(book, side, ticks(priceTicks));
    let slot = level === NO_LEVEL ? NO_ORDER : (book.levels.firstOrder[level] as OrderSlot);
    for (; slot >= 0; slot = nextOf(orders, slot)) ids.push(orderIdOf(orders, slot));
    return ids;
  };
  const shown = (slot: OrderSlot): number => visibleLotsOf(orders, slot);
  return { book, orders, add, queue, shown };
}

test('the visible slice is the display less what is filled of it, or the remainder', () => {
  const rows: [total: number, display: number, filled: number, slice: number][] = [
    [10, 10, 0, 10],
    [10, 10, 4, 6],
    [100, 10, 0, 10],
    [100, 10, 7, 3],
    [100, 10, 10, 10],
    [100, 10, 95, 5],
    [25, 10, 20, 5],
    [25, 10, 19, 1],
    [5, 1, 3, 1],
  ];
  for (const [total, display, filled, slice] of rows) {
    const { add, shown } = newVenue();
    expect(shown(add({ total, display, filled }))).toBe(slice);
  }
});

test('an iceberg goes to the back of its price when its slice is exhausted, and not before', () => {
  const { book, orders, add, queue, shown } = newVenue();
  const iceberg = add({ total: 25, display: 10 });
  add({ total: 5 });
  const steps: [fill: number, queue: number[], shown: number, isGone: boolean][] = [
    [4, [1, 2], 6, false],
    [6, [2, 1], 10, false],
    [10, [2, 1], 5, false],
    [4, [2, 1], 1, false],
    [1, [2], 0, true],
  ];
  for (const [fill, after, slice, isGone] of steps) {
    expect(fillResting(book, orders, iceberg, lots(fill))).toBe(isGone);
    expect(queue(SELL, 100)).toEqual(after);
    expect(shown(iceberg)).toBe(slice);
    expect(auditBook(book, orders)).toEqual([]);
  }
  expect(isResting(orders, iceberg)).toBe(false);
});

test('the depth shows slices, best first, as many levels as requested', () => {
  const { book, add } = newVenue();
  add({ ticks: 102, total: 1 });
  add({ ticks: 101, total: 30, display: 7 });
  add({ ticks: 101, total: 5 });
  add({ ticks: 5_000_000_000, total: 2 });
  add({ side: BUY, ticks: 99, total: 3 });
  add({ side: BUY, ticks: 1, total: 4 });
  const asRows = (side: SideCode, levelsMax: number) =>
    depthOf(book, side, levelsMax).map(({ priceTicks, visibleLots }) => [priceTicks, visibleLots]);
  expect(asRows(SELL, 2)).toEqual([
    [101, 12],
    [102, 1],
  ]);
  expect(asRows(SELL, 9)).toHaveLength(3);
  expect(asRows(BUY, 9)).toEqual([
    [99, 3],
    [1, 4],
  ]);
});

test('an order leaves from anywhere in its queue, and an empty price disappears', () => {
  const { book, orders, add, queue } = newVenue();
  const slots = [add({}), add({}), add({}), add({ ticks: 105 })];
  for (const [at, left] of [
    [1, [1, 3]],
    [0, [3]],
    [2, []],
  ] as const) {
    removeResting(book, orders, slots[at] as OrderSlot);
    closeOrder(orders, slots[at] as OrderSlot);
    expect(queue(SELL, 100)).toEqual(left);
  }
  expect(bestTicks(book, SELL)).toBe(105);
  removeResting(book, orders, slots[3] as OrderSlot);
  expect(bestTicks(book, SELL)).toBeUndefined();
});

test('an order made smaller keeps its place, and never shows more than it has', () => {
  const { book, orders, add, queue, shown } = newVenue();
  const iceberg = add({ total: 30, display: 10, filled: 4 });
  add({});
  for (const [total, slice] of [
    [20, 6],
    [12, 6],
    [8, 4],
    [5, 1],
  ] as const) {
    shrinkResting(book, orders, iceberg, lots(total));
    expect(shown(iceberg)).toBe(slice);
    expect(queue(SELL, 100)).toEqual([1, 2]);
    expect(auditBook(book, orders)).toEqual([]);
  }
  expect(() => shrinkResting(book, orders, iceberg, lots(4))).toThrow('something open');
});

test('an order cannot rest twice, nor be removed or closed from where it is not', () => {
  const { book, orders, add } = newVenue();
  const slot = add({});
  expect(() => rest(book, orders, slot)).toThrow('one place');
  expect(() => closeOrder(orders, slot)).toThrow('in no book');
  removeResting(book, orders, slot);
  expect(() => removeResting(book, orders, slot)).toThrow('only what rests');
});
