import type { ModifyOrders } from '../../../src/domain/commands.ts';
import type { Amendment } from '../../../src/domain/orders.ts';
import { sliceOf } from './book.ts';
import { findOrder } from './cancel.ts';
import {
  checkAccount,
  checkBand,
  checkFunds,
  checkLate,
  checkMarket,
  checkSize,
  checkSlices,
} from './checks.ts';
import { closeOrder, disturb, executeOrder, tellOrder } from './execute.ts';
import { type Model, type ModelOrder, marketAt, must, type Refusal } from './state.ts';
import { line } from './told.ts';

/** Amend: the quantity is the new total; a failed check leaves the order as it was. */
export function modifyOrders(model: Model, command: ModifyOrders): void {
  const { account } = must(model.keys[command.by.key]);
  command.orders.forEach((amendment, element) => {
    const reason =
      checkLate(model, command.lateAfterMs) ?? amend(model, account, amendment, element);
    if (reason !== undefined) model.told.push(line('order-refused', { element, reason }));
  });
}

function amend(model: Model, account: number, amendment: Amendment, element: number): Refusal {
  const order = findOrder(model, account, amendment);
  if (order === undefined) return 'ORDER_NOT_FOUND';
  const market = marketAt(model, order.market);
  const closed = checkAccount(model, account) ?? checkMarket(model, market, amendment.version);
  if (closed !== undefined) return closed;
  const wanted = amended(order, amendment);
  if (wanted.openLots <= 0) {
    closeOrder(model, order, element, 'CANCELED_BY_AMEND');
    return undefined;
  }
  const reason =
    checkStopAgainstLimit(wanted) ??
    (wanted.isWaiting ? undefined : checkBand(market, wanted.priceTicks)) ??
    checkSize(market, wanted.totalLots) ??
    checkSlices(wanted) ??
    withoutOrder(model, order, () => checkFunds(model, wanted, order));
  if (reason !== undefined) return reason;

  const keepsPlace = wanted.priceTicks === order.priceTicks && wanted.totalLots <= order.totalLots;
  Object.assign(order, wanted);
  if (order.isWaiting) disturb(model, order.market);
  else if (keepsPlace) order.sliceLots = sliceOf(order);
  else order.isOnItsWay = true;
  tellOrder(model, 'order-modified', order, element);
  if (order.isOnItsWay) executeOrder(model, order, element);
  return undefined;
}

function amended(order: ModelOrder, amendment: Amendment): ModelOrder {
  const filled = order.totalLots - order.openLots;
  const totalLots = amendment.sizeLots === 0 ? order.totalLots : amendment.sizeLots;
  const { displayLots } = order;
  return {
    ...order,
    priceTicks: amendment.priceTicks === 0 ? order.priceTicks : amendment.priceTicks,
    stopTicks:
      amendment.stopTicks === 0 || !order.isWaiting ? order.stopTicks : amendment.stopTicks,
    totalLots,
    openLots: totalLots - filled,
    displayLots: displayLots !== undefined && displayLots >= totalLots ? undefined : displayLots,
  };
}

/** wire.md 4.8: a waiting stop-limit's limit is not on the near side of its stop. */
function checkStopAgainstLimit(order: ModelOrder): Refusal {
  if (!order.isWaiting || order.orderType !== 'STOP_LIMIT') return undefined;
  if (order.side === 'BUY' && order.stopTicks > order.priceTicks) return 'BUY_STOP_ABOVE_LIMIT';
  if (order.side === 'SELL' && order.stopTicks < order.priceTicks) return 'SELL_STOP_BELOW_LIMIT';
  return undefined;
}

function withoutOrder(model: Model, order: ModelOrder, check: () => Refusal): Refusal {
  const { orders } = model;
  model.orders = orders.filter((other) => other !== order);
  const reason = check();
  model.orders = orders;
  return reason;
}
