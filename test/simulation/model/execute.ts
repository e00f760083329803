import type { Rejection } from '../../../src/domain/rejections.ts';
import type { OrderState } from '../../../src/domain/terms.ts';
import { bookSide, otherSide, sliceOf, type Walk, walkBook } from './book.ts';
import { canRest, checkBand } from './checks.ts';
import { line, modelOrderText } from './event-lines.ts';
import { settleMatch } from './settle.ts';
import {
  isByAmount,
  type Model,
  type ModelOrder,
  marketAt,
  NO_ELEMENT,
  sweepStops,
} from './state.ts';

/**
 * An accepted order meets the book, then rests or ends. It meets at most `most` orders; returns how many it
 * met.
 */
export function executeOrder(
  model: Model,
  order: ModelOrder,
  element: number,
  most: number,
): number {
  const priceTicks = makerTicks(model, order);
  if (priceTicks === undefined) {
    closeOrder(model, order, element, 'CANCELED_BY_MAKER_ONLY');
    return 0;
  }
  order.priceTicks = priceTicks;
  const walk = walkBook(model, order, most);
  carryOut(model, order, walk);
  endOrRest(model, order, walk, element);
  return walk.met;
}

function endOrRest(model: Model, order: ModelOrder, walk: Walk, element: number): void {
  if (walk.endedBy === 'own') {
    closeOrder(model, order, element, 'CANCELED_BY_SELF_TRADE_PROTECTION');
  } else if (walk.endedBy === 'spent') {
    closeOrder(model, order, element, 'CANCELED_BY_USER', 'POSITION_TOO_SMALL');
  } else if (isFilled(order)) closeOrder(model, order, element, 'FILLED');
  else if (walk.endedBy !== 'cut' && canRest(order)) restOrder(model, order, element);
  else {
    const isUntouched = order.filledCost === 0n;
    closeOrder(
      model,
      order,
      element,
      isUntouched ? 'CANCELED_ALL_BY_IOC' : 'CANCELED_PARTIAL_BY_IOC',
      walk.endedBy === 'cut' ? 'BUSY' : undefined,
    );
  }
}

/**
 * The price at which the order would enter the book: undefined for a post-only order that would take; one
 * that may be repriced goes one tick before the best price, if that is inside the band.
 */
export function makerTicks(model: Model, order: ModelOrder): number | undefined {
  const { priceTicks, side, timeInForce } = order;
  if (timeInForce !== 'MAKER_ONLY' && timeInForce !== 'MAKER_ONLY_REPRICE') return priceTicks;
  const best = bookSide(model, order.market, otherSide(side))[0]?.priceTicks;
  if (best === undefined) return priceTicks;
  const wouldTake = side === 'BUY' ? priceTicks >= best : priceTicks <= best;
  if (!wouldTake) return priceTicks;
  const repriced = side === 'BUY' ? best - 1 : best + 1;
  const isInside = checkBand(marketAt(model, order.market), repriced) === undefined;
  return timeInForce === 'MAKER_ONLY' || repriced < 1 || !isInside ? undefined : repriced;
}

function carryOut(model: Model, order: ModelOrder, walk: Walk): void {
  for (const meeting of walk.meetings) {
    const { maker } = meeting;
    if (meeting.kind === 'expire') {
      closeOrder(model, maker, NO_ELEMENT, 'CANCELED_BY_SELF_TRADE_PROTECTION');
    } else if (meeting.kind === 'spent') {
      closeOrder(model, maker, NO_ELEMENT, 'CANCELED_BY_USER', 'POSITION_TOO_SMALL');
    } else {
      settleMatch(model, order, maker, meeting.lots);
      maker.sliceLots -= meeting.lots;
      if (maker.openLots === 0) closeOrder(model, maker, NO_ELEMENT, 'FILLED');
      else if (maker.sliceLots === 0) {
        maker.sliceLots = sliceOf(maker);
        maker.seat = model.nextSeat++;
      }
      checkLastPriceStops(model, order.market);
    }
  }
}

/** An amount that is spent completely is filled. */
const isFilled = (order: ModelOrder): boolean =>
  isByAmount(order) ? order.filledCost === order.amountParts : order.openLots === 0;

export function restOrder(model: Model, order: ModelOrder, element: number): void {
  order.isOnItsWay = false;
  order.seat = model.nextSeat++;
  order.sliceLots = sliceOf(order);
  emitOrder(model, 'order-opened', order, element);
}

export function closeOrder(
  model: Model,
  order: ModelOrder,
  element: number,
  state: OrderState,
  reason?: Rejection,
): void {
  model.orders = model.orders.filter((other) => other !== order);
  model.emitted.push(
    line('order-closed', { element, state, reason, order: modelOrderText(order) }),
  );
}

export function emitOrder(
  model: Model,
  kind: 'order-opened' | 'order-modified' | 'order-triggered',
  order: ModelOrder,
  element: number,
): void {
  model.emitted.push(line(kind, { element, order: modelOrderText(order) }));
}

function checkLastPriceStops(model: Model, market: number): void {
  const waits = model.orders.some(
    (order) => order.market === market && order.isWaiting && order.triggerType === 'LAST_PRICE',
  );
  if (waits) sweepStops(model, market);
}
