import type { Digest } from '../bytes/digest.ts';
import { ByteReader, ByteWriter, type Plain } from '../bytes/pack.ts';
import { assert } from '../domain/assert.ts';
import type { Command, Stamped } from '../domain/commands.ts';
import { sequence, timeMs } from '../domain/units.ts';
import type { Entry } from '../journal/journal.ts';
import {
  readCancelOrders,
  readPlaceOrders,
  writeCancelOrders,
  writePlaceOrders,
} from './order-command-codec.ts';

/**
 * A command with its sequence and time, as the journal keeps it, together with the digest of all events up to
 * and including its own. With it, replay checks itself entry by entry.
 */
export type JournalEntry = { readonly stamped: Stamped; readonly digest: Readonly<Digest> };

/** Increases when the layout of an entry changes. */
const LAYOUT = 1;

const writer = new ByteWriter(4096);
const reader = new ByteReader(new Uint8Array(0));

export function encodeEntry(stamped: Stamped, digest: Readonly<Digest>, rules: number): Uint8Array {
  writer.clear();
  writeEntry(writer, stamped, digest, rules);
  return pooled(writer.view());
}

/** The entry of a command that is about to be applied; its digest is set afterwards. */
export const encodeUnapplied = (stamped: Stamped, rules: number): Uint8Array =>
  encodeEntry(stamped, NO_DIGEST, rules);

const NO_DIGEST: Digest = { lo: 0, hi: 0 };

export function setDigest(entry: Uint8Array, { lo, hi }: Readonly<Digest>): void {
  for (let byte = 0; byte < 4; byte++) {
    entry[DIGEST_AT + byte] = lo >>> (8 * byte);
    entry[DIGEST_AT + 4 + byte] = hi >>> (8 * byte);
  }
}

/** Bytes before the command of an entry. */
export const ENTRY_HEAD_BYTES = 21;
const DIGEST_AT = 13;

export function writeEntry(
  out: ByteWriter,
  stamped: Stamped,
  digest: Readonly<Digest>,
  rules: number,
): void {
  const at = out.take(ENTRY_HEAD_BYTES);
  const to = out.fields;
  out.octets[at] = LAYOUT;
  to.setUint32(at + 1, rules, true);
  to.setFloat64(at + 5, stamped.timeMs, true);
  to.setUint32(at + DIGEST_AT, digest.lo, true);
  to.setUint32(at + DIGEST_AT + 4, digest.hi, true);
  writeCommand(out, stamped.command);
}

export function decodeEntry(entry: Entry, rules: number): JournalEntry {
  const at = openEntry(entry);
  const from = reader.fields;
  const writtenRules = from.getUint32(at + 1, true);
  if (writtenRules !== rules) {
    throw new WrittenByOthers(entry.sequence, `rules ${writtenRules}`, `rules ${rules}`);
  }
  const stampedAtMs = from.getFloat64(at + 5, true);
  const digest = digestAt(from, at);
  const command = readCommand(reader);
  assert(reader.isAtEnd, 'a journal entry holds one command and nothing else');
  const stamped = { sequence: sequence(entry.sequence), timeMs: timeMs(stampedAtMs), command };
  return { stamped, digest };
}

/** The digest in the header of an entry, which every version writes alike. */
export function digestIn(entry: Entry): Digest {
  const at = openEntry(entry);
  const from = reader.fields;
  return digestAt(from, at);
}

const digestAt = (from: DataView, at: number): Digest => ({
  lo: from.getUint32(at + DIGEST_AT, true),
  hi: from.getUint32(at + DIGEST_AT + 4, true),
});

/** Opens the reader behind the header of an entry. Returns the offset of the header. */
function openEntry({ sequence: number, block, start, end }: Entry): number {
  reader.open(block, start, end);
  const at = reader.take(ENTRY_HEAD_BYTES);
  const layout = reader.fields.getUint8(at);
  if (layout === LAYOUT) return at;
  throw new WrittenByOthers(number, `entry layout ${layout}`, `layout ${LAYOUT}`);
}

/** How a command is written: packed, or field by field where it is worth it. */
const PACKED = 0;
const PLACE_ORDERS = 1;
const CANCEL_ORDERS = 2;

/** Whether an entry only places or cancels orders, so that no name, key or price changes by it. */
export function isOrderEntry(entry: Uint8Array): boolean {
  const form = entry[ENTRY_HEAD_BYTES];
  return form === PLACE_ORDERS || form === CANCEL_ORDERS;
}

export function writeCommand(out: ByteWriter, command: Command): void {
  if (command.kind === 'place-orders') {
    out.u8(PLACE_ORDERS);
    writePlaceOrders(out, command);
  } else if (command.kind === 'cancel-orders') {
    out.u8(CANCEL_ORDERS);
    writeCancelOrders(out, command);
  } else {
    out.u8(PACKED);
    out.value(command as unknown as Plain);
  }
}

export function readCommand(reader: ByteReader): Command {
  const form = reader.u8();
  if (form === PLACE_ORDERS) return readPlaceOrders(reader);
  if (form === CANCEL_ORDERS) return readCancelOrders(reader);
  assert(form === PACKED, 'a command is written in a form the program knows');
  return reader.value() as unknown as Command;
}

/** A copy from a shared pool: a separate buffer for every small entry would cost ten times as much. */
export function pooled(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafe(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Replay across versions is refused, not guessed. */
class WrittenByOthers extends Error {
  constructor(at: number, found: string, expected: string) {
    super(
      `journal entry ${at} was written with ${found}, this program has ${expected}: ` +
        'start the program that wrote it and stop it cleanly, which leaves a snapshot at the end; a node ' +
        'of a cluster needs the version of the engine that leads',
    );
    this.name = 'WrittenByOthers';
  }
}
