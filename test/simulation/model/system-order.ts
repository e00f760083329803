import { closeOrder, executeOrder } from './execute.ts';
import { settleMatch } from './settle.ts';
import {
  accountAt,
  FILLS_MAX,
  type Model,
  type ModelOrder,
  marketAt,
  NO_ELEMENT,
} from './state.ts';

/** Orders that the venue places for an account. */
export type SystemOrder = Pick<
  ModelOrder,
  'account' | 'market' | 'side' | 'priceTicks' | 'openLots' | 'source'
>;

/** Immediate or cancel; returns the order as it ended. */
export function takeNow(model: Model, wanted: SystemOrder, fillsMax = FILLS_MAX): ModelOrder {
  const order = open(model, wanted);
  executeOrder(model, order, NO_ELEMENT, fillsMax);
  return order;
}

/** Two accounts trade outside the book; the last price of the market does not change. */
export function meet(model: Model, wanted: SystemOrder, counterparty: number): void {
  const market = marketAt(model, wanted.market);
  const { lastTicks } = market;
  const side = wanted.side === 'BUY' ? 'SELL' : 'BUY';
  const taker = open(model, wanted);
  const maker = open(model, { ...wanted, account: counterparty, side });
  settleMatch(model, taker, maker, wanted.openLots);
  market.lastTicks = lastTicks;
  closeOrder(model, taker, NO_ELEMENT, 'FILLED');
  closeOrder(model, maker, NO_ELEMENT, 'FILLED');
}

function open(model: Model, wanted: SystemOrder): ModelOrder {
  const order: ModelOrder = {
    ...wanted,
    orderId: model.nextOrderId++,
    clientOrderId: 0n,
    label: undefined,
    family: accountAt(model, wanted.account).family,
    orderType: 'LIMIT',
    timeInForce: 'IOC',
    stpMode: 'NONE',
    triggerType: 'MARK_PRICE',
    reduceOnly: false,
    stopTicks: 0,
    totalLots: wanted.openLots,
    displayLots: undefined,
    sliceLots: 0,
    amountParts: 0n,
    plannedCost: undefined,
    filledCost: 0n,
    paidFees: new Map(),
    isWaiting: false,
    isTriggered: false,
    isOnItsWay: true,
    seat: 0,
  };
  model.orders.push(order);
  return order;
}
