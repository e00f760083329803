import { encodeOrderClosed, encodeOrderEvent, type MatchRow } from '../../domain/event-codec.ts';
import { newMatchSideRow } from '../../domain/order-codec.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import type { Rejection } from '../../domain/rejections.ts';
import { ORDER_STATES, type OrderState } from '../../domain/terms.ts';
import type { OrderSlot, Orders } from '../book/orders.ts';

/** Tells of orders and matches. A match is told through one record that is used for ever. */
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
  encodeOrderEvent(out, kind, element, orders, slot);
}

export function tellClosed(
  out: ByteWriter,
  element: number,
  state: OrderState,
  reason: Rejection | undefined,
  orders: Orders,
  slot: OrderSlot,
): void {
  encodeOrderClosed(out, element, ORDER_STATES.indexOf(state), reason, orders, slot);
}
