import type { MatchSide, OrderRecord } from './orders.ts';
import type { ByteReader, ByteWriter } from './pack.ts';
import { ORDER_TYPES, SIDES, STP_MODES, TIMES_IN_FORCE, TRIGGER_TYPES } from './terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  lots,
  type MarketIndex,
  ticks,
} from './units.ts';

/**
 * Orders and matches as bytes, field by field: the events of the hot path, written straight from the
 * core's columns without making an object for each. Words are codes, places in their list of
 * `terms.ts`. The order of the fields is the format.
 */

/** What `flags` says of an order. */
export const FLAG_STOP = 1;
export const FLAG_TRIGGERED = 2;
export const FLAG_REDUCE_ONLY = 4;
/** It holds the exact cost of its planned matches, not its limit price. */
export const FLAG_HOLDS_PLAN = 8;

/** An order in codes: the one record the core fills in again and again. */
export type OrderRow = {
  orderId: number;
  clientOrderId: bigint;
  account: number;
  family: number;
  market: number;
  side: number;
  orderType: number;
  timeInForce: number;
  stpMode: number;
  triggerType: number;
  source: number;
  flags: number;
  priceTicks: number;
  stopTicks: number;
  totalLots: number;
  openLots: number;
  displayLots: number;
  amountParts: bigint;
  filledCost: bigint;
  feeNative: bigint;
  feeUsdt: bigint;
  feeOther: bigint;
  feeOtherAsset: number;
  createdAtMs: number;
  lastModifiedAtMs: number;
  lastMatchedAtMs: number;
};

export const newOrderRow = (): OrderRow => ({
  orderId: 0,
  clientOrderId: 0n,
  account: 0,
  family: 0,
  market: 0,
  side: 0,
  orderType: 0,
  timeInForce: 0,
  stpMode: 0,
  triggerType: 0,
  source: 0,
  flags: 0,
  priceTicks: 0,
  stopTicks: 0,
  totalLots: 0,
  openLots: 0,
  displayLots: 0,
  amountParts: 0n,
  filledCost: 0n,
  feeNative: 0n,
  feeUsdt: 0n,
  feeOther: 0n,
  feeOtherAsset: 0,
  createdAtMs: 0,
  lastModifiedAtMs: 0,
  lastMatchedAtMs: 0,
});

export function writeOrder(out: ByteWriter, row: OrderRow): void {
  out.u8(row.side);
  out.u8(row.orderType);
  out.u8(row.timeInForce);
  out.u8(row.stpMode);
  out.u8(row.triggerType);
  out.u8(row.source);
  out.u8(row.flags);
  out.f64(row.orderId);
  out.i64(row.clientOrderId);
  out.u32(row.account);
  out.u32(row.family);
  out.u32(row.market);
  out.f64(row.priceTicks);
  out.f64(row.stopTicks);
  out.f64(row.totalLots);
  out.f64(row.openLots);
  out.f64(row.displayLots);
  out.i64(row.amountParts);
  out.i64(row.filledCost);
  out.i64(row.feeNative);
  out.i64(row.feeUsdt);
  out.i64(row.feeOther);
  out.u32(row.feeOtherAsset);
  out.f64(row.createdAtMs);
  out.f64(row.lastModifiedAtMs);
  out.f64(row.lastMatchedAtMs);
}

/** A record as a row again, so that it can be written once more. */
export function orderRowOf(order: OrderRecord, row: OrderRow): OrderRow {
  row.orderId = order.orderId;
  row.clientOrderId = order.clientOrderId;
  row.account = order.account;
  row.family = order.family;
  row.market = order.market;
  row.side = SIDES.indexOf(order.side);
  row.orderType = ORDER_TYPES.indexOf(order.orderType);
  row.timeInForce = TIMES_IN_FORCE.indexOf(order.timeInForce);
  row.stpMode = STP_MODES.indexOf(order.stpMode);
  row.triggerType = TRIGGER_TYPES.indexOf(order.triggerType);
  row.source = order.source;
  row.flags =
    (order.isStop ? FLAG_STOP : 0) |
    (order.isTriggered ? FLAG_TRIGGERED : 0) |
    (order.reduceOnly ? FLAG_REDUCE_ONLY : 0);
  row.priceTicks = order.priceTicks;
  row.stopTicks = order.stopTicks;
  row.totalLots = order.totalLots;
  row.openLots = order.openLots;
  row.displayLots = order.displayLots;
  row.amountParts = order.amountParts;
  row.filledCost = order.filledCost;
  row.feeNative = order.fees.native;
  row.feeUsdt = order.fees.usdt;
  row.feeOther = order.fees.other;
  row.feeOtherAsset = order.fees.otherAsset;
  row.createdAtMs = order.createdAtMs;
  row.lastModifiedAtMs = order.lastModifiedAtMs;
  row.lastMatchedAtMs = order.lastMatchedAtMs;
  return row;
}

export function readOrder(reader: ByteReader): OrderRecord {
  const side = word(SIDES, reader.u8());
  const orderType = word(ORDER_TYPES, reader.u8());
  const timeInForce = word(TIMES_IN_FORCE, reader.u8());
  const stpMode = word(STP_MODES, reader.u8());
  const triggerType = word(TRIGGER_TYPES, reader.u8());
  const source = reader.u8();
  const flags = reader.u8();
  const order = {
    orderId: reader.f64(),
    clientOrderId: reader.i64(),
    account: reader.u32() as AccountIndex,
    family: reader.u32() as FamilyIndex,
    market: reader.u32() as MarketIndex,
    side,
    orderType,
    timeInForce,
    stpMode,
    triggerType,
    source,
    isStop: (flags & FLAG_STOP) !== 0,
    isTriggered: (flags & FLAG_TRIGGERED) !== 0,
    reduceOnly: (flags & FLAG_REDUCE_ONLY) !== 0,
    priceTicks: ticks(reader.f64()),
    stopTicks: ticks(reader.f64()),
    totalLots: lots(reader.f64()),
    openLots: lots(reader.f64()),
    displayLots: lots(reader.f64()),
    amountParts: amount(reader.i64()),
    filledCost: amount(reader.i64()),
    fees: {
      native: amount(reader.i64()),
      usdt: amount(reader.i64()),
      other: amount(reader.i64()),
      otherAsset: reader.u32() as AssetIndex,
    },
    createdAtMs: reader.f64(),
    lastModifiedAtMs: reader.f64(),
    lastMatchedAtMs: reader.f64(),
  };
  return { ...order, filledLots: lots(order.totalLots - order.openLots) };
}

/** One side of a match in codes. */
export type MatchSideRow = {
  orderId: number;
  clientOrderId: bigint;
  account: number;
  source: number;
  openLots: number;
  feeAsset: number;
  fee: bigint;
  realised: bigint;
};

export const newMatchSideRow = (): MatchSideRow => ({
  orderId: 0,
  clientOrderId: 0n,
  account: 0,
  source: 0,
  openLots: 0,
  feeAsset: 0,
  fee: 0n,
  realised: 0n,
});

export function writeMatchSide(out: ByteWriter, row: MatchSideRow): void {
  out.f64(row.orderId);
  out.i64(row.clientOrderId);
  out.u32(row.account);
  out.u8(row.source);
  out.f64(row.openLots);
  out.u32(row.feeAsset);
  out.i64(row.fee);
  out.i64(row.realised);
}

export const readMatchSide = (reader: ByteReader): MatchSide => ({
  orderId: reader.f64(),
  clientOrderId: reader.i64(),
  account: reader.u32() as AccountIndex,
  source: reader.u8(),
  openLots: lots(reader.f64()),
  feeAsset: reader.u32() as AssetIndex,
  fee: amount(reader.i64()),
  realised: amount(reader.i64()),
});

function word<const Word extends string>(words: readonly Word[], code: number): Word {
  const found = words[code];
  if (found === undefined) throw new Error(`an encoded order holds the unknown code ${code}`);
  return found;
}
