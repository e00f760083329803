import { expect, test } from 'vitest';
import {
  BUY,
  SELL,
  type SideCode,
  TRIGGER_LAST_PRICE,
  TRIGGER_MARK_PRICE,
  type TriggerCode,
} from '../../domain/order-codes.ts';
import {
  closeOrder,
  isWaiting,
  NO_ORDER,
  newOrders,
  type OrderSlot,
  type Orders,
  openOrder,
  orderIdOf,
  setSide,
  setStopTicks,
  setTriggerType,
} from '../memory/order-rows.ts';
import { addStop, newStops, nextFired, removeStop, type Stops } from './stops.ts';

type Stop = { id: number; trigger: TriggerCode; side: SideCode; stopTicks: number };

function wait(stops: Stops, orders: Orders, stop: Stop): OrderSlot {
  const slot = openOrder(orders, stop.id);
  setTriggerType(orders, slot, stop.trigger);
  setSide(orders, slot, stop.side);
  setStopTicks(orders, slot, stop.stopTicks);
  addStop(stops, orders, slot);
  return slot;
}

function fire(
  stops: Stops,
  orders: Orders,
  trigger: TriggerCode,
  side: SideCode,
  priceTicks: number,
): number[] {
  const ids: number[] = [];
  for (;;) {
    const slot = nextFired(stops, orders, { trigger, side, priceTicks });
    if (slot === NO_ORDER) return ids;
    ids.push(orderIdOf(orders, slot));
    removeStop(stops, orders, slot);
    expect(isWaiting(orders, slot)).toBe(false);
    closeOrder(orders, slot);
  }
}

test('BUY stops fire by rising and SELL stops by falling stop price, then by id', () => {
  const stops = newStops();
  const orders = newOrders();
  const rows: [number, TriggerCode, SideCode, number][] = [
    [5, TRIGGER_MARK_PRICE, BUY, 110],
    [4, TRIGGER_MARK_PRICE, BUY, 105],
    [3, TRIGGER_MARK_PRICE, BUY, 110],
    [6, TRIGGER_MARK_PRICE, BUY, 111],
    [7, TRIGGER_MARK_PRICE, SELL, 90],
    [9, TRIGGER_MARK_PRICE, SELL, 95],
    [8, TRIGGER_MARK_PRICE, SELL, 95],
    [1, TRIGGER_LAST_PRICE, BUY, 100],
  ];
  for (const [id, trigger, side, stopTicks] of rows) {
    wait(stops, orders, { id, trigger, side, stopTicks });
  }
  expect(fire(stops, orders, TRIGGER_MARK_PRICE, BUY, 104)).toEqual([]);
  expect(fire(stops, orders, TRIGGER_MARK_PRICE, BUY, 110)).toEqual([4, 3, 5]);
  expect(fire(stops, orders, TRIGGER_MARK_PRICE, SELL, 96)).toEqual([]);
  expect(fire(stops, orders, TRIGGER_MARK_PRICE, SELL, 95)).toEqual([8, 9]);
  expect(fire(stops, orders, TRIGGER_MARK_PRICE, SELL, 1)).toEqual([7]);
  expect(fire(stops, orders, TRIGGER_LAST_PRICE, SELL, 1)).toEqual([]);
  expect(fire(stops, orders, TRIGGER_LAST_PRICE, BUY, 2 ** 53 - 1)).toEqual([1]);
});

test('whatever comes, goes and fires, the stops that wait fire in the order of a sorted list', {
  timeout: 300_000,
}, () => {
  const stops = newStops();
  const orders = newOrders(4);
  const waiting = new Map<Stop, OrderSlot>();
  let random = 7;
  const below = (bound: number): number => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return (random >>> 8) % bound;
  };
  for (let step = 0; step < 20_000; step++) {
    const trigger = below(2) as TriggerCode;
    const side = below(2) as SideCode;
    const action = below(20);
    if (action < 12) {
      // Ids out of order: an amended stop keeps its id and comes anew.
      const id = step ^ 0b1010;
      const stop = { id, trigger, side, stopTicks: 1000 + below(200) };
      waiting.set(stop, wait(stops, orders, stop));
    } else if (action < 19) {
      const chosen = [...waiting][below(Math.max(1, waiting.size))];
      if (chosen === undefined) continue;
      removeStop(stops, orders, chosen[1]);
      closeOrder(orders, chosen[1]);
      waiting.delete(chosen[0]);
    } else {
      const price = side === BUY ? 900 + below(200) : 1100 + below(200);
      const sign = side === BUY ? 1 : -1;
      const fired = [...waiting.keys()]
        .filter((stop) => stop.trigger === trigger && stop.side === side)
        .filter(({ stopTicks }) => sign * stopTicks <= sign * price)
        .sort((a, b) => sign * (a.stopTicks - b.stopTicks) || a.id - b.id);
      const ids = fired.map(({ id }) => id);
      expect(fire(stops, orders, trigger, side, price)).toEqual(ids);
      for (const stop of fired) waiting.delete(stop);
    }
  }
});
