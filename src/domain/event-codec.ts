import { assert } from './assert.ts';
import type { Event, Outcome } from './events.ts';
import { ByteReader, type ByteWriter, type Plain } from './pack.ts';
import { sequence, timeMs } from './units.ts';

/**
 * Events as bytes: what the core writes, the event log keeps and every reader decodes.
 * One event is its kind in one byte and its fields packed behind a length, so that a reader may
 * skip what it does not care for.
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
] as const satisfies readonly Event['kind'][];

const KIND_NUMBER = new Map<string, number>(KINDS.map((kind, number) => [kind, number]));

export function encodeEvent(out: ByteWriter, event: Event): void {
  const { kind, ...fields } = event;
  const number = KIND_NUMBER.get(kind);
  assert(number !== undefined, `the event ${kind} has a number in the format`);
  const lengthAt = out.length;
  out.u32(0);
  out.u8(number);
  out.value(fields as Plain);
  out.u32At(lengthAt, out.length - lengthAt - 4);
}

export function decodeEvents(bytes: Uint8Array): Event[] {
  const reader = new ByteReader(bytes);
  const events: Event[] = [];
  while (!reader.isAtEnd) {
    reader.u32();
    const kind = KINDS[reader.u8()];
    assert(kind !== undefined, 'an encoded event is of a known kind');
    events.push({ kind, ...(reader.value() as object) } as Event);
  }
  return events;
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
