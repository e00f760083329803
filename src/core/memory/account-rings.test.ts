import { expect, test } from 'vitest';
import {
  linkToAccount,
  nextOfAccount,
  previousOfAccount,
  unlinkFromAccount,
} from './account-rings.ts';
import { NO_ORDER, newOrders, type OrderSlot, openOrder, orderIdOf } from './order-rows.ts';

test('the orders of an account are listed oldest first, whichever of them go', () => {
  const orders = newOrders(4);
  const slots = [1, 2, 3, 4].map((id) => openOrder(orders, id));
  let first = NO_ORDER;
  const listed = (): number[] => {
    const ids: number[] = [];
    for (let at = first; at !== NO_ORDER; at = nextOfAccount(orders, first, at)) {
      ids.push(orderIdOf(orders, at));
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

test('the list is read backwards from the newest, also after the store has grown', () => {
  const orders = newOrders(2);
  let first = NO_ORDER;
  for (let id = 1; id <= 100; id++) first = linkToAccount(orders, first, openOrder(orders, id));
  const ids: number[] = [];
  for (let slot = previousOfAccount(orders, first); ; slot = previousOfAccount(orders, slot)) {
    ids.push(orderIdOf(orders, slot));
    if (slot === first) break;
  }
  expect(ids).toEqual(Array.from({ length: 100 }, (_, at) => 100 - at));
});
