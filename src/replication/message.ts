import { LogRefused } from './log.ts';

/**
 * One message of the log: a group of journal entries, or a mark without entries.
 *
 *   0 version u8 · 1 kind u8 · 2 length of the node's name u8 · 3 zero u8 · 4 count u32
 *   8 first sequence f64 · 16 writer (16 bytes) · 32 name · then each entry as length u32 and its bytes
 *
 * `takeover`: from here on only this writer appends. `lease`: the writer still leads. `hand-over`: it
 * has stopped and appends nothing more, so that another need not wait. `gate`: the same, and nothing more
 * comes in the layout of data that it names (as the only entry's text). `lift`: an operator has taken that
 * back. The writer is drawn anew by each takeover, so that no two messages at one place are equal unless
 * they are one.
 */
export type Message = {
  readonly kind: MessageKind;
  readonly node: string;
  /** 32 hexadecimal digits. */
  readonly writer: string;
  /** Sequence of the first entry; for a mark, the sequence that the next entry will have. */
  readonly firstSequence: number;
  readonly entries: readonly Uint8Array[];
  /** For a gate: the data layout that ends here. */
  readonly layout?: string;
};
export type MessageKind = keyof typeof KINDS;

const KINDS = { group: 1, takeover: 2, lease: 3, 'hand-over': 4, gate: 5, lift: 6 } as const;
const NAMES = new Map(Object.entries(KINDS).map(([name, code]) => [code as number, name]));
const VERSION = 1;
const HEAD_BYTES = 32;
const WRITER_BYTES = 16;
const NAME_BYTES_MAX = 64;

/** Bytes of a message beside its entries; each entry takes 4 more than its own bytes. */
export const MESSAGE_HEAD_BYTES = HEAD_BYTES + NAME_BYTES_MAX;
const ENTRY_HEAD_BYTES = 4;

/** Node names are shown to people and are part of each message. */
export const isNodeName = (text: string): boolean =>
  /^[a-z0-9][a-z0-9-]*$/.test(text) && text.length <= NAME_BYTES_MAX;

export function encodeMessage(message: Message): Uint8Array {
  const { kind, node, writer, firstSequence, layout } = message;
  const entries = layout === undefined ? message.entries : [Buffer.from(layout, 'latin1')];
  const name = Buffer.from(node, 'latin1');
  let size = HEAD_BYTES + name.length;
  for (const entry of entries) size += ENTRY_HEAD_BYTES + entry.length;
  const bytes = Buffer.alloc(size);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(KINDS[kind], 1);
  bytes.writeUInt8(name.length, 2);
  bytes.writeUInt32LE(entries.length, 4);
  bytes.writeDoubleLE(firstSequence, 8);
  bytes.write(writer, 16, WRITER_BYTES, 'hex');
  name.copy(bytes, HEAD_BYTES);
  let at = HEAD_BYTES + name.length;
  for (const entry of entries) {
    bytes.writeUInt32LE(entry.length, at);
    bytes.set(entry, at + ENTRY_HEAD_BYTES);
    at += ENTRY_HEAD_BYTES + entry.length;
  }
  return bytes;
}

/** Entries are views into the message. */
export function decodeMessage(place: number, message: Uint8Array): Message {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  // Not a Buffer: its `slice` returns a view, and readers of an entry rely on copies.
  const plain = new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < HEAD_BYTES) throw foreign(place, `${bytes.length} bytes`);
  const version = bytes.readUInt8(0);
  if (version !== VERSION) throw foreign(place, `layout ${version}`);
  const kind = NAMES.get(bytes.readUInt8(1)) as MessageKind | undefined;
  if (kind === undefined) throw foreign(place, `kind ${bytes.readUInt8(1)}`);
  const nameEnd = HEAD_BYTES + bytes.readUInt8(2);
  const count = bytes.readUInt32LE(4);
  const entries: Uint8Array[] = [];
  let at = nameEnd;
  while (at + ENTRY_HEAD_BYTES <= bytes.length) {
    const end = at + ENTRY_HEAD_BYTES + bytes.readUInt32LE(at);
    if (end > bytes.length) break;
    entries.push(plain.subarray(at + ENTRY_HEAD_BYTES, end));
    at = end;
  }
  const isMark = kind !== 'group';
  const countMost = kind === 'gate' ? 1 : isMark ? 0 : count;
  if (at !== bytes.length || entries.length !== count || count > countMost) {
    throw foreign(place, `${entries.length} of ${count} entries`);
  }
  return {
    kind,
    node: bytes.toString('latin1', HEAD_BYTES, nameEnd),
    writer: bytes.toString('hex', 16, 16 + WRITER_BYTES),
    firstSequence: bytes.readDoubleLE(8),
    entries: isMark ? [] : entries,
    ...(kind === 'gate' ? { layout: Buffer.from(entries[0] ?? []).toString('latin1') } : {}),
  };
}

const foreign = (place: number, what: string): LogRefused =>
  new LogRefused(
    `message ${place} of the log is none of this program's (${what}): install the version of the other nodes`,
  );
