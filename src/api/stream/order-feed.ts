import { textFromParts } from '../../domain/decimal.ts';
import type { Event, OrderMatched } from '../../domain/events.ts';
import { accountIdText } from '../../domain/ids.ts';
import { quantityText } from '../../domain/market.ts';
import { type MatchSide, matchIdText, type OrderRecord, openState } from '../../domain/orders.ts';
import type { Rejection } from '../../domain/rejections.ts';
import type { MatchType, Notice, OrderState, OrderType } from '../../domain/terms.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import { amountText } from '../figures.ts';
import {
  closedByRule,
  conditionsOf,
  enginePrice,
  isByAmount,
  settleAssetOf,
} from '../orders/shapes.ts';
import type { EventBatch, Feed, FeedParts } from './feed.ts';

/**
 * Everything that happens to the orders of an account, one order per message, in order. A new listener with
 * numbered messages first gets all open orders in one message.
 */
export function orderFeed({ source, emit }: FeedParts, account: AccountIndex): Feed {
  const { directory } = source;
  const find = (orderId: number): OrderRecord | undefined =>
    source.view('orders', { account, orderId })[0];
  return {
    first: (isCounted) => {
      if (!isCounted) return [];
      const orders = source.view('orders', { account });
      const texts = orders.map((order) => {
        const update = { notice: 'OrderOpened', status: openState(order), order } as const;
        return orderText(directory, update, order.lastModifiedAtMs);
      });
      return [`{"table":"order","action":"partial","data":[${texts.join(',')}]}`];
    },
    onEvents: (batch) => {
      if (batch.isCancelAll === true) {
        emit(`{"event":"CANCEL","submitted":true,"timestamp":"${batch.timeMs}"}`, 'event');
      }
      for (const update of updatesOf(batch, account, find)) {
        const text = orderText(directory, update, batch.timeMs);
        emit(`{"table":"order","data":[${text}]}`, 'event');
      }
    },
  };
}

/** One message: the order after the event, and the match it is about. */
type OrderUpdate = {
  readonly notice: Notice;
  readonly status: OrderState;
  readonly order: OrderRecord;
  /** The rule that closed it, if one did. */
  readonly reason?: Rejection | undefined;
  readonly match?: {
    readonly event: OrderMatched;
    readonly side: MatchSide;
    readonly type: MatchType;
  };
};

/**
 * A match event has only the open quantity; the order itself is in a later event of the command, or still
 * open. A taker that rests after a match is not published as opened, nor is one that was modified, unless it is a
 * stop that the change has triggered.
 */
function updatesOf(
  { events }: EventBatch,
  account: AccountIndex,
  find: (orderId: number) => OrderRecord | undefined,
): OrderUpdate[] {
  const final = finalOrders(events);
  const lastMatch = new Map<number, OrderMatched>();
  for (const event of events) {
    if (event.kind !== 'order-matched') continue;
    lastMatch.set(event.taker.orderId, event);
    lastMatch.set(event.maker.orderId, event);
  }
  /** By order: the place of its last such update. */
  const modified = new Map<number, number>();
  const updates: OrderUpdate[] = [];
  const meet = (event: OrderMatched, side: MatchSide, type: MatchType): void => {
    if (side.account !== account) return;
    const ended = final.get(side.orderId);
    const order = ended?.order ?? find(side.orderId);
    if (order === undefined) return;
    const isLast = lastMatch.get(side.orderId) === event;
    const status = isLast && ended?.state === 'FILLED' ? 'FILLED' : 'PARTIAL_FILL';
    updates.push({ notice: 'OrderMatched', status, order, match: { event, side, type } });
  };
  for (const event of events) {
    if (event.kind === 'order-matched') {
      meet(event, event.taker, 'TAKER');
      meet(event, event.maker, 'MAKER');
      continue;
    }
    if (!('order' in event) || event.order.account !== account) continue;
    const { order } = event;
    if (event.kind === 'order-modified') {
      modified.set(order.orderId, updates.length);
      updates.push({ notice: 'OrderModified', status: 'OPEN', order });
    } else if (event.kind === 'order-closed') {
      if (event.state === 'FILLED') continue;
      updates.push({ notice: 'OrderClosed', status: event.state, order, reason: event.reason });
    } else if (event.kind === 'order-opened') {
      const at = modified.get(order.orderId) ?? -1;
      const before = updates[at];
      if (before !== undefined && before.order.isTriggered === order.isTriggered) {
        // A post-only order may rest at another price than the one that was asked for.
        const { priceTicks } = order;
        updates[at] = { ...before, order: { ...before.order, priceTicks } };
      } else if (order.filledLots === 0) {
        updates.push({ notice: 'OrderOpened', status: 'OPEN', order });
      }
    }
  }
  return updates;
}

type Final = { readonly order: OrderRecord; readonly state: OrderState | undefined };

/** The last record of each order. */
function finalOrders(events: readonly Event[]): Map<number, Final> {
  const final = new Map<number, Final>();
  for (const event of events) {
    if (!('order' in event)) continue;
    const state = event.kind === 'order-closed' ? event.state : undefined;
    final.set(event.order.orderId, { order: event.order, state });
  }
  return final;
}

/** A triggered stop shows the type that it has become. */
const typeNow = ({ orderType, isTriggered }: OrderRecord): OrderType => {
  if (!isTriggered) return orderType;
  return orderType === 'STOP_LIMIT' ? 'LIMIT' : 'MARKET';
};

function orderText(directory: Directory, update: OrderUpdate, timeMs: number): string {
  const { order, match, reason } = update;
  const spec = directory.market(order.market);
  const quantity = (lots: number): string => quantityText(spec, lots, 1);
  // A stop without a limit gets its protective price when it triggers.
  const limit = enginePrice(spec, order.priceTicks === 0 ? order.stopTicks : order.priceTicks);
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  return JSON.stringify({
    accountId: accountIdText(order.account),
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    orderId: String(order.orderId),
    price: limit,
    quantity: quantity(isByAmount(order) ? 0 : order.totalLots),
    amount: textFromParts(order.amountParts, scale, 1),
    side: order.side,
    status: update.status,
    marketCode: spec.code,
    timeInForce: order.timeInForce,
    timestamp: String(timeMs),
    remainQuantity: quantity(match?.side.openLots ?? order.openLots),
    limitPrice: limit,
    notice: update.notice,
    orderType: typeNow(order),
    isTriggered: String(order.isTriggered),
    displayQuantity: quantity(order.displayLots),
    ...(order.isStop ? { stopPrice: enginePrice(spec, order.stopTicks) } : {}),
    ...conditionsOf(order),
    ...(match === undefined ? {} : matchOf(directory, match)),
    ...closedByRule({ reason, order }),
    createdAt: String(order.createdAtMs),
  });
}

function matchOf(
  directory: Directory,
  { event, side, type }: NonNullable<OrderUpdate['match']>,
): object {
  const spec = directory.market(event.market);
  return {
    matchId: matchIdText(event.market, event.match),
    matchPrice: enginePrice(spec, event.priceTicks),
    matchQuantity: quantityText(spec, event.lots, 1),
    orderMatchType: type,
    fees: amountText(directory, side.feeAsset, side.fee),
    feeInstrumentId: directory.asset(side.feeAsset).code,
  };
}
