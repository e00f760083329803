import { expect, test } from 'vitest';
import {
  ORDER_FIELDS,
  ORDER_OFFSETS,
  ORDER_WORDS,
  type OrderField,
  RECORD_BYTES,
  RECORD_START,
  WORD_BYTES,
} from '../../domain/order-layout.ts';
import * as rows from './order-rows.ts';
import {
  accountOf,
  closeOrder,
  heldPartsOf,
  NO_ORDER,
  newOrders,
  type OrderSlot,
  type Orders,
  openOrder,
  orderIdOf,
  placeOf,
  priceTicksOf,
  setAccount,
  setHeldParts,
  setOrderId,
  setPriceTicks,
  setSide,
  sideOf,
  slotOf,
  wipeOrder,
} from './order-rows.ts';

const FIRST_ID = 1_000_000_000_001;
/** Hundreds of thousands of orders: a second alone, more on a busy machine. */
const SLOW = { timeout: 300_000 };

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
  expect(orders.usedWords).toBe(101 * ORDER_WORDS);
  expect(orders.index.table).toHaveLength(1024);
});

test('rows keep what they hold when the store grows', () => {
  const orders = newOrders(2);
  for (let n = 0; n < 100; n++) {
    const slot = openOrder(orders, FIRST_ID + n);
    setHeldParts(orders, slot, BigInt(n));
    setPriceTicks(orders, slot, n);
    setAccount(orders, slot, n);
    setSide(orders, slot, n % 2);
  }
  for (let n = 0; n < 100; n++) {
    const slot = slotOf(orders, FIRST_ID + n);
    expect(heldPartsOf(orders, slot)).toBe(BigInt(n));
    expect(priceTicksOf(orders, slot)).toBe(n);
    expect(accountOf(orders, slot)).toBe(n);
    expect(sideOf(orders, slot)).toBe(n % 2);
  }
});

test('a wiped row says nothing of the order before, but its id', () => {
  const orders = newOrders(1);
  const slot = openOrder(orders, FIRST_ID);
  orders.codes.fill(1, 0, ORDER_WORDS * WORD_BYTES);
  setOrderId(orders, slot, FIRST_ID);
  wipeOrder(orders, slot);
  const { place, orderId } = ORDER_OFFSETS;
  const isKept = (byte: number): boolean =>
    (byte >= place && byte < place + 4) || (byte >= orderId && byte < orderId + WORD_BYTES);
  const left = [...orders.codes].flatMap((value, byte) =>
    value === 0 || isKept(byte) ? [] : [byte],
  );
  expect(left).toEqual([]);
  expect([orderIdOf(orders, slot), placeOf(orders, slot)]).toEqual([FIRST_ID, NO_ORDER]);
});

test('every field has a place of its own in the row, reads what was written, and lies on its own kind', () => {
  const orders = newOrders(3);
  const slot = openOrder(orders, FIRST_ID);
  const next = openOrder(orders, FIRST_ID + 1);
  const names = Object.keys(ORDER_FIELDS) as OrderField[];
  const read = rows as unknown as Record<string, (orders: Orders, slot: OrderSlot) => unknown>;
  const write = rows as unknown as Record<
    string,
    (orders: Orders, slot: OrderSlot, value: unknown) => void
  >;
  const setter = (name: OrderField): string => `set${name[0]?.toUpperCase()}${name.slice(1)}`;
  // What only this file reads or writes is not exported.
  const fields = names.filter((name) => setter(name) in write && `${name}Of` in read);
  expect(fields.length).toBeGreaterThan(25);
  const sampleOf = (name: OrderField, at: number): number | bigint =>
    ORDER_FIELDS[name].kind === 'parts' ? BigInt(at + 1) : at + 1;
  fields.forEach((name, at) => {
    write[setter(name)]?.(orders, slot, sampleOf(name, at));
  });
  expect(fields.map((name) => read[`${name}Of`]?.(orders, slot))).toEqual(fields.map(sampleOf));
  expect(orderIdOf(orders, next)).toBe(FIRST_ID + 1);
  for (const name of names) {
    const bytes = { number: 8, parts: 8, index: 4, code: 1 }[ORDER_FIELDS[name].kind];
    expect(ORDER_OFFSETS[name] % bytes, name).toBe(0);
  }
});

test('the fields of the record lie side by side, on whole words', () => {
  const names = Object.keys(ORDER_FIELDS) as OrderField[];
  const inside = names.filter(
    (name) =>
      ORDER_OFFSETS[name] >= RECORD_START && ORDER_OFFSETS[name] < RECORD_START + RECORD_BYTES,
  );
  expect(inside).toEqual(names.filter((name) => ORDER_FIELDS[name].isRecord));
  expect([RECORD_START % WORD_BYTES, RECORD_BYTES % WORD_BYTES]).toEqual([0, 0]);
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
  return orders.codes.byteLength + orders.rings.byteLength + orders.index.table.byteLength;
}
