import type { CancelAll, CancelOrders } from '../../../src/domain/commands.ts';
import type { OrderRef } from '../../../src/domain/orders.ts';
import { checkLate } from './checks.ts';
import { line } from './event-lines.ts';
import { closeOrder } from './execute.ts';
import { type Model, type ModelOrder, marketAt, must, NO_ELEMENT, type Refusal } from './state.ts';

export function cancelOrders(model: Model, command: CancelOrders): void {
  const { account } = must(model.keys[command.by.key]);
  command.orders.forEach((ref, element) => {
    const reason = cancel(model, account, ref, element, command);
    if (reason !== undefined) model.emitted.push(line('order-refused', { element, reason }));
  });
}

function cancel(
  model: Model,
  account: number,
  ref: OrderRef,
  element: number,
  { lateAfterMs }: CancelOrders,
): Refusal {
  const order = findOrder(model, account, ref);
  if (order === undefined) return 'ORDER_NOT_FOUND';
  if (marketAt(model, order.market).state === 'HALTED') return 'MARKET_CLOSED';
  const late = checkLate(model, lateAfterMs);
  if (late !== undefined) return late;
  closeOrder(model, order, element, 'CANCELED_BY_USER');
  return undefined;
}

/** Oldest first; a halted market keeps its orders. */
export function cancelAll(model: Model, command: CancelAll): void {
  const { account } = must(model.keys[command.by.key]);
  model.orders
    .filter((order) => order.account === account)
    .filter((order) => command.market === undefined || order.market === command.market)
    .filter((order) => marketAt(model, order.market).state !== 'HALTED')
    .sort((a, b) => a.orderId - b.orderId)
    .forEach((order) => {
      closeOrder(model, order, NO_ELEMENT, 'CANCELED_BY_USER');
    });
}

/**
 * By the venue's id; if that is not found by the caller's, the newest. Or by its label alone. In this
 * market, one's own.
 */
export function findOrder(model: Model, account: number, ref: OrderRef): ModelOrder | undefined {
  const own = model.orders
    .filter((order) => order.account === account && order.market === ref.market)
    .sort((a, b) => b.orderId - a.orderId);
  const label = ref.named?.label;
  if (label !== undefined) return own.find((order) => order.label === label);
  return (
    own.find((order) => order.orderId === ref.orderId) ??
    own.find((order) => ref.clientOrderId !== 0n && order.clientOrderId === ref.clientOrderId)
  );
}
