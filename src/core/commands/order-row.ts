import { encodeOrderClosed, encodeOrderEvent, type MatchRow } from '../../domain/event-codec.ts';
import { newMatchSideRow, type OrderRow } from '../../domain/order-codec.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import type { Rejection } from '../../domain/rejections.ts';
import { ORDER_STATES, type OrderState } from '../../domain/terms.ts';
import type { OrderSlot, Orders } from '../book/orders.ts';

/** Tells of orders: from their columns to the event's bytes, through one record used for ever. */
const row: OrderRow = {
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
};

export const matchRow: MatchRow = {
  market: 0,
  match: 0,
  priceTicks: 0,
  lots: 0,
  value: 0n,
  takerSide: 0,
  taker: newMatchSideRow(),
  maker: newMatchSideRow(),
};

export function tellOrder(
  out: ByteWriter,
  kind: 'order-opened' | 'order-modified' | 'order-triggered',
  element: number,
  orders: Orders,
  slot: OrderSlot,
): void {
  encodeOrderEvent(out, kind, element, rowOf(orders, slot));
}

export function tellClosed(
  out: ByteWriter,
  element: number,
  state: OrderState,
  reason: Rejection | undefined,
  orders: Orders,
  slot: OrderSlot,
): void {
  encodeOrderClosed(out, element, ORDER_STATES.indexOf(state), reason, rowOf(orders, slot));
}

export function rowOf(orders: Orders, slot: OrderSlot): OrderRow {
  row.orderId = orders.orderId[slot] as number;
  row.clientOrderId = orders.clientOrderId[slot] as bigint;
  row.account = orders.account[slot] as number;
  row.family = orders.family[slot] as number;
  row.market = orders.market[slot] as number;
  row.side = orders.side[slot] as number;
  row.orderType = orders.orderType[slot] as number;
  row.timeInForce = orders.timeInForce[slot] as number;
  row.stpMode = orders.stpMode[slot] as number;
  row.triggerType = orders.triggerType[slot] as number;
  row.source = orders.source[slot] as number;
  row.flags = orders.flags[slot] as number;
  row.priceTicks = orders.priceTicks[slot] as number;
  row.stopTicks = orders.stopTicks[slot] as number;
  row.totalLots = orders.totalLots[slot] as number;
  row.openLots = orders.openLots[slot] as number;
  row.displayLots = orders.displayLots[slot] as number;
  row.amountParts = orders.amountParts[slot] as bigint;
  row.filledCost = orders.filledCostParts[slot] as bigint;
  row.feeNative = orders.feeNativeParts[slot] as bigint;
  row.feeUsdt = orders.feeUsdtParts[slot] as bigint;
  row.feeOther = orders.feeOtherParts[slot] as bigint;
  row.feeOtherAsset = orders.feeOtherAsset[slot] as number;
  row.createdAtMs = orders.createdAtMs[slot] as number;
  row.lastModifiedAtMs = orders.lastModifiedAtMs[slot] as number;
  row.lastMatchedAtMs = orders.lastMatchedAtMs[slot] as number;
  return row;
}
