import { textFromParts } from '../../domain/decimal.ts';
import { accountIdText } from '../../domain/ids.ts';
import { matchIdText, type OrderRecord } from '../../domain/orders.ts';
import { REJECTIONS } from '../../domain/rejections.ts';
import type { Directory } from '../../domain/views.ts';
import type { OrderStanding } from '../request/outcome.ts';
import { type MarketPrinter, printerOf } from './market-printer.ts';
import { isByAmount, noticeOf } from './shapes.ts';

/**
 * The answer to a placed order as JSON text, byte for byte what printing `placeShape` gives, at a third of
 * its cost: no object is built and serialised, and numbers are printed as numbers where they are exact.
 * Nearly every answer of a busy venue consists of this.
 */
export function placeText(directory: Directory, standing: OrderStanding): string {
  const { order, state } = standing;
  const market = printerOf(directory, directory.market(order.market));
  const quantity = isByAmount(order) ? '0.0' : market.quantity(order.totalLots);
  return (
    `{"notice":"${noticeOf(standing)}","accountId":"${accountIdText(order.account)}",` +
    `${closedByRule(standing)}"orderId":"${order.orderId}","submitted":true,` +
    `"clientOrderId":"${order.clientOrderId}",${texts(order)}"marketCode":"${market.code}",` +
    `"status":"${state}","side":"${order.side}",${prices(market, order)}` +
    `"isTriggered":${order.isTriggered},"quantity":"${quantity}",` +
    `"amount":"${market.amount(order.amountParts)}",` +
    `"displayQuantity":"${market.quantity(order.displayLots)}",` +
    `"remainQuantity":"${market.quantity(order.openLots)}",${lastMatch(directory, standing)}` +
    `"orderType":"${order.orderType}",` +
    `${order.isStop ? `"triggerType":"${order.triggerType}",` : ''}` +
    `${order.reduceOnly ? '"reduceOnly":true,' : ''}` +
    `"timeInForce":"${order.timeInForce}","source":"${order.source}",` +
    `"createdAt":"${order.createdAtMs}","lastModifiedAt":"${order.lastModifiedAtMs}"` +
    `${order.lastMatchedAtMs === 0 ? '' : `,"lastMatchedAt":"${order.lastMatchedAtMs}"`}}`
  );
}

function closedByRule({ reason, order }: OrderStanding): string {
  if (reason === undefined || order.filledLots > 0) return '';
  const { code, message } = REJECTIONS[reason];
  return `"code":"${code}","message":${JSON.stringify(message)},`;
}

/** Texts come from callers, so they are escaped. Each is followed by a comma. */
export function texts({ texts: sent }: OrderRecord): string {
  if (sent === undefined) return '';
  let members = '';
  for (const [name, text] of Object.entries(sent)) {
    if (text !== undefined) members += `"${name}":${JSON.stringify(text)},`;
  }
  return members;
}

function prices(market: MarketPrinter, order: OrderRecord): string {
  const hasLimit = order.orderType === 'LIMIT' || order.orderType === 'STOP_LIMIT';
  const limit = hasLimit ? `"price":"${market.price(order.priceTicks)}",` : '';
  return order.isStop ? `${limit}"stopPrice":"${market.price(order.stopTicks)}",` : limit;
}

function lastMatch(directory: Directory, { order, match }: OrderStanding): string {
  if (match === undefined) return '';
  const { event, side } = match;
  const market = printerOf(directory, directory.market(event.market));
  const ofOrder = printerOf(directory, directory.market(order.market));
  const fee = directory.asset(side.feeAsset);
  return (
    `"matchId":"${matchIdText(event.market, event.match)}",` +
    `"matchPrice":"${market.price(event.priceTicks)}",` +
    `"matchQuantity":"${market.quantity(event.lots)}","feeInstrumentId":"${fee.code}",` +
    `"fees":"${textFromParts(side.fee, fee.scale, 1)}",` +
    `"cumulativeMatchedQuantity":"${market.quantity(order.filledLots)}",` +
    `"avgFillPrice":"${ofOrder.average(order)}",`
  );
}
