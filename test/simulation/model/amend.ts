import type { ModifyOrders } from '../../../src/domain/commands.ts';
import type { Amendment } from '../../../src/domain/orders.ts';
import { sliceOf } from './book.ts';
import { findOrder } from './cancel.ts';
import {
  checkAccount,
  checkBalance,
  checkBand,
  checkLate,
  checkMarket,
  checkPerpetual,
  checkSize,
  checkSlices,
  checkSpotMargin,
  onlyReduces,
} from './checks.ts';
import { wouldTake } from './enter.ts';
import { line } from './event-lines.ts';
import { closeOrder, emitOrder, executeOrder, makerTicks } from './execute.ts';
import { heldFor } from './holds.ts';
import {
  isPerpetual,
  type Model,
  type ModelOrder,
  marketAt,
  must,
  type Refusal,
  sweepStops,
} from './state.ts';

/** Amend: the quantity is the new total; a failed check leaves the order as it was. */
export function modifyOrders(model: Model, command: ModifyOrders): void {
  const { account } = must(model.keys[command.by.key]);
  command.orders.forEach((amendment, element) => {
    const reason = amend(model, account, amendment, element, command);
    if (reason !== undefined) model.emitted.push(line('order-refused', { element, reason }));
  });
}

function amend(
  model: Model,
  account: number,
  amendment: Amendment,
  element: number,
  { lateAfterMs }: ModifyOrders,
): Refusal {
  const order = findOrder(model, account, amendment);
  if (order === undefined) return 'ORDER_NOT_FOUND';
  if (changesTheFixed(order, amendment)) return 'AMEND_INVALID';
  const market = marketAt(model, order.market);
  const wanted = amended(order, amendment);
  const isOver = wanted.openLots <= 0;
  const reason =
    (isOver ? undefined : (checkStopAgainstLimit(wanted) ?? checkSlices(wanted))) ??
    checkAccount(model, account) ??
    checkMarket(model, market, amendment.version) ??
    checkLate(model, lateAfterMs);
  if (reason !== undefined) return reason;
  if (isOver) {
    closeOrder(model, order, element, 'CANCELED_BY_AMEND');
    return undefined;
  }
  const failed = checkAmended(model, order, wanted);
  if (failed !== undefined) return failed;

  const isKept = keepsPlace(order, wanted);
  Object.assign(order, wanted);
  if (order.isWaiting) sweepStops(model, order.market);
  else if (isKept) order.sliceLots = sliceOf(order);
  else order.isOnItsWay = true;
  emitOrder(model, 'order-modified', order, element);
  if (order.isOnItsWay) {
    model.work.matches -= executeOrder(model, order, element, model.work.matches);
  }
  return undefined;
}

/**
 * Side and type cannot change; a stop that has triggered is called LIMIT. Only a stop that waits has a stop price
 * to change, and an order without a limit has no price.
 */
const changesTheFixed = (order: ModelOrder, amendment: Amendment): boolean =>
  (amendment.side ?? order.side) !== order.side ||
  !(order.isWaiting ? [order.orderType] : [order.orderType, 'LIMIT']).includes(
    amendment.orderType ?? order.orderType,
  ) ||
  (order.orderType === 'STOP_MARKET' && ![0, order.priceTicks].includes(amendment.priceTicks)) ||
  (amendment.stopTicks !== 0 && !order.isWaiting);

/** The checks of a new order, in their precedence, with the old one removed from the book. */
function checkAmended(model: Model, order: ModelOrder, wanted: ModelOrder): Refusal {
  const market = marketAt(model, order.market);
  const onlyShrinks = isNoLarger(order, wanted) && wanted.priceTicks === order.priceTicks;
  const limitTicks = wanted.orderType === 'STOP_MARKET' ? 0 : wanted.priceTicks;
  return (
    (wanted.isWaiting || onlyShrinks ? undefined : checkBand(market, wanted.priceTicks)) ??
    checkSize(market, wanted.totalLots, limitTicks) ??
    (findsNoWorkLeft(model, order, wanted) ? 'BUSY' : undefined) ??
    withoutOrder(model, order, () => checkFundsAmended(model, order, wanted)) ??
    (wanted.isWaiting || makerTicks(model, wanted) !== undefined
      ? undefined
      : 'ORDER_REQUEST_REJECTED')
  );
}

/** An order that only reduces afterwards, or is smaller than before at no better price, needs no margin. */
function checkFundsAmended(model: Model, order: ModelOrder, wanted: ModelOrder): Refusal {
  const isNoBetter =
    wanted.side === 'BUY'
      ? wanted.priceTicks <= order.priceTicks
      : wanted.priceTicks >= order.priceTicks;
  const isLess = isNoLarger(order, wanted) && isNoBetter;
  if (isPerpetual(marketAt(model, order.market))) {
    return isLess || onlyReduces(model, wanted) ? undefined : checkPerpetual(model, wanted);
  }
  const reason = isLess ? undefined : checkSpotMargin(model, wanted);
  // An order that needs no more than it already reserves has it, even if its account owes.
  const asksForMore = heldFor(model, wanted).parts > heldFor(model, order).parts;
  return reason ?? (asksForMore ? checkBalance(model, wanted) : undefined);
}

const isNoLarger = (order: ModelOrder, wanted: ModelOrder): boolean =>
  wanted.totalLots <= order.totalLots && wanted.stopTicks === order.stopTicks;

/** Same or smaller at the same price keeps its time priority. */
const keepsPlace = (order: ModelOrder, wanted: ModelOrder): boolean =>
  wanted.priceTicks === order.priceTicks && wanted.totalLots <= order.totalLots;

/** It would enter the book again and take, but the request has used up its matches. */
const findsNoWorkLeft = (model: Model, order: ModelOrder, wanted: ModelOrder): boolean =>
  model.work.matches === 0 && !keepsPlace(order, wanted) && wouldTake(model, wanted);

function amended(order: ModelOrder, amendment: Amendment): ModelOrder {
  const filled = order.totalLots - order.openLots;
  const totalLots = amendment.sizeLots === 0 ? order.totalLots : amendment.sizeLots;
  const { displayLots } = order;
  const priceTicks = amendment.priceTicks === 0 ? order.priceTicks : amendment.priceTicks;
  const isAsPlaced = priceTicks === order.priceTicks && totalLots === order.totalLots;
  return {
    ...order,
    priceTicks,
    // At another price or size it no longer spends the amount that it was placed with.
    amountParts: isAsPlaced ? order.amountParts : 0n,
    stopTicks: amendment.stopTicks === 0 ? order.stopTicks : amendment.stopTicks,
    totalLots,
    openLots: totalLots - filled,
    displayLots: displayLots !== undefined && displayLots >= totalLots ? undefined : displayLots,
  };
}

/** The limit of a waiting stop-limit must not be on the near side of its stop. */
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
