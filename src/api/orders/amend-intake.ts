import { wholeFromText } from '../../domain/decimal.ts';
import type { MarketSpec } from '../../domain/market.ts';
import type { Amendment, OrderRef } from '../../domain/orders.ts';
import { isRefusal, type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { ORDER_TYPES, SIDES } from '../../domain/terms.ts';
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
  const id = wholeFromText(text);
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
  const typeSent = textOf(members, 'orderType');
  const type = typeSent === 'STOP' ? 'STOP_LIMIT' : typeSent;
  const limit = limitOf(members, type);
  const stopText = textOf(members, 'stopPrice') ?? textOf(members, 'triggerPrice');
  const quantityText = textOf(members, 'quantity');
  if (limit === undefined && stopText === undefined && quantityText === undefined) {
    return refuse('AMEND_INVALID', 'one of price, stopPrice, quantity must be named');
  }
  const sizeLots = quantityText === undefined ? 0 : readQuantity(quantityText, spec);
  if (typeof sizeLots === 'object') return sizeLots;
  const priceTicks = limit === undefined ? 0 : readLimit(limit, spec);
  if (typeof priceTicks === 'object') return priceTicks;
  const stopTicks = stopText === undefined ? 0 : readPrice('stopPrice', stopText, spec);
  if (typeof stopTicks === 'object') return stopTicks;
  const side = readRepeated('side', textOf(members, 'side'), SIDES);
  if (typeof side === 'object') return side;
  const orderType = readRepeated('orderType', type, ORDER_TYPES);
  if (typeof orderType === 'object') return orderType;
  return {
    ...ref,
    version: directory.marketVersion(ref.market),
    ...{ priceTicks, stopTicks, sizeLots },
    ...(side === undefined ? {} : { side }),
    ...(orderType === undefined ? {} : { orderType }),
  };
}

/** The limit as it was sent, and what else was sent that may be it. */
type LimitSent = {
  readonly name: 'price' | 'limitPrice';
  readonly text: string;
  readonly other?: string;
};

/**
 * The limit of a LIMIT order is its price, that of a stop its limitPrice, as when it was placed. Answers of the
 * stream show both, so both may come back: without the type, two that differ could each be the new one.
 */
function limitOf(members: Members, type: string | undefined): LimitSent | undefined {
  const price = textOf(members, 'price');
  const limitPrice = textOf(members, 'limitPrice');
  if (limitPrice === undefined) {
    return price === undefined ? undefined : { name: 'price', text: price };
  }
  if (price === undefined) return { name: 'limitPrice', text: limitPrice };
  if (type === 'LIMIT') return { name: 'price', text: price };
  if (type === 'STOP_LIMIT') return { name: 'limitPrice', text: limitPrice };
  return { name: 'limitPrice', text: limitPrice, other: price };
}

function readLimit({ name, text, other }: LimitSent, spec: MarketSpec): number | Refusal {
  const ticks = readPrice(name, text, spec);
  if (typeof ticks === 'object' || other === undefined) return ticks;
  const otherTicks = readPrice('price', other, spec);
  if (typeof otherTicks === 'object' || otherTicks === ticks) return otherTicks;
  return refuse(
    'AMEND_INVALID',
    `price ${shortened(other)} and limitPrice ${shortened(text)} differ: send one of them, or the orderType`,
  );
}

/** A member of the order that cannot change. Only the engine knows whether it is the order's. */
function readRepeated<const Word extends string>(
  name: string,
  sent: string | undefined,
  words: readonly Word[],
): Word | undefined | Refusal {
  if (sent === undefined) return undefined;
  const word = words.find((one) => one === sent);
  if (word !== undefined) return word;
  const others = words.join(', ');
  return refuse(
    'AMEND_INVALID',
    `${name} ${shortened(sent)} is none of ${others}; it cannot change`,
  );
}
