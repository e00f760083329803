import { ByteReader, ByteWriter } from '../bytes/pack.ts';
import { assert } from './assert.ts';
import {
  decodeEvents,
  EVENT_KINDS,
  encodeClosed,
  encodeMatched,
  isNumbered,
  kindOfNumber,
  MATCH_SIDES_AT,
} from './event-codec.ts';
import type { Event } from './events.ts';
import {
  MATCH_SIDE_BYTES,
  SIDE_ACCOUNT,
  SIDE_FEE,
  SIDE_REALISED,
  SIDE_TEXTS,
} from './order-codec.ts';
import {
  FLAG_TEXTS,
  ORDER_OFFSETS,
  type OrderTexts,
  RECORD_BYTES,
  RECORD_START,
} from './order-layout.ts';
import { readTexts } from './order-texts.ts';
import { type AccountIndex, type Amount, amount, type MarketIndex } from './units.ts';

/** One event of a stored outcome in place, including its header; valid until the next step. */
export type StoredEvent = {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
};

/**
 * Walks outcomes event by event and decodes only what is needed: history ignores half of all events. One walk
 * serves many outcomes, because creating views for each would cost more than the walk.
 *
 * Matches and closed orders of the first version are returned in the current encoding.
 */
export class EventWalk implements StoredEvent {
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);
  start = 0;
  end = 0;
  timeMs = 0;
  /** Index in EVENT_KINDS. */
  kind = 0;
  /** Whether the first version wrote it. */
  isOld = false;
  #outcomes = this.bytes;
  #view = this.view;
  #next = 0;
  #outcomeEnd = 0;
  readonly #again = new ByteWriter();

  /** Moves to the beginning of an outcome, as `encodeOutcome` wrote it. */
  open(outcome: Uint8Array): void {
    if (outcome.buffer !== this.#outcomes.buffer) {
      this.#outcomes = new Uint8Array(outcome.buffer);
      this.#view = new DataView(outcome.buffer);
    }
    this.timeMs = this.#view.getFloat64(outcome.byteOffset, true);
    this.#next = outcome.byteOffset + TIME_BYTES;
    this.#outcomeEnd = outcome.byteOffset + outcome.length;
  }

  /** Moves to the next event; false after the last. */
  next(): boolean {
    if (this.#next === this.#outcomeEnd) return false;
    this.bytes = this.#outcomes;
    this.view = this.#view;
    this.start = this.#next;
    this.end = this.start + LENGTH_BYTES + this.view.getUint32(this.start, true);
    assert(this.end <= this.#outcomeEnd, 'an event lies within its outcome');
    this.#next = this.end;
    const numbered = NUMBERED[this.view.getUint8(this.start + LENGTH_BYTES)];
    assert(numbered !== undefined, 'an encoded event is of a known kind');
    this.kind = numbered.kind;
    this.isOld = numbered.isOld;
    if (this.isOld) this.#renew();
    return true;
  }

  /** Whether its entries are numbered by its position in the log, not by its command. */
  get isNumbered(): boolean {
    return NUMBERED_KINDS[this.kind] === true;
  }

  decode(): Event {
    const [event] = decodeEvents(this.bytes.subarray(this.start, this.end));
    assert(event !== undefined, 'a step of the walk is one event');
    return event;
  }

  #renew(): void {
    const kind = EVENT_KINDS[this.kind];
    if (kind !== 'order-matched' && kind !== 'order-closed') return;
    const event = this.decode();
    this.#again.clear();
    if (event.kind === 'order-matched') encodeMatched(this.#again, event);
    if (event.kind === 'order-closed') encodeClosed(this.#again, event);
    this.bytes = this.#again.view();
    this.view = this.#again.fields;
    this.start = 0;
    this.end = this.bytes.length;
  }
}

const TIME_BYTES = 8;
const LENGTH_BYTES = 4;
const NUMBERED_KINDS = EVENT_KINDS.map(isNumbered);
/** By the number in an event's header. */
const NUMBERED = Array.from({ length: 256 }, (_, number) => {
  const found = kindOfNumber(number);
  return found.kind < EVENT_KINDS.length ? found : undefined;
});

/** Fields of a match that are read without decoding it; the offsets are those of event-codec.ts. */
export const matchOf = {
  market: ({ view, start }: StoredEvent): MarketIndex =>
    view.getFloat64(start + 8, true) as MarketIndex,
  priceTicks: ({ view, start }: StoredEvent): number => view.getFloat64(start + 24, true),
  lots: ({ view, start }: StoredEvent): number => view.getFloat64(start + 32, true),
  value: ({ view, start }: StoredEvent): Amount => amount(view.getBigInt64(start + 40, true)),
  /** Where a side begins. */
  taker: ({ start }: StoredEvent): number => start + MATCH_SIDES_AT,
  maker: ({ view, start }: StoredEvent): number => sideEnd(view, start + MATCH_SIDES_AT),
} as const;

const sideEnd = (view: DataView, side: number): number =>
  side + MATCH_SIDE_BYTES + view.getInt32(side + SIDE_TEXTS, true);

/** The same for one side, from its beginning. */
export const matchSideOf = {
  /** Where it ends, including its texts. */
  end: ({ view }: StoredEvent, side: number): number => sideEnd(view, side),
  orderId: ({ view }: StoredEvent, side: number): number => view.getFloat64(side, true),
  account: ({ view }: StoredEvent, side: number): AccountIndex =>
    view.getInt32(side + SIDE_ACCOUNT, true) as AccountIndex,
  hasFee: ({ view }: StoredEvent, side: number): boolean => !isZero(view, side + SIDE_FEE),
  hasRealised: ({ view }: StoredEvent, side: number): boolean =>
    !isZero(view, side + SIDE_REALISED),
  realised: ({ view }: StoredEvent, side: number): Amount =>
    amount(view.getBigInt64(side + SIDE_REALISED, true)),
} as const;

/** The same for an event with an order, except events of the first version whose order did not close. */
export const storedOrderOf = {
  element: ({ view, start }: StoredEvent): number => view.getUint8(start + ELEMENT_AT),
  orderId: ({ view, start }: StoredEvent): number =>
    view.getFloat64(start + RECORD_AT + ORDER_OFFSETS.orderId, true),
  hasClientOrderId: ({ view, start }: StoredEvent): boolean =>
    !isZero(view, start + RECORD_AT + ORDER_OFFSETS.clientOrderId),
  clientOrderId: ({ view, start }: StoredEvent): bigint =>
    view.getBigInt64(start + RECORD_AT + ORDER_OFFSETS.clientOrderId, true),
  account: ({ view, start }: StoredEvent): AccountIndex =>
    view.getInt32(start + RECORD_AT + ORDER_OFFSETS.account, true) as AccountIndex,
  market: ({ view, start }: StoredEvent): MarketIndex =>
    view.getInt32(start + RECORD_AT + ORDER_OFFSETS.market, true) as MarketIndex,
  texts: ({ bytes, view, start }: StoredEvent): OrderTexts | undefined => {
    const flags = view.getUint8(start + RECORD_AT + ORDER_OFFSETS.flags);
    if ((flags & FLAG_TEXTS) === 0) return undefined;
    return readTexts(
      new ByteReader(bytes.subarray(start + RECORD_AT + RECORD_START + RECORD_BYTES)),
    );
  },
} as const;

const ELEMENT_AT = 5;
/** The record of an order follows the event's header, and is a part of the order's row. */
const RECORD_AT = 8 - RECORD_START;

/** Tests 64 bits without creating a bigint. */
const isZero = (view: DataView, at: number): boolean =>
  (view.getInt32(at, true) | view.getInt32(at + 4, true)) === 0;
