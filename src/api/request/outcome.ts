import { assert } from '../../domain/assert.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/event-codec.ts';
import { type Event, NO_ELEMENT, type OrderMatched, type Outcome } from '../../domain/events.ts';
import { type MatchSide, type OrderRecord, openState } from '../../domain/orders.ts';
import type { Refusal, Rejection } from '../../domain/rejections.ts';
import { EventWalk, matchOf, matchSideOf, storedOrderOf } from '../../domain/stored-events.ts';
import type { OrderState } from '../../domain/terms.ts';
import { type Amount, lots, sequence, timeMs } from '../../domain/units.ts';
import type { Submitted } from '../../engine/engine.ts';

/**
 * The result of each order of a command, after everything that the command caused: a stop that triggers
 * at once, or an order that another of the same request matches or expires.
 */
export type OrderResult = Refusal | OrderStanding;

export type OrderEnd = {
  readonly order: OrderRecord;
  /** The rule that closed it, if one did. */
  readonly reason: Rejection | undefined;
};

export type OrderStanding = OrderEnd & {
  readonly state: OrderState;
  readonly isModified: boolean;
  /** Its last match within the command. */
  readonly match: { readonly event: OrderMatched; readonly side: MatchSide } | undefined;
};

/**
 * The outcome with only the events that `refusalOf` and `resultsOf` read. An order that meets ten thousand
 * others has twenty thousand events, nearly all of them about other accounts' orders: decoding them takes
 * longer than matching them. A small outcome is decoded as a whole, which is cheaper than choosing from it.
 */
export function outcomeForResults(submitted: Submitted, wholeBytesMax = WHOLE_BYTES_MAX): Outcome {
  const { encoded } = submitted;
  if (encoded === undefined || encoded.bytes.length <= wholeBytesMax) return submitted.outcome;
  const { bytes } = encoded;
  const orderIds = orderIdsOfElements(bytes);
  if (orderIds === undefined) return submitted.outcome;
  const wanted = placesOfResults(bytes, orderIds);
  const events: Event[] = [];
  walk.open(bytes);
  for (let place = 0; walk.next(); place++) if (wanted.has(place)) events.push(walk.decode());
  return { sequence: sequence(encoded.sequence), timeMs: timeMs(walk.timeMs), events };
}

/** Some twenty events: eight orders of one request, each met by another one. */
const WHOLE_BYTES_MAX = 4_096;
/** Reused, within one call at a time. */
const walk = new EventWalk();

/** The orders that are elements of the request. Undefined if the events are in the first version's format. */
function orderIdsOfElements(outcome: Uint8Array): ReadonlySet<number> | undefined {
  const orderIds = new Set<number>();
  walk.open(outcome);
  while (walk.next()) {
    if (walk.isOld) return undefined;
    if (!isOfOrder(walk.kind) || storedOrderOf.element(walk) === NO_ELEMENT) continue;
    orderIds.add(storedOrderOf.orderId(walk));
  }
  return orderIds;
}

/**
 * Places of the events that are needed: refusals, all events of these orders, and of their matches those behind the first such
 * event and the last one before it, because the event itself has the sums of those before.
 */
function placesOfResults(outcome: Uint8Array, orderIds: ReadonlySet<number>): ReadonlySet<number> {
  const wanted = new Set<number>();
  const known = new Set<number>();
  const lastMatches = new Map<number, number>();
  const stand = (orderId: number, place: number): void => {
    if (!orderIds.has(orderId)) return;
    wanted.add(place);
    known.add(orderId);
    const lastMatch = lastMatches.get(orderId);
    if (lastMatch !== undefined) wanted.add(lastMatch);
  };
  const meet = (orderId: number, place: number): void => {
    if (known.has(orderId)) wanted.add(place);
    else if (orderIds.has(orderId)) lastMatches.set(orderId, place);
  };

  walk.open(outcome);
  for (let place = 0; walk.next(); place++) {
    const { kind } = walk;
    if (isOfOrder(kind)) stand(storedOrderOf.orderId(walk), place);
    else if (kind === MATCHED) {
      meet(matchSideOf.orderId(walk, matchOf.taker(walk)), place);
      meet(matchSideOf.orderId(walk, matchOf.maker(walk)), place);
    } else if (kind === REFUSED || kind === ORDER_REFUSED) wanted.add(place);
  }
  return wanted;
}

const [MATCHED, REFUSED, ORDER_REFUSED, OPENED, MODIFIED, TRIGGERED, CLOSED] = (
  [
    ...['order-matched', 'refused', 'order-refused', 'order-opened', 'order-modified'],
    ...['order-triggered', 'order-closed'],
  ] as EventKind[]
).map((kind) => EVENT_KINDS.indexOf(kind));

const isOfOrder = (kind: number): boolean =>
  kind === OPENED || kind === CLOSED || kind === MODIFIED || kind === TRIGGERED;

/** Built from the outcome alone, so that a repeated request gets the same response, after a crash too. */
export function resultsOf({ events, timeMs }: Outcome): readonly (OrderResult | undefined)[] {
  const results: (OrderResult | undefined)[] = [];

  const stand = (event: StandingEvent, at: number): void => {
    const { orderId } = event.order;
    const element = isResult(event) ? event.element : elementOf(results, orderId);
    const before = results[element];
    // An event about somebody else's order is not a result of this request.
    if (before === undefined && !isResult(event)) return;
    const wasModified = before !== undefined && 'order' in before && before.isModified;
    results[element] = {
      order: event.order,
      state: event.kind === 'order-closed' ? event.state : openState(event.order),
      reason: event.kind === 'order-closed' ? event.reason : undefined,
      isModified: wasModified || event.kind === 'order-modified',
      match: lastMatchOf(events, at, orderId, element),
    };
  };
  const meet = (event: OrderMatched, side: MatchSide): void => {
    const element = elementOf(results, side.orderId);
    const before = results[element];
    if (before === undefined || !('order' in before)) return;
    const order = matched(before.order, event, side, timeMs);
    const state = side.openLots === 0 ? 'FILLED' : openState(order);
    results[element] = { ...before, order, state, match: { event, side } };
  };

  for (let at = 0; at < events.length; at++) {
    const event = events[at] as Event;
    if (event.kind === 'order-refused') {
      results[event.element] = { rejected: event.reason, message: event.message };
    } else if (event.kind === 'order-matched') {
      meet(event, event.taker);
      meet(event, event.maker);
    } else if (isStanding(event)) stand(event, at);
  }
  return results;
}

/**
 * The last element so far whose result is about an order, or -1: a request may amend the same order several times.
 * With few elements a linear search is cheaper than a map.
 */
function elementOf(results: readonly (OrderResult | undefined)[], orderId: number): number {
  for (let element = results.length - 1; element >= 0; element--) {
    const result = results[element];
    if (result !== undefined && 'order' in result && result.order.orderId === orderId)
      return element;
  }
  return -1;
}

/** The last match of an order before an event, unless it was made by an earlier element of the request. */
function lastMatchOf(
  events: readonly Event[],
  before: number,
  orderId: number,
  element: number,
): OrderStanding['match'] {
  for (let at = before - 1; at >= 0; at--) {
    const event = events[at] as Event;
    if (event.kind !== 'order-matched') {
      if (!isStanding(event) || event.order.orderId !== orderId) continue;
      if (isResult(event) && event.element !== element) return undefined;
      continue;
    }
    if (event.maker.orderId === orderId) return { event, side: event.maker };
    if (event.taker.orderId === orderId) return { event, side: event.taker };
  }
  return undefined;
}

/** The first event of these kinds; no other is decoded. */
export function firstOf<Kind extends EventKind>(
  submitted: Submitted,
  kinds: readonly Kind[],
): Extract<Event, { readonly kind: Kind }> | undefined {
  const isWanted = (kind: EventKind | undefined): boolean =>
    kinds.some((one) => (one as EventKind) === kind);
  const find = (): Event | undefined => {
    const { encoded } = submitted;
    if (encoded === undefined) return submitted.outcome.events.find(({ kind }) => isWanted(kind));
    walk.open(encoded.bytes);
    while (walk.next()) if (isWanted(EVENT_KINDS[walk.kind])) return walk.decode();
    return undefined;
  };
  return find() as Extract<Event, { readonly kind: Kind }> | undefined;
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

/** A match event has only the open quantity; the order was in an earlier event. */
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
