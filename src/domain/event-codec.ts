import { assert } from './assert.ts';
import type { Event, OrderClosed, OrderMatched, Outcome } from './events.ts';
import {
  MATCH_SIDE_BYTES,
  type MatchSideRow,
  type OrderColumns,
  readMatchSide,
  readOrder,
  setMatchSide,
  writeOrder,
} from './order-codec.ts';
import { ByteReader, type ByteWriter, type Plain } from './pack.ts';
import { REJECTIONS, type Rejection } from './rejections.ts';
import { ORDER_STATES, type OrderState, SIDES } from './terms.ts';
import { amount, lots, type MarketIndex, sequence, ticks, timeMs } from './units.ts';

/**
 * Events as bytes: what the core writes, the event log keeps and every reader decodes.
 * One event is its length, its kind in one byte and its fields, so that a reader may skip what it
 * does not care for. Events of orders are written field by field, all others packed.
 */

/** Position in this list is part of the format: only ever append. */
const KINDS = [
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
] as const satisfies readonly Event['kind'][];
type Kind = (typeof KINDS)[number];
type OrderKind = 'order-opened' | 'order-modified' | 'order-triggered';
type WrittenByField = OrderKind | 'order-matched' | 'order-closed';
type PackedEvent = Exclude<Event, { readonly kind: WrittenByField }>;

const KIND_NUMBER = Object.fromEntries(KINDS.map((kind, number) => [kind, number])) as Record<
  Kind,
  number
>;
/** The reasons an event may name. */
const REASONS = Object.keys(REJECTIONS) as Rejection[];

export function encodeEvent(out: ByteWriter, event: PackedEvent): void {
  const { kind, ...fields } = event;
  const lengthAt = begin(out, kind);
  out.value(fields as Plain);
  end(out, lengthAt);
}

export function encodeOrderEvent(
  out: ByteWriter,
  kind: OrderKind,
  element: number,
  orders: OrderColumns,
  slot: number,
): void {
  const lengthAt = begin(out, kind);
  out.u8(element);
  writeOrder(out, orders, slot);
  end(out, lengthAt);
}

/** `stateCode` is the place in ORDER_STATES. */
export function encodeOrderClosed(
  out: ByteWriter,
  element: number,
  stateCode: number,
  reason: Rejection | undefined,
  orders: OrderColumns,
  slot: number,
): void {
  const lengthAt = begin(out, 'order-closed');
  out.u8(element);
  out.u8(stateCode);
  if (reason === undefined) out.u8(0);
  else {
    out.u8(1);
    out.text(reason);
  }
  writeOrder(out, orders, slot);
  end(out, lengthAt);
}

/** A match in codes. */
export type MatchRow = {
  readonly market: number;
  readonly match: number;
  readonly priceTicks: number;
  readonly lots: number;
  readonly value: bigint;
  readonly takerSide: number;
  readonly taker: MatchSideRow;
  readonly maker: MatchSideRow;
};

const MATCH_HEAD_BYTES = 37;

export function encodeOrderMatched(out: ByteWriter, row: MatchRow): void {
  const lengthAt = begin(out, 'order-matched');
  const at = out.take(MATCH_HEAD_BYTES + 2 * MATCH_SIDE_BYTES);
  const to = out.fields;
  to.setUint32(at, row.market, true);
  to.setFloat64(at + 4, row.match, true);
  to.setFloat64(at + 12, row.priceTicks, true);
  to.setFloat64(at + 20, row.lots, true);
  to.setBigInt64(at + 28, row.value, true);
  to.setUint8(at + 36, row.takerSide);
  setMatchSide(to, at + MATCH_HEAD_BYTES, row.taker);
  setMatchSide(to, at + MATCH_HEAD_BYTES + MATCH_SIDE_BYTES, row.maker);
  end(out, lengthAt);
}

export function decodeEvents(bytes: Uint8Array): Event[] {
  const reader = new ByteReader(bytes);
  const events: Event[] = [];
  while (!reader.isAtEnd) {
    reader.u32();
    const kind = KINDS[reader.u8()];
    assert(kind !== undefined, 'an encoded event is of a known kind');
    events.push(decodeEvent(kind, reader));
  }
  return events;
}

function decodeEvent(kind: Kind, reader: ByteReader): Event {
  switch (kind) {
    case 'order-opened':
    case 'order-modified':
    case 'order-triggered':
      return { kind, element: reader.u8(), order: readOrder(reader) };
    case 'order-closed':
      return readClosed(reader);
    case 'order-matched':
      return readMatched(reader);
    default:
      return { kind, ...(reader.value() as object) } as Event;
  }
}

function readClosed(reader: ByteReader): OrderClosed {
  const element = reader.u8();
  const state = ORDER_STATES[reader.u8()] as OrderState;
  const reason = reader.u8() === 0 ? undefined : (reader.text() as Rejection);
  assert(reason === undefined || REASONS.includes(reason), 'a reason is in the catalogue');
  return { kind: 'order-closed', element, state, reason, order: readOrder(reader) };
}

const readMatched = (reader: ByteReader): OrderMatched => ({
  kind: 'order-matched',
  market: reader.u32() as MarketIndex,
  match: reader.f64(),
  priceTicks: ticks(reader.f64()),
  lots: lots(reader.f64()),
  value: amount(reader.i64()),
  takerSide: SIDES[reader.u8()] ?? 'BUY',
  taker: readMatchSide(reader),
  maker: readMatchSide(reader),
});

function begin(out: ByteWriter, kind: Kind): number {
  const lengthAt = out.length;
  out.u32(0);
  out.u8(KIND_NUMBER[kind]);
  return lengthAt;
}

function end(out: ByteWriter, lengthAt: number): void {
  out.u32At(lengthAt, out.length - lengthAt - 4);
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
