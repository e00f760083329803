import { TEXT_LIST } from '../../domain/order-texts.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import type { Directory } from '../../domain/views.ts';
import { amountText } from '../figures.ts';
import { type MarketPrinter, printerOf } from '../orders/market-printer.ts';
import { texts } from '../orders/place-text.ts';
import { isByAmount, settleAssetOf } from '../orders/shapes.ts';
import { membersOf, textOf } from '../request/members.ts';

/**
 * The `data` of answers to order commands, as JSON text without an object in between: bots that trade over the
 * stream are answered nothing else. All values are text but `source`, a number here.
 */

/** The new order; what happens to it is published on the channel `order`. */
export function placeText(directory: Directory, order: OrderRecord, sent: unknown): string {
  const spec = directory.market(order.market);
  const market = printerOf(directory, spec);
  // A market order shows its protective price; a stop of that kind gets it when it triggers.
  const limit = market.price(order.priceTicks === 0 ? order.stopTicks : order.priceTicks);
  const isNamed = textOf(membersOf(sent), 'clientOrderId') !== undefined;
  const size = isByAmount(order)
    ? `"amount":"${amountText(directory, settleAssetOf(directory, spec), order.amountParts)}",`
    : `"quantity":"${market.wholeQuantity(order.totalLots)}",`;
  return (
    `{${isNamed ? `"clientOrderId":"${order.clientOrderId}",` : ''}${texts(order)}` +
    `"marketCode":"${market.code}","side":"${order.side}","orderType":"${order.orderType}",${size}` +
    `${order.orderType === 'MARKET' ? '' : `"timeInForce":"${order.timeInForce}","price":"${limit}",`}` +
    `"limitPrice":"${limit}",${stop(market, order)}` +
    `"orderId":"${order.orderId}","source":${order.source}}`
  );
}

const stop = (market: MarketPrinter, { isStop, stopTicks, triggerType }: OrderRecord): string =>
  isStop ? `"stopPrice":"${market.price(stopTicks)}","triggerType":"${triggerType}",` : '';

export function modifyText(directory: Directory, order: OrderRecord): string {
  const market = printerOf(directory, directory.market(order.market));
  const limit = market.price(order.priceTicks);
  return (
    `{"clientOrderId":"${order.clientOrderId}",${texts(order)}"orderId":"${order.orderId}",` +
    `"side":"${order.side}","quantity":"${market.wholeQuantity(order.totalLots)}",` +
    `"price":"${limit}","limitPrice":"${limit}",` +
    `${order.isStop ? `"stopPrice":"${market.price(order.stopTicks)}",` : ''}` +
    `"orderType":"${order.orderType}","marketCode":"${market.code}"}`
  );
}

export const cancelText = (directory: Directory, order: OrderRecord): string =>
  `{"marketCode":"${directory.market(order.market).code}",` +
  `"clientOrderId":"${order.clientOrderId}",${texts(order)}"orderId":"${order.orderId}"}`;

/** The members that the answer to a refused command repeats, as text. */
const ECHOED = [
  'clientOrderId',
  ...TEXT_LIST.map(({ name }) => name),
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
