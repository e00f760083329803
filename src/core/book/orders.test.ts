import { expect, test } from 'vitest';
import {
  closeOrder,
  linkToAccount,
  NO_ORDER,
  newOrders,
  nextOfAccount,
  type OrderSlot,
  type Orders,
  openOrder,
  slotOf,
  unlinkFromAccount,
  wipeOrder,
} from './orders.ts';

const FIRST_ID = 1_000_000_000_001;
/** Hundreds of thousands of orders: a second alone, more on a busy machine. */
const SLOW = { timeout: 60_000 };

test('an order is found by its id while it is open, and not after', SLOW, () => {
  const orders = newOrders(4);
  const open = new Map<number, OrderSlot>();
  const lost: number[] = [];
  let random = 1;
  for (let id = FIRST_ID; id < FIRST_ID + 200_000; id++) {
    open.set(id, openOrder(orders, id));
    random = Math.imul(random, 1_664_525) + 1_013_904_223;
    // Closes one of the last thousand ids, so that old and new lie mixed in the table.
    const victim = id - ((random >>> 8) % 1000);
    const slot = open.get(victim);
    if (slotOf(orders, victim) !== (slot ?? NO_ORDER)) lost.push(victim);
    if (slot === undefined) continue;
    closeOrder(orders, slot);
    open.delete(victim);
    if (slotOf(orders, victim) !== NO_ORDER) lost.push(victim);
  }
  for (const [id, slot] of open) if (slotOf(orders, id) !== slot) lost.push(id);
  expect(lost).toEqual([]);
  expect(orders.openCount).toBe(open.size);
  expect(orders.index.table.filter((entry) => entry !== 0)).toHaveLength(open.size);
});

test('a venue that runs for long with few orders stays small', SLOW, () => {
  const orders = newOrders(4);
  for (let id = FIRST_ID; id < FIRST_ID + 1_000_000; id++) {
    openOrder(orders, id);
    if (id >= FIRST_ID + 100) closeOrder(orders, slotOf(orders, id - 100));
  }
  expect(orders.usedSlots).toBe(101);
  expect(orders.index.table).toHaveLength(1024);
});

test('rows keep what they hold when the store grows', () => {
  const orders = newOrders(2);
  for (let n = 0; n < 100; n++) {
    const slot = openOrder(orders, FIRST_ID + n);
    orders.heldParts[slot] = BigInt(n);
    orders.priceTicks[slot] = n;
    orders.account[slot] = n;
    orders.side[slot] = n % 2;
  }
  for (let n = 0; n < 100; n++) {
    const slot = slotOf(orders, FIRST_ID + n);
    expect(orders.heldParts[slot]).toBe(BigInt(n));
    expect(orders.priceTicks[slot]).toBe(n);
    expect(orders.account[slot]).toBe(n);
    expect(orders.side[slot]).toBe(n % 2);
  }
});

test('a wiped row says nothing of the order before', () => {
  const LINKS = ['previous', 'next', 'place', 'previousOfAccount', 'nextOfAccount', 'orderId'];
  const orders = newOrders(1);
  const columns = Object.entries(orders).filter(([, column]) => ArrayBuffer.isView(column));
  const slot = openOrder(orders, FIRST_ID);
  for (const [, column] of columns) {
    if (column instanceof BigInt64Array) column[slot] = 1n;
    else (column as Float64Array)[slot] = 1;
  }
  wipeOrder(orders, slot);
  const kept = columns.filter(([, column]) => (column as Float64Array)[slot]).map(([name]) => name);
  expect(kept.toSorted()).toEqual(LINKS.toSorted());
});

test('an open order costs fewer than 300 bytes, even just after the store has grown', SLOW, () => {
  const orders = newOrders();
  let worst = 0;
  for (let count = 1; count <= 400_000; count++) {
    openOrder(orders, count);
    if (count > 10_000 && count % 1000 === 0) worst = Math.max(worst, bytesOf(orders) / count);
  }
  expect(worst).toBeLessThan(300);
});

function bytesOf(orders: Orders): number {
  const columns = Object.values(orders).filter((column) => ArrayBuffer.isView(column));
  return columns.reduce((sum, column) => sum + column.byteLength, orders.index.table.byteLength);
}

test('the orders of an account are listed oldest first, whichever of them go', () => {
  const orders = newOrders(4);
  const slots = [1, 2, 3, 4].map((id) => openOrder(orders, id));
  let first = NO_ORDER;
  const listed = (): number[] => {
    const ids: number[] = [];
    for (let at = first; at !== NO_ORDER; at = nextOfAccount(orders, first, at)) {
      ids.push(orders.orderId[at] as number);
    }
    return ids;
  };
  for (const slot of slots) first = linkToAccount(orders, first, slot);
  expect(listed()).toEqual([1, 2, 3, 4]);
  const steps = [
    [2, [1, 2, 4]],
    [0, [2, 4]],
    [3, [2]],
    [1, []],
  ] as const;
  for (const [at, left] of steps) {
    first = unlinkFromAccount(orders, first, slots[at] as OrderSlot);
    expect(listed()).toEqual(left);
  }
});
