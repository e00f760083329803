import { decimalFromText, partsFromDecimal } from '../../domain/decimal.ts';
import type { Amendment, OrderRecord, OrderRef } from '../../domain/orders.ts';
import { isRefusal, type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import type { Directory } from '../../domain/views.ts';
import { type Members, membersOf, textOf } from '../request/members.ts';
import { readClientOrderId, readMarket, readPrice, readQuantity } from './intake.ts';
import { readName } from './text-intake.ts';

/** Which open order is meant, and what it should become: parsed as strictly as a new order. */

export function readRef(directory: Directory, sent: unknown): OrderRef | Refusal {
  const members = membersOf(sent);
  const market = readMarket(directory, members);
  if (isRefusal(market)) return market;
  const orderId = readOrderId(textOf(members, 'orderId') ?? textOf(members, 'orderID'));
  if (typeof orderId === 'object') return orderId;
  const clientOrderId = readClientOrderId(members);
  if (typeof clientOrderId === 'object') return clientOrderId;
  const hasId = orderId !== 0 || clientOrderId !== 0n;
  const named = readName(members, hasId);
  if (named === undefined) {
    if (!hasId) return refuse('ORDER_ID_REQUIRED');
    return { market: market.index, orderId, clientOrderId };
  }
  return isRefusal(named) ? named : { market: market.index, orderId, clientOrderId, named };
}

/** An id that is well-formed and that no order will ever have. */
export const NO_SUCH_ORDER = Number.MAX_SAFE_INTEGER;

/** 0 if none was given. Beyond 2^53 this venue has none, which is not the caller's mistake. */
export function readOrderId(text: string | undefined): number | Refusal {
  if (text === undefined) return 0;
  const read = decimalFromText(text);
  const id = read === undefined ? undefined : partsFromDecimal(read, 0);
  if (id === undefined || id < 0n) {
    return refuse('ORDER_ID_INVALID', `${shortened(text)} is no id of digits`);
  }
  return id > BigInt(NO_SUCH_ORDER) ? NO_SUCH_ORDER : Number(id);
}

export function readAmendment(directory: Directory, sent: unknown): Amendment | Refusal {
  const ref = readRef(directory, sent);
  if (isRefusal(ref)) return ref;
  const members = membersOf(sent);
  const spec = directory.market(ref.market);
  const limitName = textOf(members, 'limitPrice') === undefined ? 'price' : 'limitPrice';
  const priceText = textOf(members, limitName);
  const stopText = textOf(members, 'stopPrice') ?? textOf(members, 'triggerPrice');
  const quantityText = textOf(members, 'quantity');
  if (priceText === undefined && stopText === undefined && quantityText === undefined) {
    return refuse('AMEND_INVALID', 'one of price, stopPrice, quantity must be named');
  }
  const sizeLots = quantityText === undefined ? 0 : readQuantity(quantityText, spec);
  if (typeof sizeLots === 'object') return sizeLots;
  const priceTicks = priceText === undefined ? 0 : readPrice(limitName, priceText, spec);
  if (typeof priceTicks === 'object') return priceTicks;
  const stopTicks = stopText === undefined ? 0 : readPrice('stopPrice', stopText, spec);
  if (typeof stopTicks === 'object') return stopTicks;
  return { ...ref, version: directory.marketVersion(ref.market), priceTicks, stopTicks, sizeLots };
}

/** Members that an amendment may repeat from its order but never change. */
export function checkUnchanged(sent: unknown, order: OrderRecord): Refusal | undefined {
  const members = membersOf(sent);
  const orderType = textOf(members, 'orderType');
  const typeSent = orderType === 'STOP' ? 'STOP_LIMIT' : orderType;
  const isWaiting = order.isStop && !order.isTriggered;
  return (
    differs('side', textOf(members, 'side'), order.side) ??
    differs('orderType', typeSent, order.orderType) ??
    (namesStop(members) && !isWaiting
      ? refuse('AMEND_INVALID', 'stopPrice is for stop orders that have not been triggered')
      : undefined)
  );
}

/** Whether there is anything to compare with the order; most amendments have price or size alone. */
export function mayForbid(sent: unknown): boolean {
  const members = membersOf(sent);
  return namesStop(members) || members['side'] !== undefined || members['orderType'] !== undefined;
}

const namesStop = (members: Members): boolean =>
  textOf(members, 'stopPrice') !== undefined || textOf(members, 'triggerPrice') !== undefined;

const differs = (name: string, sent: string | undefined, has: string): Refusal | undefined =>
  sent === undefined || sent === has
    ? undefined
    : refuse('AMEND_INVALID', `${name} ${shortened(sent)} cannot change; nearest ${has}`);
