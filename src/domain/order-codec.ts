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

/** Orders in codes, a row each: the core's own columns, or one row made from a record. */
export type OrderColumns = {
  readonly orderId: Float64Array;
  readonly clientOrderId: BigInt64Array;
  readonly account: Int32Array;
  readonly family: Int32Array;
  readonly market: Int32Array;
  readonly side: Uint8Array;
  readonly orderType: Uint8Array;
  readonly timeInForce: Uint8Array;
  readonly stpMode: Uint8Array;
  readonly triggerType: Uint8Array;
  readonly source: Uint8Array;
  readonly flags: Uint8Array;
  readonly priceTicks: Float64Array;
  readonly stopTicks: Float64Array;
  readonly totalLots: Float64Array;
  readonly openLots: Float64Array;
  readonly displayLots: Float64Array;
  readonly amountParts: BigInt64Array;
  readonly filledCostParts: BigInt64Array;
  readonly feeNativeParts: BigInt64Array;
  readonly feeUsdtParts: BigInt64Array;
  readonly feeOtherParts: BigInt64Array;
  readonly feeOtherAsset: Int32Array;
  readonly createdAtMs: Float64Array;
  readonly lastModifiedAtMs: Float64Array;
  readonly lastMatchedAtMs: Float64Array;
};

const ORDER_BYTES = 143;

/** From the columns straight to the bytes: two thirds of all events are this record. */
export function writeOrder(out: ByteWriter, columns: OrderColumns, slot = 0): void {
  const at = out.take(ORDER_BYTES);
  const to = out.fields;
  to.setFloat64(at, columns.orderId[slot] as number, true);
  to.setBigInt64(at + 8, columns.clientOrderId[slot] as bigint, true);
  to.setInt32(at + 16, columns.account[slot] as number, true);
  to.setInt32(at + 20, columns.family[slot] as number, true);
  to.setInt32(at + 24, columns.market[slot] as number, true);
  to.setInt32(at + 28, columns.feeOtherAsset[slot] as number, true);
  to.setFloat64(at + 32, columns.priceTicks[slot] as number, true);
  to.setFloat64(at + 40, columns.stopTicks[slot] as number, true);
  to.setFloat64(at + 48, columns.totalLots[slot] as number, true);
  to.setFloat64(at + 56, columns.openLots[slot] as number, true);
  to.setFloat64(at + 64, columns.displayLots[slot] as number, true);
  to.setBigInt64(at + 72, columns.amountParts[slot] as bigint, true);
  to.setBigInt64(at + 80, columns.filledCostParts[slot] as bigint, true);
  to.setBigInt64(at + 88, columns.feeNativeParts[slot] as bigint, true);
  to.setBigInt64(at + 96, columns.feeUsdtParts[slot] as bigint, true);
  to.setBigInt64(at + 104, columns.feeOtherParts[slot] as bigint, true);
  to.setFloat64(at + 112, columns.createdAtMs[slot] as number, true);
  to.setFloat64(at + 120, columns.lastModifiedAtMs[slot] as number, true);
  to.setFloat64(at + 128, columns.lastMatchedAtMs[slot] as number, true);
  to.setUint8(at + 136, columns.side[slot] as number);
  to.setUint8(at + 137, columns.orderType[slot] as number);
  to.setUint8(at + 138, columns.timeInForce[slot] as number);
  to.setUint8(at + 139, columns.stpMode[slot] as number);
  to.setUint8(at + 140, columns.triggerType[slot] as number);
  to.setUint8(at + 141, columns.source[slot] as number);
  to.setUint8(at + 142, columns.flags[slot] as number);
}

/** Columns of one row, for records that are written once more. */
export const newOrderRow = (): OrderColumns => ({
  orderId: new Float64Array(1),
  clientOrderId: new BigInt64Array(1),
  account: new Int32Array(1),
  family: new Int32Array(1),
  market: new Int32Array(1),
  side: new Uint8Array(1),
  orderType: new Uint8Array(1),
  timeInForce: new Uint8Array(1),
  stpMode: new Uint8Array(1),
  triggerType: new Uint8Array(1),
  source: new Uint8Array(1),
  flags: new Uint8Array(1),
  priceTicks: new Float64Array(1),
  stopTicks: new Float64Array(1),
  totalLots: new Float64Array(1),
  openLots: new Float64Array(1),
  displayLots: new Float64Array(1),
  amountParts: new BigInt64Array(1),
  filledCostParts: new BigInt64Array(1),
  feeNativeParts: new BigInt64Array(1),
  feeUsdtParts: new BigInt64Array(1),
  feeOtherParts: new BigInt64Array(1),
  feeOtherAsset: new Int32Array(1),
  createdAtMs: new Float64Array(1),
  lastModifiedAtMs: new Float64Array(1),
  lastMatchedAtMs: new Float64Array(1),
});

/** A record as a row again, so that it can be written once more. */
export function orderRowOf(order: OrderRecord, row: OrderColumns): OrderColumns {
  row.orderId[0] = order.orderId;
  row.clientOrderId[0] = order.clientOrderId;
  row.account[0] = order.account;
  row.family[0] = order.family;
  row.market[0] = order.market;
  row.side[0] = SIDES.indexOf(order.side);
  row.orderType[0] = ORDER_TYPES.indexOf(order.orderType);
  row.timeInForce[0] = TIMES_IN_FORCE.indexOf(order.timeInForce);
  row.stpMode[0] = STP_MODES.indexOf(order.stpMode);
  row.triggerType[0] = TRIGGER_TYPES.indexOf(order.triggerType);
  row.source[0] = order.source;
  row.flags[0] =
    (order.isStop ? FLAG_STOP : 0) |
    (order.isTriggered ? FLAG_TRIGGERED : 0) |
    (order.reduceOnly ? FLAG_REDUCE_ONLY : 0);
  row.priceTicks[0] = order.priceTicks;
  row.stopTicks[0] = order.stopTicks;
  row.totalLots[0] = order.totalLots;
  row.openLots[0] = order.openLots;
  row.displayLots[0] = order.displayLots;
  row.amountParts[0] = order.amountParts;
  row.filledCostParts[0] = order.filledCost;
  row.feeNativeParts[0] = order.fees.native;
  row.feeUsdtParts[0] = order.fees.usdt;
  row.feeOtherParts[0] = order.fees.other;
  row.feeOtherAsset[0] = order.fees.otherAsset;
  row.createdAtMs[0] = order.createdAtMs;
  row.lastModifiedAtMs[0] = order.lastModifiedAtMs;
  row.lastMatchedAtMs[0] = order.lastMatchedAtMs;
  return row;
}

export function readOrder(reader: ByteReader): OrderRecord {
  const orderId = reader.f64();
  const clientOrderId = reader.i64();
  const account = reader.u32() as AccountIndex;
  const family = reader.u32() as FamilyIndex;
  const market = reader.u32() as MarketIndex;
  const otherAsset = reader.u32() as AssetIndex;
  const priceTicks = ticks(reader.f64());
  const stopTicks = ticks(reader.f64());
  const totalLots = lots(reader.f64());
  const openLots = lots(reader.f64());
  const displayLots = lots(reader.f64());
  const amountParts = amount(reader.i64());
  const filledCost = amount(reader.i64());
  const native = amount(reader.i64());
  const usdt = amount(reader.i64());
  const other = amount(reader.i64());
  const createdAtMs = reader.f64();
  const lastModifiedAtMs = reader.f64();
  const lastMatchedAtMs = reader.f64();
  const side = word(SIDES, reader.u8());
  const orderType = word(ORDER_TYPES, reader.u8());
  const timeInForce = word(TIMES_IN_FORCE, reader.u8());
  const stpMode = word(STP_MODES, reader.u8());
  const triggerType = word(TRIGGER_TYPES, reader.u8());
  const source = reader.u8();
  const flags = reader.u8();
  return {
    orderId,
    clientOrderId,
    account,
    family,
    market,
    side,
    orderType,
    timeInForce,
    stpMode,
    triggerType,
    source,
    isStop: (flags & FLAG_STOP) !== 0,
    isTriggered: (flags & FLAG_TRIGGERED) !== 0,
    reduceOnly: (flags & FLAG_REDUCE_ONLY) !== 0,
    priceTicks,
    stopTicks,
    totalLots,
    openLots,
    filledLots: lots(totalLots - openLots),
    displayLots,
    amountParts,
    filledCost,
    fees: { native, usdt, other, otherAsset },
    createdAtMs,
    lastModifiedAtMs,
    lastMatchedAtMs,
  };
}

/** One side of a match in codes. */
export type MatchSideRow = {
  readonly orderId: number;
  readonly clientOrderId: bigint;
  readonly account: number;
  readonly source: number;
  readonly openLots: number;
  readonly feeAsset: number;
  readonly fee: bigint;
  readonly realised: bigint;
};

export const MATCH_SIDE_BYTES = 49;

/** Into a record of which the caller has taken the room. */
export function setMatchSide(to: DataView, at: number, row: MatchSideRow): void {
  to.setFloat64(at, row.orderId, true);
  to.setBigInt64(at + 8, row.clientOrderId, true);
  to.setUint32(at + 16, row.account, true);
  to.setUint8(at + 20, row.source);
  to.setFloat64(at + 21, row.openLots, true);
  to.setUint32(at + 29, row.feeAsset, true);
  to.setBigInt64(at + 33, row.fee, true);
  to.setBigInt64(at + 41, row.realised, true);
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
