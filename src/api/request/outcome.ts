import { type Event, NO_ELEMENT, type OrderMatched, type Outcome } from '../../domain/events.ts';
import { type MatchSide, type OrderRecord, openState } from '../../domain/orders.ts';
import type { Refusal, Rejection } from '../../domain/rejections.ts';
import type { OrderState } from '../../domain/terms.ts';
import { type Amount, lots } from '../../domain/units.ts';

/**
 * What became of each order of a command: how it stands when everything the command set in motion
 * is done. A stop that fires at once, an order that its neighbour matches or expires: all of that
 * happens within the command, so the answer shows it.
 */
export type OrderResult = Refusal | OrderStanding;

export type OrderStanding = {
  readonly order: OrderRecord;
  readonly state: OrderState;
  /** The rule that closed it, where one did. */
  readonly reason: Rejection | undefined;
  readonly isModified: boolean;
  /** Its last match within the command. */
  readonly match: { readonly event: OrderMatched; readonly side: MatchSide } | undefined;
};

/** Made from the outcome alone, so that a repeat says the same, after a crash too. */
export function resultsOf({ events, timeMs }: Outcome): readonly (OrderResult | undefined)[] {
  const results: (OrderResult | undefined)[] = [];
  const elementByOrderId = new Map<number, number>();
  const matchByOrderId = new Map<number, OrderStanding['match']>();

  const stand = (event: StandingEvent): void => {
    const { orderId } = event.order;
    const element = elementByOrderId.get(orderId) ?? event.element;
    const before = results[element];
    // A consequence for an order of somebody else answers nobody here.
    if (before === undefined && !isAnswer(event)) return;
    elementByOrderId.set(orderId, element);
    const wasModified = before !== undefined && 'order' in before && before.isModified;
    results[element] = {
      order: event.order,
      state: event.kind === 'order-closed' ? event.state : openState(event.order),
      reason: event.kind === 'order-closed' ? event.reason : undefined,
      isModified: wasModified || event.kind === 'order-modified',
      match: matchByOrderId.get(orderId),
    };
  };
  const meet = (event: OrderMatched, side: MatchSide): void => {
    matchByOrderId.set(side.orderId, { event, side });
    const element = elementByOrderId.get(side.orderId);
    const before = element === undefined ? undefined : results[element];
    if (element === undefined || before === undefined || !('order' in before)) return;
    const order = matched(before.order, event, side, timeMs);
    const state = side.openLots === 0 ? 'FILLED' : openState(order);
    results[element] = { ...before, order, state, match: { event, side } };
  };

  for (const event of events) {
    if (event.kind === 'order-refused') {
      results[event.element] = { rejected: event.reason, message: event.message };
    } else if (event.kind === 'order-matched') {
      meet(event, event.taker);
      meet(event, event.maker);
    } else if (isStanding(event)) stand(event);
  }
  return results;
}

/** The refusal of the whole command, if it was refused. */
export function refusalOf({ events }: Outcome): Refusal | undefined {
  for (const event of events) {
    if (event.kind === 'refused') return { rejected: event.reason, message: event.message };
  }
  return undefined;
}

type StandingEvent = Extract<Event, { readonly order: OrderRecord }>;

const isStanding = (event: Event): event is StandingEvent => 'order' in event;
const isAnswer = ({ element }: StandingEvent): boolean => element !== NO_ELEMENT;

/** A match tells only what is left; its order was told before. */
const matched = (
  order: OrderRecord,
  { value }: OrderMatched,
  { openLots }: MatchSide,
  timeMs: number,
): OrderRecord => ({
  ...order,
  openLots,
  filledLots: lots(order.totalLots - openLots),
  filledCost: (order.filledCost + value) as Amount,
  lastMatchedAtMs: timeMs,
});
