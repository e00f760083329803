import { quantityText } from '../../domain/market.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import type { Directory } from '../../domain/views.ts';
import { amountText } from '../figures.ts';
import { enginePrice, isByAmount, settleAssetOf } from '../orders/shapes.ts';
import { membersOf, textOf } from '../request/members.ts';

/** The `data` of answers to order commands, as JSON. All values are text but `source`, a number here. */

/** The new order; what happens to it is published on the channel `order`. */
export function placeText(directory: Directory, order: OrderRecord, sent: unknown): string {
  const spec = directory.market(order.market);
  const price = (ticks: number): string => enginePrice(spec, ticks);
  // A market order shows its protective price; a stop of that kind gets it when it triggers.
  const limit = price(order.priceTicks === 0 ? order.stopTicks : order.priceTicks);
  const isMarket = order.orderType === 'MARKET';
  return JSON.stringify({
    ...idsOf(order, sent),
    marketCode: spec.code,
    side: order.side,
    orderType: order.orderType,
    ...(isByAmount(order)
      ? { amount: amountText(directory, settleAssetOf(directory, spec), order.amountParts) }
      : { quantity: quantityText(spec, order.totalLots, spec.quantityScale) }),
    ...(isMarket ? {} : { timeInForce: order.timeInForce, price: limit }),
    limitPrice: limit,
    ...(order.isStop ? { stopPrice: price(order.stopTicks), triggerType: order.triggerType } : {}),
    orderId: String(order.orderId),
    source: order.source,
  });
}

export function modifyText(directory: Directory, order: OrderRecord): string {
  const spec = directory.market(order.market);
  const limit = enginePrice(spec, order.priceTicks);
  return JSON.stringify({
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    orderId: String(order.orderId),
    side: order.side,
    quantity: quantityText(spec, order.totalLots, spec.quantityScale),
    price: limit,
    limitPrice: limit,
    ...(order.isStop ? { stopPrice: enginePrice(spec, order.stopTicks) } : {}),
    orderType: order.orderType,
    marketCode: spec.code,
  });
}

export const cancelText = (directory: Directory, order: OrderRecord): string =>
  JSON.stringify({
    marketCode: directory.market(order.market).code,
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    orderId: String(order.orderId),
  });

const idsOf = (order: OrderRecord, sent: unknown): object => ({
  ...(textOf(membersOf(sent), 'clientOrderId') === undefined
    ? {}
    : { clientOrderId: String(order.clientOrderId) }),
  ...order.texts,
});

/** The members that the answer to a refused command repeats, as text. */
const ECHOED = [
  'clientOrderId',
  'label',
  'orderId',
  'orderID',
  'ordId',
  'instId',
  'marketCode',
  'side',
  'orderType',
  'quantity',
  'amount',
  'displayQuantity',
  'timeInForce',
  'price',
  'stopPrice',
  'limitPrice',
  'triggerType',
  'selfTradePreventionMode',
  'reduceOnly',
  'timestamp',
  'recvWindow',
];

export function echoText(sent: unknown): string {
  const members = membersOf(sent);
  const echo: Record<string, string> = {};
  for (const name of ECHOED) {
    const text = textOf(members, name);
    if (text !== undefined) echo[name] = text;
  }
  return JSON.stringify(echo);
}
