/**
 * Every open order of the venue, one row each in one block of memory.
 *
 * Four views read the same bytes, one for each kind of field (domain/order-layout.ts). A slot is the first
 * word of a row, so that reading a field is one addition and one load. Plain data: a snapshot writes the
 * block once. Everything is O(1), except for growing the block when it is full.
 */

import { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { writeRecord } from '../../domain/order-codec.ts';
import type { SideCode, StpCode, TriggerCode } from '../../domain/order-codes.ts';
import {
  type FieldOf,
  FLAG_REDUCE_ONLY,
  FLAG_TEXTS,
  ORDER_OFFSETS,
  ORDER_WORDS,
  type OrderTexts,
  RECORD_BYTES,
  RECORD_START,
  WORD_BYTES,
} from '../../domain/order-layout.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import type {
  AccountIndex,
  AssetIndex,
  FamilyIndex,
  Lots,
  MarketIndex,
  Ticks,
} from '../../domain/units.ts';
import {
  enterOrder,
  findOrder,
  newOrderIndex,
  type OrderIndex,
  removeOrder,
} from './order-index.ts';
import { forgetTexts, keepTexts, newTextTable, type TextTable } from './order-texts.ts';

declare const unit: unique symbol;
/** An order's row: the number of its first word. */
export type OrderSlot = number & { readonly [unit]: 'orderSlot' };

export const NO_ORDER = -1 as OrderSlot;

export type Orders = TextTable & {
  numbers: Float64Array;
  parts: BigInt64Array;
  indexes: Int32Array;
  codes: Uint8Array;
  /** How many are open. */
  openCount: number;
  /** Words of rows ever used: those from here to the capacity are untouched. */
  usedWords: number;
  /** Head of the list of free rows, linked by `next`. */
  freeSlot: OrderSlot;
  readonly index: OrderIndex;
  /** Neighbours in the account's list, two per row: see account-rings.ts. */
  rings: Int32Array;
};

export function newOrders(capacity = 1024): Orders {
  return {
    ...viewsOf(new ArrayBuffer(capacity * ORDER_WORDS * WORD_BYTES)),
    openCount: 0,
    usedWords: 0,
    freeSlot: NO_ORDER,
    index: newOrderIndex(),
    rings: new Int32Array(2 * capacity),
    ...newTextTable(),
  };
}

/**
 * A row for a new order, which is in no list yet. Rows are reused without clearing, because placing an order
 * writes every field; a caller that does not must clear first.
 */
export function openOrder(orders: Orders, orderId: number): OrderSlot {
  let slot = orders.freeSlot;
  if (slot === NO_ORDER) {
    if (orders.usedWords === orders.numbers.length) grow(orders);
    slot = orders.usedWords as OrderSlot;
    orders.usedWords += ORDER_WORDS;
  } else {
    orders.freeSlot = nextOf(orders, slot);
  }
  orders.openCount++;
  setOrderId(orders, slot, orderId);
  setPlace(orders, slot, NO_ORDER);
  enterOrder(orders.index, orders.numbers, slot);
  return slot;
}

/** Zeroes a row except its id, and marks it as in no list. */
export function wipeOrder(orders: Orders, slot: OrderSlot): void {
  const orderId = orderIdOf(orders, slot);
  orders.numbers.fill(0, slot, slot + ORDER_WORDS);
  setOrderId(orders, slot, orderId);
  setPlace(orders, slot, NO_ORDER);
}

/** Copies an order into another row, which keeps its own id and has no texts. */
export function copyRecord(from: Orders, source: OrderSlot, to: Orders, target: OrderSlot): void {
  const orderId = orderIdOf(to, target);
  wipeOrder(to, target);
  const record = from.codes.subarray(
    WORD_BYTES * source + RECORD_START,
    WORD_BYTES * source + RECORD_START + RECORD_BYTES,
  );
  to.codes.set(record, WORD_BYTES * target + RECORD_START);
  setOrderId(to, target, orderId);
  setFlags(to, target, flagsOf(to, target) & ~FLAG_TEXTS);
}

/** Fills the row from a record of an earlier event, with its texts; its id stays. */
export function setRecord(orders: Orders, slot: OrderSlot, order: OrderRecord): void {
  wipeOrder(orders, slot);
  const bytes = new ByteWriter(RECORD_BYTES);
  writeRecord(bytes, order);
  const record = bytes.view().subarray(0, RECORD_BYTES);
  orders.codes.set(record, WORD_BYTES * slot + RECORD_START);
  if (order.texts !== undefined) setTexts(orders, slot, order.texts);
}

/** Sets the order's texts; its account is already set. */
export function setTexts(orders: Orders, slot: OrderSlot, texts: OrderTexts): void {
  setFlags(orders, slot, flagsOf(orders, slot) | FLAG_TEXTS);
  keepTexts(orders, slot, accountOf(orders, slot), texts);
}

/** Frees the row. The order has already left its book, the stops and its account's list. */
export function closeOrder(orders: Orders, slot: OrderSlot): void {
  assert(
    placeOf(orders, slot) === NO_ORDER,
    'an order that closes is in no book and waits for no trigger',
  );
  if ((flagsOf(orders, slot) & FLAG_TEXTS) !== 0) {
    forgetTexts(orders, slot, accountOf(orders, slot));
  }
  removeOrder(orders.index, orders.numbers, slot);
  setNext(orders, slot, orders.freeSlot);
  orders.freeSlot = slot;
  orders.openCount--;
}

/** The open order of an id, or NO_ORDER. */
export const slotOf = (orders: Orders, orderId: number): OrderSlot =>
  findOrder(orders.index, orders.numbers, orderId) as OrderSlot;

/** An order that never adds to a position. */
export const isReduceOnly = (orders: Orders, slot: OrderSlot): boolean =>
  (flagsOf(orders, slot) & FLAG_REDUCE_ONLY) !== 0;

export const isResting = (orders: Orders, slot: OrderSlot): boolean =>
  placeOf(orders, slot) > NO_ORDER;

export const isWaiting = (orders: Orders, slot: OrderSlot): boolean =>
  placeOf(orders, slot) < NO_ORDER;

type Read<Value> = (orders: Orders, slot: OrderSlot) => Value;
type Write<Value> = (orders: Orders, slot: OrderSlot, value: Value) => void;

const words = (name: keyof typeof ORDER_OFFSETS): number => ORDER_OFFSETS[name] / WORD_BYTES;

/** Reads a field of each kind. The compiler inlines them: they cost what an index expression does. */
function number<Value extends number = number>(name: FieldOf<'number'>): Read<Value> {
  const word = words(name);
  return (orders, slot) => orders.numbers[slot + word] as Value;
}
function parts(name: FieldOf<'parts'>): Read<bigint> {
  const word = words(name);
  return (orders, slot) => orders.parts[slot + word] as bigint;
}
function index<Value extends number = number>(name: FieldOf<'index'>): Read<Value> {
  const half = 2 * words(name);
  return (orders, slot) => orders.indexes[2 * slot + half] as Value;
}
function code<Value extends number = number>(name: FieldOf<'code'>): Read<Value> {
  const byte = ORDER_OFFSETS[name];
  return (orders, slot) => orders.codes[WORD_BYTES * slot + byte] as Value;
}

function setNumber(name: FieldOf<'number'>): Write<number> {
  const word = words(name);
  return (orders, slot, value) => {
    orders.numbers[slot + word] = value;
  };
}
function setParts(name: FieldOf<'parts'>): Write<bigint> {
  const word = words(name);
  return (orders, slot, value) => {
    orders.parts[slot + word] = value;
  };
}
function setIndex(name: FieldOf<'index'>): Write<number> {
  const half = 2 * words(name);
  return (orders, slot, value) => {
    orders.indexes[2 * slot + half] = value;
  };
}
function setCode(name: FieldOf<'code'>): Write<number> {
  const byte = ORDER_OFFSETS[name];
  return (orders, slot, value) => {
    orders.codes[WORD_BYTES * slot + byte] = value;
  };
}

export const previousOf = index<OrderSlot>('previous');
export const setPrevious = setIndex('previous');
export const nextOf = index<OrderSlot>('next');
export const setNext = setIndex('next');
export const placeOf = index('place');
export const setPlace = setIndex('place');
export const standingOfOrder = index('standing');
export const setStanding = setIndex('standing');
export const visibleLotsOf = number<Lots>('visibleLots');
export const setVisibleLots = setNumber('visibleLots');
export const orderIdOf = number('orderId');
export const setOrderId = setNumber('orderId');
export const sideOf = code<SideCode>('side');
export const setSide = setCode('side');
export const orderTypeOf = code('orderType');
export const setOrderType = setCode('orderType');
export const timeInForceOf = code('timeInForce');
export const setTimeInForce = setCode('timeInForce');
export const stpModeOf = code<StpCode>('stpMode');
export const setStpMode = setCode('stpMode');
export const triggerTypeOf = code<TriggerCode>('triggerType');
export const setTriggerType = setCode('triggerType');
export const sourceOf = code('source');
export const setSource = setCode('source');
export const flagsOf = code('flags');
export const setFlags = setCode('flags');
export const accountOf = index<AccountIndex>('account');
export const setAccount = setIndex('account');
export const familyOf = index<FamilyIndex>('family');
export const setFamily = setIndex('family');
export const priceTicksOf = number<Ticks>('priceTicks');
export const setPriceTicks = setNumber('priceTicks');
export const openLotsOf = number<Lots>('openLots');
export const setOpenLots = setNumber('openLots');
export const totalLotsOf = number<Lots>('totalLots');
export const setTotalLots = setNumber('totalLots');
export const marketOf = index<MarketIndex>('market');
export const setMarket = setIndex('market');
export const feeOtherAssetOf = index<AssetIndex>('feeOtherAsset');
export const setFeeOtherAsset = setIndex('feeOtherAsset');
export const displayLotsOf = number<Lots>('displayLots');
export const setDisplayLots = setNumber('displayLots');
export const filledCostPartsOf = parts('filledCostParts');
export const setFilledCostParts = setParts('filledCostParts');
export const feeNativePartsOf = parts('feeNativeParts');
export const setFeeNativeParts = setParts('feeNativeParts');
export const setLastMatchedAtMs = setNumber('lastMatchedAtMs');
export const clientOrderIdOf = parts('clientOrderId');
export const setClientOrderId = setParts('clientOrderId');
export const stopTicksOf = number<Ticks>('stopTicks');
export const setStopTicks = setNumber('stopTicks');
export const amountPartsOf = parts('amountParts');
export const setAmountParts = setParts('amountParts');
export const feeUsdtPartsOf = parts('feeUsdtParts');
export const setFeeUsdtParts = setParts('feeUsdtParts');
export const feeOtherPartsOf = parts('feeOtherParts');
export const setFeeOtherParts = setParts('feeOtherParts');
export const setCreatedAtMs = setNumber('createdAtMs');
export const setLastModifiedAtMs = setNumber('lastModifiedAtMs');
export const heldPartsOf = parts('heldParts');
export const setHeldParts = setParts('heldParts');

function viewsOf(block: ArrayBuffer): Pick<Orders, 'numbers' | 'parts' | 'indexes' | 'codes'> {
  return {
    numbers: new Float64Array(block),
    parts: new BigInt64Array(block),
    indexes: new Int32Array(block),
    codes: new Uint8Array(block),
  };
}

/** By two fifths: even right after growing, an open order costs less than 300 bytes. */
function grow(orders: Orders): void {
  const rows = Math.ceil(((orders.numbers.length / ORDER_WORDS) * 7) / 5);
  const bigger = viewsOf(new ArrayBuffer(rows * ORDER_WORDS * WORD_BYTES));
  bigger.codes.set(orders.codes);
  const rings = new Int32Array(2 * rows);
  rings.set(orders.rings);
  Object.assign(orders, bigger, { rings });
}
