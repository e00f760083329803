import type { PlaceOrders } from '../../../src/domain/commands.ts';
import type { OrderRequest } from '../../../src/domain/orders.ts';
import {
  checkAccount,
  checkBand,
  checkLabel,
  checkLate,
  checkMarket,
  checkOpenOrders,
  checkSize,
  checkSlices,
} from './checks.ts';
import { carryOutEntry, enterBook } from './enter.ts';
import { line } from './event-lines.ts';
import { emitOrder } from './execute.ts';
import { accountAt, type Model, type ModelOrder, must, type Refusal, sweepStops } from './state.ts';
import { valueAt } from './values.ts';

/** Each order is accepted or refused by itself, one after another. */
export function placeOrders(model: Model, command: PlaceOrders): void {
  const { account } = must(model.keys[command.by.key]);
  command.orders.forEach((request, element) => {
    const reason = place(model, account, request, element, command);
    if (reason !== undefined) model.emitted.push(line('order-refused', { element, reason }));
  });
}

function place(
  model: Model,
  account: number,
  request: OrderRequest,
  element: number,
  { source, lateAfterMs }: PlaceOrders,
): Refusal {
  const market = model.markets[request.market];
  if (market === undefined) return 'MARKET_UNKNOWN';
  const order = orderFrom(model, account, request, source);
  const reason =
    checkSlices(order) ??
    checkAccount(model, account) ??
    checkMarket(model, market, request.version) ??
    checkLate(model, lateAfterMs) ??
    checkLabel(model, order) ??
    (order.orderType === 'LIMIT' ? checkBand(market, order.priceTicks) : undefined) ??
    checkOpenOrders(model, order) ??
    checkSize(market, order.totalLots, request.priceTicks);
  if (reason !== undefined) return reason;
  const entry = enterBook(model, order);
  if (entry.refused !== undefined) return entry.refused;

  model.nextOrderId++;
  model.orders.push(order);
  if (order.isWaiting) {
    sweepStops(model, order.market);
    emitOrder(model, 'order-opened', order, element);
  } else carryOutEntry(model, order, entry, element);
  return undefined;
}

function orderFrom(
  model: Model,
  account: number,
  request: OrderRequest,
  source: number,
): ModelOrder {
  const lots = lotsOf(model, request);
  const isStop = request.orderType === 'STOP_LIMIT' || request.orderType === 'STOP_MARKET';
  return {
    orderId: model.nextOrderId,
    clientOrderId: request.clientOrderId,
    label: request.texts?.label,
    account,
    family: accountAt(model, account).family,
    market: request.market,
    side: request.side,
    orderType: request.orderType,
    timeInForce: request.timeInForce,
    stpMode: request.stpMode,
    triggerType: request.triggerType,
    reduceOnly: request.reduceOnly,
    source,
    priceTicks: request.priceTicks,
    stopTicks: request.stopTicks,
    totalLots: lots,
    openLots: lots,
    displayLots:
      request.displayLots === 0 || request.displayLots >= lots ? undefined : request.displayLots,
    sliceLots: 0,
    amountParts: request.amountParts,
    plannedCost: undefined,
    filledCost: 0n,
    paidFees: new Map(),
    isWaiting: isStop,
    isTriggered: false,
    isOnItsWay: !isStop,
    seat: 0,
  };
}

/** LIMIT with amount: floor(amount / price) to the lot. */
function lotsOf(model: Model, request: OrderRequest): number {
  if (request.amountParts === 0n || request.orderType === 'MARKET') return request.sizeLots;
  return Number(
    request.amountParts / valueAt(must(model.markets[request.market]), request.priceTicks, 1),
  );
}
