import { codeAt, indexAt, numberAt } from './columns.ts';

/**
 * (key, fingerprint) -> sequence, in columns: a busy venue remembers hundreds of thousands of requests, and as
 * texts in a Map each of them would be visited by every collection of garbage.
 *
 * Rows lie in the order of arrival; `slots` finds them by open addressing. A trader knows his fingerprints and
 * could look for some that collide, but the rate limits bound how many of one second he can enter.
 */
export type RequestTable = {
  count: number;
  /** Row + 1, or 0 for nothing. Its length is a power of two, and at most half of it is used. */
  slots: Int32Array;
  /** By row. */
  hashes: Int32Array;
  keys: Int32Array;
  /** `PRINT_BYTES` for each row: the characters of the fingerprint, then zeros. */
  prints: Uint8Array;
  sequences: Float64Array;
  /** "key:fingerprint" -> sequence, for fingerprints that do not fit into a row: the venue makes none. */
  readonly others: Map<string, number>;
};

/** A signed request has 24 characters, a named one 25. */
const PRINT_BYTES = 28;
const FIRST_ROWS = 8;

export const newRequestTable = (): RequestTable => ({
  count: 0,
  slots: new Int32Array(2 * FIRST_ROWS),
  hashes: new Int32Array(FIRST_ROWS),
  keys: new Int32Array(FIRST_ROWS),
  prints: new Uint8Array(FIRST_ROWS * PRINT_BYTES),
  sequences: new Float64Array(FIRST_ROWS),
  others: new Map(),
});

export function findRequest(table: RequestTable, key: number, print: string): number | undefined {
  const hash = hashOf(key, print);
  if (hash === DOES_NOT_FIT) return table.others.get(`${key}:${print}`);
  const row = indexAt(table.slots, slotFor(table, hash, key, print)) - 1;
  return row < 0 ? undefined : numberAt(table.sequences, row);
}

/** Enters a request; returns false if it is in the table already, which then keeps its sequence. */
export function enterRequest(
  table: RequestTable,
  key: number,
  print: string,
  sequence: number,
): boolean {
  const hash = hashOf(key, print);
  if (hash === DOES_NOT_FIT) return enterOther(table, `${key}:${print}`, sequence);
  const row = table.count - table.others.size;
  if (row === table.keys.length) grow(table);
  const slot = slotFor(table, hash, key, print);
  if (table.slots[slot] !== 0) return false;
  table.slots[slot] = row + 1;
  table.hashes[row] = hash;
  table.keys[row] = key;
  table.sequences[row] = sequence;
  const from = row * PRINT_BYTES;
  for (let at = 0; at < print.length; at++) table.prints[from + at] = print.charCodeAt(at);
  table.count++;
  return true;
}

function enterOther(table: RequestTable, name: string, sequence: number): boolean {
  if (table.others.has(name)) return false;
  table.others.set(name, sequence);
  table.count++;
  return true;
}

/** The slot of the request, or the empty one where it belongs. */
function slotFor(table: RequestTable, hash: number, key: number, print: string): number {
  const { slots, hashes, keys } = table;
  const mask = slots.length - 1;
  for (let at = hash & mask; ; at = (at + 1) & mask) {
    const row = indexAt(slots, at) - 1;
    if (row < 0) return at;
    if (indexAt(hashes, row) === hash && indexAt(keys, row) === key && isPrint(table, row, print)) {
      return at;
    }
  }
}

/** Everything in it: [key, fingerprint, sequence]. */
export function requestsOf(table: RequestTable): (readonly [number, string, number])[] {
  const others = [...table.others].map(([name, sequence]) => {
    const at = name.indexOf(':');
    return [Number.parseInt(name.slice(0, at), 10), name.slice(at + 1), sequence] as const;
  });
  const rows = Array.from({ length: table.count - others.length }, (_, row) => {
    const from = row * PRINT_BYTES;
    const bytes = table.prints.subarray(from, from + PRINT_BYTES);
    const end = bytes.indexOf(0);
    const print = String.fromCharCode(...(end < 0 ? bytes : bytes.subarray(0, end)));
    return [indexAt(table.keys, row), print, numberAt(table.sequences, row)] as const;
  });
  return rows.concat(others);
}

function isPrint({ prints }: RequestTable, row: number, print: string): boolean {
  const from = row * PRINT_BYTES;
  for (let at = 0; at < print.length; at++) {
    if (codeAt(prints, from + at) !== print.charCodeAt(at)) return false;
  }
  return print.length === PRINT_BYTES || codeAt(prints, from + print.length) === 0;
}

const DOES_NOT_FIT = 0;

/** Multiplication by 2^32 / golden ratio; the slot is the low bits, into which each step mixes the high ones. */
function hashOf(key: number, print: string): number {
  if (print.length > PRINT_BYTES) return DOES_NOT_FIT;
  let hash = key;
  for (let at = 0; at < print.length; at++) {
    const code = print.charCodeAt(at);
    if (code === 0 || code > 0x7f) return DOES_NOT_FIT;
    hash = Math.imul(hash ^ code, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash === DOES_NOT_FIT ? 1 : hash;
}

function link({ slots, hashes }: RequestTable, row: number): void {
  const mask = slots.length - 1;
  let at = indexAt(hashes, row) & mask;
  while (slots[at] !== 0) at = (at + 1) & mask;
  slots[at] = row + 1;
}

function grow(table: RequestTable): void {
  const { hashes, keys, prints, sequences } = table;
  const rows = keys.length;
  table.hashes = new Int32Array(2 * rows);
  table.keys = new Int32Array(2 * rows);
  table.prints = new Uint8Array(2 * rows * PRINT_BYTES);
  table.sequences = new Float64Array(2 * rows);
  table.hashes.set(hashes);
  table.keys.set(keys);
  table.prints.set(prints);
  table.sequences.set(sequences);
  table.slots = new Int32Array(4 * rows);
  for (let row = 0; row < rows; row++) link(table, row);
}
