import { ByteReader, type ByteWriter, type Plain } from '../bytes/pack.ts';
import { assert } from './assert.ts';
import type { Event, OrderClosed, OrderMatched, Outcome } from './events.ts';
import {
  readMatchSide,
  readOrder,
  writeMatchSide,
  writeOrder,
  writeRecord,
} from './order-codec.ts';
import { readClosedV1, readMatchedV1, readOrderV1 } from './order-codec-v1.ts';
import type { OrderRows } from './order-layout.ts';
import { REJECTIONS, type Rejection } from './rejections.ts';
import { ORDER_STATES, type OrderState, SIDES } from './terms.ts';
import { amount, lots, type MarketIndex, sequence, ticks, timeMs } from './units.ts';

/**
 * Events as bytes: written by the core, stored in the event log, decoded by every reader. One event is a
 * header word (its length, its kind) and its fields, padded to whole words, so that a reader can skip what it
 * does not need. Events of orders hold rows as the core stores them, all others are packed.
 */

/** The position in this list is part of the format: only ever append. */
export const EVENT_KINDS = [
  'refused',
  'asset-defined',
  'network-defined',
  'market-defined',
  'account-created',
  'key-created',
  'key-revoked',
  'restrictions-set',
  'index-prices-set',
  'genesis-credited',
  'transferred',
  'order-refused',
  'order-opened',
  'order-matched',
  'order-modified',
  'order-triggered',
  'order-closed',
  'market-state-set',
  'fee-tier-set',
  'funding-set',
  'funding-paid',
  'liquidation-started',
  'liquidation-step',
  'collateral-sold',
  'liquidation-ended',
  'backstop-set',
  'order-limits-set',
  'index-price-refused',
  'withdrawal-changed',
  'deposit-changed',
  'transaction-recorded',
  'gas-paid',
  'wrong-code-noted',
  'address-saved',
  'address-removed',
  'whitelist-mode-set',
  'factor-enrolled',
  'factor-removed',
  'withdrawal-limits-set',
  'withdrawal-fee-set',
  'network-state-set',
  'sweep-recorded',
  'sweep-ended',
  'password-set',
  'user-invited',
  'account-renamed',
  'funds-moved',
  'operator-acted',
  'deadline-set',
  'deadline-passed',
  'operator-refused',
] as const satisfies readonly Event['kind'][];
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * History numbers its entries by the position of their event in the log (history/entry-ids.ts). The record of
 * an operator's act accompanies the events of its command and is not counted: its number is the command's.
 */
export const isNumbered = (kind: EventKind): boolean =>
  kind !== 'operator-acted' && kind !== 'operator-refused';

type WrittenByField =
  | 'order-opened'
  | 'order-modified'
  | 'order-triggered'
  | 'order-matched'
  | 'order-closed';
type PackedEvent = Exclude<Event, { readonly kind: WrittenByField }>;

/** Added to the number of a packed event. */
const PACKED = 128;

const KIND_NUMBER = Object.fromEntries(EVENT_KINDS.map((kind, number) => [kind, number])) as Record<
  EventKind,
  number
>;
/** The reasons that an event may contain. */
const REASONS = Object.keys(REJECTIONS) as Rejection[];

export function encodeEvent(out: ByteWriter, event: PackedEvent): void {
  const { kind, ...fields } = event;
  const lengthAt = begin(out, PACKED + KIND_NUMBER[kind], 0);
  out.value(fields as Plain);
  endEvent(out, lengthAt);
}

/**
 * Events of orders have a header of one word (length, kind, element, state, whether a reason follows)
 * followed by whole words, so that an order's row is copied as it is.
 */
export const ORDER_OPENED = 64;
export const ORDER_MODIFIED = 65;
export const ORDER_TRIGGERED = 66;
const ORDER_CLOSED = 67;
const ORDER_MATCHED = 68;
export type OrderEventCode = typeof ORDER_OPENED | typeof ORDER_MODIFIED | typeof ORDER_TRIGGERED;
const ORDER_KINDS = {
  [ORDER_OPENED]: 'order-opened',
  [ORDER_MODIFIED]: 'order-modified',
  [ORDER_TRIGGERED]: 'order-triggered',
} as const;

export function encodeOrderEvent(
  out: ByteWriter,
  code: OrderEventCode,
  element: number,
  rows: OrderRows,
  slot: number,
): void {
  const lengthAt = begin(out, code, element);
  writeOrder(out, rows, slot);
  endEvent(out, lengthAt);
}

/** How an order ended: `stateCode` is the index in ORDER_STATES. */
export type Closing = {
  readonly element: number;
  readonly stateCode: number;
  readonly reason: Rejection | undefined;
};

export function encodeOrderClosed(
  out: ByteWriter,
  { element, stateCode, reason }: Closing,
  rows: OrderRows,
  slot: number,
): void {
  const hasReason = reason === undefined ? 0 : 1;
  const lengthAt = begin(out, ORDER_CLOSED, element | (stateCode << 8) | (hasReason << 16));
  writeOrder(out, rows, slot);
  if (reason !== undefined) out.text(reason);
  endEvent(out, lengthAt);
}

/** The terms of a match. */
export type MatchTerms = { readonly priceTicks: number; readonly lots: number };

const MATCH_HEAD_BYTES = 40;
/**
 * Offset of the sides of a match from the beginning of the event: the taker's, then the maker's. Each is
 * followed by its texts.
 */
export const MATCH_SIDES_AT = 48;

/**
 * Begins a match; returns where it begins. The caller sets its name and terms, writes the taker's and the
 * maker's side (`writeSideOfRow`) and ends the event; fees and realised amounts are filled in as they are
 * settled.
 */
export function beginMatched(out: ByteWriter, takerSide: number): number {
  const lengthAt = begin(out, ORDER_MATCHED, takerSide);
  out.take(MATCH_HEAD_BYTES);
  return lengthAt;
}

export function setMatchName(to: DataView, event: number, market: number, match: number): void {
  to.setFloat64(event + HEAD_BYTES, market, true);
  to.setFloat64(event + HEAD_BYTES + 8, match, true);
}

export function setMatchTerms(
  to: DataView,
  event: number,
  { priceTicks, lots }: MatchTerms,
  value: bigint,
): void {
  to.setFloat64(event + HEAD_BYTES + 16, priceTicks, true);
  to.setFloat64(event + HEAD_BYTES + 24, lots, true);
  to.setBigInt64(event + HEAD_BYTES + 32, value, true);
}

/** A decoded match as the core would have written it; its internal flags are not included. */
export function encodeMatched(out: ByteWriter, event: OrderMatched): void {
  const at = beginMatched(out, SIDES.indexOf(event.takerSide));
  setMatchName(out.fields, at, event.market, event.match);
  setMatchTerms(out.fields, at, event, event.value);
  writeMatchSide(out, event.taker);
  writeMatchSide(out, event.maker);
  endEvent(out, at);
}

export function encodeClosed(out: ByteWriter, event: OrderClosed): void {
  const { element, state, reason, order } = event;
  const hasReason = reason === undefined ? 0 : 1;
  const detail = element | (ORDER_STATES.indexOf(state) << 8) | (hasReason << 16);
  const lengthAt = begin(out, ORDER_CLOSED, detail);
  writeRecord(out, order);
  if (reason !== undefined) out.text(reason);
  endEvent(out, lengthAt);
}

export function decodeEvents(bytes: Uint8Array): Event[] {
  const reader = new ByteReader(bytes);
  const events: Event[] = [];
  while (!reader.isAtEnd) {
    const length = reader.u32();
    const next = reader.offset + length;
    events.push(decodeEvent(reader.u8(), reader));
    // The padding of the last word.
    reader.take(next - reader.offset);
  }
  return events;
}

function decodeEvent(number: number, reader: ByteReader): Event {
  switch (number) {
    case ORDER_OPENED:
    case ORDER_MODIFIED:
    case ORDER_TRIGGERED: {
      const element = reader.u8();
      reader.take(2);
      return { kind: ORDER_KINDS[number], element, order: readOrder(reader) };
    }
    case ORDER_CLOSED:
      return readClosed(reader);
    case ORDER_MATCHED:
      return readMatched(reader);
    default:
      if (number < PACKED) return decodeV1(EVENT_KINDS[number], reader);
      reader.take(3);
      return unpacked(EVENT_KINDS[number - PACKED], reader);
  }
}

function unpacked(kind: EventKind | undefined, reader: ByteReader): Event {
  assert(kind !== undefined, 'an encoded event is of a known kind');
  return { kind, ...(reader.value() as object) } as Event;
}

/** The first version had a header of five bytes and wrote orders field by field. */
function decodeV1(kind: EventKind | undefined, reader: ByteReader): Event {
  switch (kind) {
    case 'order-opened':
    case 'order-modified':
    case 'order-triggered':
      return { kind, element: reader.u8(), order: readOrderV1(reader) };
    case 'order-closed':
      return readClosedV1(reader);
    case 'order-matched':
      return readMatchedV1(reader);
    default:
      return unpacked(kind, reader);
  }
}

function readClosed(reader: ByteReader): OrderClosed {
  const element = reader.u8();
  const state = ORDER_STATES[reader.u8()] as OrderState;
  const hasReason = reader.u8() === 1;
  const order = readOrder(reader);
  const reason = hasReason ? (reader.text() as Rejection) : undefined;
  assert(reason === undefined || REASONS.includes(reason), 'a reason is in the catalogue');
  return { kind: 'order-closed', element, state, reason, order };
}

function readMatched(reader: ByteReader): OrderMatched {
  const { market, match, priceTicks, lots, value, takerSide } = matchHead(reader);
  const taker = readMatchSide(reader);
  const maker = readMatchSide(reader);
  const kind = 'order-matched';
  return { kind, market, match, priceTicks, lots, value, takerSide, taker, maker };
}

/** What both sides of a match share. */
export type MatchHead = Omit<OrderMatched, 'kind' | 'taker' | 'maker'>;

/** From the beginning of the event up to MATCH_SIDES_AT. */
export function readMatchHead(reader: ByteReader): MatchHead {
  reader.take(KIND_END);
  return matchHead(reader);
}

function matchHead(reader: ByteReader): MatchHead {
  const takerSide = SIDES[reader.u8()] ?? 'BUY';
  reader.take(2);
  return {
    market: reader.f64() as MarketIndex,
    match: reader.f64(),
    priceTicks: ticks(reader.f64()),
    lots: lots(reader.f64()),
    value: amount(reader.i64()),
    takerSide,
  };
}

/**
 * The kind of an event by the number in its header, as an index in EVENT_KINDS; `isOld` if the first version
 * wrote it, which wrote events of orders differently.
 */
export function kindOfNumber(number: number): { readonly kind: number; readonly isOld: boolean } {
  if (number >= PACKED) return { kind: number - PACKED, isOld: false };
  const name =
    number === ORDER_CLOSED
      ? 'order-closed'
      : number === ORDER_MATCHED
        ? 'order-matched'
        : ORDER_KINDS[number as OrderEventCode];
  return name === undefined
    ? { kind: number, isOld: true }
    : { kind: KIND_NUMBER[name], isOld: false };
}

/** `detail` fills the three bytes after the kind. */
function begin(out: ByteWriter, number: number, detail: number): number {
  const lengthAt = out.take(HEAD_BYTES);
  out.words[lengthAt / 4 + 1] = number | (detail << 8);
  return lengthAt;
}
const HEAD_BYTES = 8;
/** Length and kind; the rest of the header depends on the kind. */
const KIND_END = 5;

export function endEvent(out: ByteWriter, lengthAt: number): void {
  out.fillWord();
  out.words[lengthAt / 4] = out.length - lengthAt - 4;
}

/** One command's outcome as one entry: its time, then its events. */
export function encodeOutcome(out: ByteWriter, outcomeTimeMs: number, events: Uint8Array): void {
  out.f64(outcomeTimeMs);
  out.raw(events);
}

export function decodeOutcome(at: number, entry: Uint8Array): Outcome {
  return {
    sequence: sequence(at),
    timeMs: timeMs(new ByteReader(entry).f64()),
    events: decodeEvents(entry.subarray(8)),
  };
}
