/**
 * SHA-256 block by block, and HMAC with a prepared key. Written here because the core uses no package and no
 * Node API, and because an HMAC of a short text costs Node mostly the calls into OpenSSL: with a key whose
 * first blocks are hashed already, a signed request takes two thirds of that time.
 */

/** Fractional parts of the square and cube roots of the first primes (FIPS 180-4). */
const START = Int32Array.of(
  ...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab],
  0x5be0cd19,
);
const ROUNDS = Int32Array.of(
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4],
  ...[0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe],
  ...[0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f],
  ...[0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7],
  ...[0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc],
  ...[0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b],
  ...[0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116],
  ...[0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7],
  0xc67178f2,
);
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** After a message: a mark, and its length in bits. */
const TAIL_BYTES = 9;

export function sha256(bytes: Uint8Array): Uint8Array {
  const message = roomFor(new Uint8Array(paddedLength(bytes.length)));
  message.bytes.set(bytes);
  const state = START.slice();
  const out = new Uint8Array(HASH_BYTES);
  mixMessage(state, message, bytes.length, 0);
  write(state, out);
  return out;
}

/** The bytes that a message takes with what follows it. */
const paddedLength = (length: number): number =>
  Math.ceil((length + TAIL_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;

/** HMAC-SHA256 with one key. Only what depends on the key is kept for it: a venue has many keys. */
export class HmacSha256 {
  readonly #inner: Int32Array;
  readonly #outer: Int32Array;

  constructor(secret: Uint8Array) {
    const key = secret.length > BLOCK_BYTES ? sha256(secret) : secret;
    this.#inner = started(key, 0x36);
    this.#outer = started(key, 0x5c);
  }

  /** Writes that of the first `length` bytes to `out`. The message needs room for a tail, which is overwritten. */
  write(message: MessageRoom, length: number, out: Uint8Array): void {
    mixed.set(this.#inner);
    mixMessage(mixed, message, length, BLOCK_BYTES);
    write(mixed, innerHash.bytes);
    mixed.set(this.#outer);
    mixMessage(mixed, innerHash, HASH_BYTES, BLOCK_BYTES);
    write(mixed, out);
  }
}

/** The state after the block of the key. */
function started(key: Uint8Array, pad: number): Int32Array {
  const { bytes, view } = roomFor(new Uint8Array(BLOCK_BYTES).fill(pad));
  for (const [at, byte] of key.entries()) bytes[at] = byte ^ pad;
  const state = START.slice();
  mixBlock(state, view, 0);
  return state;
}

/** The longest message whose tail fits into this many bytes. */
export const longestMessage = (bytes: number): number =>
  Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES - TAIL_BYTES;

/** A message to be hashed, with room for its tail: the same bytes one by one and as words. */
export type MessageRoom = { readonly bytes: Uint8Array; readonly view: DataView };

export const roomFor = (bytes: Uint8Array): MessageRoom => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
});

/** Reused by all keys, for one message at a time. */
const mixed = new Int32Array(8);
const innerHash = roomFor(new Uint8Array(BLOCK_BYTES));

/** Pads the message within its room and mixes it into the state, which has seen so many bytes before it. */
function mixMessage(
  state: Int32Array,
  { bytes, view }: MessageRoom,
  length: number,
  before: number,
): void {
  const end = paddedLength(length);
  bytes[length] = 0x80;
  bytes.fill(0, length + 1, end - 4);
  // In bits. Messages are far below 2^29 bytes, so the upper half is zero.
  view.setUint32(end - 4, (before + length) * 8);
  for (let at = 0; at < end; at += BLOCK_BYTES) mixBlock(state, view, at);
}

function write(state: Int32Array, out: Uint8Array): void {
  for (let at = 0; at < 8; at++) {
    const word = state[at] as number;
    out[4 * at] = word >>> 24;
    out[4 * at + 1] = word >>> 16;
    out[4 * at + 2] = word >>> 8;
    out[4 * at + 3] = word;
  }
}

/**
 * Sixteen rounds a turn, with the words of the message in variables: in an array, as the standard writes it, each
 * of its 250 accesses is checked, and the block takes twice as long. The variables change roles from round to
 * round instead of moving.
 */
function mixBlock(state: Int32Array, bytes: DataView, from: number): void {
  let w0 = bytes.getInt32(from);
  let w1 = bytes.getInt32(from + 4);
  let w2 = bytes.getInt32(from + 8);
  let w3 = bytes.getInt32(from + 12);
  let w4 = bytes.getInt32(from + 16);
  let w5 = bytes.getInt32(from + 20);
  let w6 = bytes.getInt32(from + 24);
  let w7 = bytes.getInt32(from + 28);
  let w8 = bytes.getInt32(from + 32);
  let w9 = bytes.getInt32(from + 36);
  let w10 = bytes.getInt32(from + 40);
  let w11 = bytes.getInt32(from + 44);
  let w12 = bytes.getInt32(from + 48);
  let w13 = bytes.getInt32(from + 52);
  let w14 = bytes.getInt32(from + 56);
  let w15 = bytes.getInt32(from + 60);
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let at = 0; ; ) {
    h = (h + (((ROUNDS[at] as number) + w0) | 0) + choice(e, f, g)) | 0;
    d = (d + h) | 0;
    h = (h + majority(a, b, c)) | 0;
    g = (g + (((ROUNDS[at + 1] as number) + w1) | 0) + choice(d, e, f)) | 0;
    c = (c + g) | 0;
    g = (g + majority(h, a, b)) | 0;
    f = (f + (((ROUNDS[at + 2] as number) + w2) | 0) + choice(c, d, e)) | 0;
    b = (b + f) | 0;
    f = (f + majority(g, h, a)) | 0;
    e = (e + (((ROUNDS[at + 3] as number) + w3) | 0) + choice(b, c, d)) | 0;
    a = (a + e) | 0;
    e = (e + majority(f, g, h)) | 0;
    d = (d + (((ROUNDS[at + 4] as number) + w4) | 0) + choice(a, b, c)) | 0;
    h = (h + d) | 0;
    d = (d + majority(e, f, g)) | 0;
    c = (c + (((ROUNDS[at + 5] as number) + w5) | 0) + choice(h, a, b)) | 0;
    g = (g + c) | 0;
    c = (c + majority(d, e, f)) | 0;
    b = (b + (((ROUNDS[at + 6] as number) + w6) | 0) + choice(g, h, a)) | 0;
    f = (f + b) | 0;
    b = (b + majority(c, d, e)) | 0;
    a = (a + (((ROUNDS[at + 7] as number) + w7) | 0) + choice(f, g, h)) | 0;
    e = (e + a) | 0;
    a = (a + majority(b, c, d)) | 0;
    h = (h + (((ROUNDS[at + 8] as number) + w8) | 0) + choice(e, f, g)) | 0;
    d = (d + h) | 0;
    h = (h + majority(a, b, c)) | 0;
    g = (g + (((ROUNDS[at + 9] as number) + w9) | 0) + choice(d, e, f)) | 0;
    c = (c + g) | 0;
    g = (g + majority(h, a, b)) | 0;
    f = (f + (((ROUNDS[at + 10] as number) + w10) | 0) + choice(c, d, e)) | 0;
    b = (b + f) | 0;
    f = (f + majority(g, h, a)) | 0;
    e = (e + (((ROUNDS[at + 11] as number) + w11) | 0) + choice(b, c, d)) | 0;
    a = (a + e) | 0;
    e = (e + majority(f, g, h)) | 0;
    d = (d + (((ROUNDS[at + 12] as number) + w12) | 0) + choice(a, b, c)) | 0;
    h = (h + d) | 0;
    d = (d + majority(e, f, g)) | 0;
    c = (c + (((ROUNDS[at + 13] as number) + w13) | 0) + choice(h, a, b)) | 0;
    g = (g + c) | 0;
    c = (c + majority(d, e, f)) | 0;
    b = (b + (((ROUNDS[at + 14] as number) + w14) | 0) + choice(g, h, a)) | 0;
    f = (f + b) | 0;
    b = (b + majority(c, d, e)) | 0;
    a = (a + (((ROUNDS[at + 15] as number) + w15) | 0) + choice(f, g, h)) | 0;
    e = (e + a) | 0;
    a = (a + majority(b, c, d)) | 0;
    at += 16;
    if (at === 64) break;
    w0 = next(w0, w1, w9, w14);
    w1 = next(w1, w2, w10, w15);
    w2 = next(w2, w3, w11, w0);
    w3 = next(w3, w4, w12, w1);
    w4 = next(w4, w5, w13, w2);
    w5 = next(w5, w6, w14, w3);
    w6 = next(w6, w7, w15, w4);
    w7 = next(w7, w8, w0, w5);
    w8 = next(w8, w9, w1, w6);
    w9 = next(w9, w10, w2, w7);
    w10 = next(w10, w11, w3, w8);
    w11 = next(w11, w12, w4, w9);
    w12 = next(w12, w13, w5, w10);
    w13 = next(w13, w14, w6, w11);
    w14 = next(w14, w15, w7, w12);
    w15 = next(w15, w0, w8, w13);
  }
  state[0] = ((state[0] as number) + a) | 0;
  state[1] = ((state[1] as number) + b) | 0;
  state[2] = ((state[2] as number) + c) | 0;
  state[3] = ((state[3] as number) + d) | 0;
  state[4] = ((state[4] as number) + e) | 0;
  state[5] = ((state[5] as number) + f) | 0;
  state[6] = ((state[6] as number) + g) | 0;
  state[7] = ((state[7] as number) + h) | 0;
}

/** The sum and the choice of a round (in the standard Σ1 and Ch), then its sum and majority (Σ0 and Maj). */
const choice = (e: number, f: number, g: number): number =>
  ((right(e, 6) ^ right(e, 11) ^ right(e, 25)) + (g ^ (e & (f ^ g)))) | 0;
const majority = (a: number, b: number, c: number): number =>
  ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (c & (a ^ b)))) | 0;

/** The word of sixteen rounds later, from those of this round and of 1, 9 and 14 later. */
const next = (word: number, first: number, ninth: number, last: number): number =>
  (((word + (right(first, 7) ^ right(first, 18) ^ (first >>> 3))) | 0) +
    ninth +
    (right(last, 17) ^ right(last, 19) ^ (last >>> 10))) |
  0;

const right = (value: number, by: number): number => (value >>> by) | (value << (32 - by));
