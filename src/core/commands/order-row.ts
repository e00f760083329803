import { encodeOrderClosed, encodeOrderEvent } from '../../domain/event-codec.ts';
import type { ByteWriter } from '../../domain/pack.ts';
import type { Rejection } from '../../domain/rejections.ts';
import { codeOf, ORDER_STATES, type OrderState } from '../../domain/terms.ts';
import type { OrderSlot, Orders } from '../book/orders.ts';

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
  encodeOrderClosed(out, element, codeOf(ORDER_STATES, state), reason, orders, slot);
}
