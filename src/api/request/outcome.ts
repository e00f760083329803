import { assert } from '../../domain/assert.ts';
import { type Event, NO_ELEMENT, type OrderMatched, type Outcome } from '../../domain/events.ts';
import { type MatchSide, type OrderRecord, openState } from '../../domain/orders.ts';
import type { Refusal, Rejection } from '../../domain/rejections.ts';
import type { OrderState } from '../../domain/terms.ts';
import { type Amount, lots } from '../../domain/units.ts';

/**
 * The result of each order of a command, after everything that the command caused: a stop that triggers
 * at once, or an order that another of the same request matches or expires.
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

/** Made from the outcome alone, so that a repeated request gets the same response, after a crash too. */
export function resultsOf({ events, timeMs }: Outcome): readonly (OrderResult | undefined)[] {
  const results: (OrderResult | undefined)[] = [];
  const elementByOrderId = new Map<number, number>();
  const matchByOrderId = new Map<number, OrderStanding['match']>();

  const stand = (event: StandingEvent): void => {
    const { orderId } = event.order;
    const element = elementByOrderId.get(orderId) ?? event.element;
    const before = results[element];
    // An event of somebody else's order is not a result of this request.
    if (before === undefined && !isResult(event)) return;
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
const isResult = ({ element }: StandingEvent): boolean => element !== NO_ELEMENT;

/** A match event has only what is left open; the order came in an earlier event. */
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

/** The event of the outcome that has this kind, or the refusal. */
export function eventOf<Kind extends Event['kind']>(
  outcome: Outcome,
  kind: Kind,
): Extract<Event, { readonly kind: Kind }> | Refusal {
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) return refusal;
  const found = outcome.events.find((event) => event.kind === kind);
  assert(found !== undefined, 'what is not refused is done');
  return found as Extract<Event, { readonly kind: Kind }>;
}
