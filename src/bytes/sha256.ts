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
  const message = new Uint8Array(paddedLength(bytes.length));
  message.set(bytes);
  const state = START.slice();
  const out = new Uint8Array(HASH_BYTES);
  mixMessage({ state, words: new Int32Array(64), bytes: message, length: bytes.length, before: 0 });
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

  /** Writes that of the first `length` bytes to `out`. `bytes` needs room for a tail, which is overwritten. */
  write(bytes: Uint8Array, length: number, out: Uint8Array): void {
    const { state } = keyed;
    state.set(this.#inner);
    keyed.bytes = bytes;
    keyed.length = length;
    mixMessage(keyed);
    write(state, innerHash);
    state.set(this.#outer);
    keyed.bytes = innerHash;
    keyed.length = HASH_BYTES;
    mixMessage(keyed);
    write(state, out);
  }
}

/** The state after the block of the key. */
function started(key: Uint8Array, pad: number): Int32Array {
  const block = new Uint8Array(BLOCK_BYTES).fill(pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  const state = START.slice();
  mixBlock(state, new Int32Array(64), block, 0);
  return state;
}

/** The longest message whose tail fits into this many bytes. */
export const longestMessage = (bytes: number): number =>
  Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES - TAIL_BYTES;

type Message = {
  readonly state: Int32Array;
  readonly words: Int32Array;
  bytes: Uint8Array;
  length: number;
  /** How many bytes the state has seen before it. */
  before: number;
};

/** Reused by all keys, for one message at a time. */
const keyed: Message = {
  state: new Int32Array(8),
  words: new Int32Array(64),
  bytes: new Uint8Array(0),
  length: 0,
  before: BLOCK_BYTES,
};
const innerHash = new Uint8Array(BLOCK_BYTES);

/** Pads the message within its bytes and mixes it into the state. */
function mixMessage({ state, words, bytes, length, before }: Message): void {
  const end = paddedLength(length);
  bytes[length] = 0x80;
  bytes.fill(0, length + 1, end - 4);
  // In bits. Messages are far below 2^29 bytes, so the upper half is zero.
  const bits = (before + length) * 8;
  bytes[end - 4] = bits >>> 24;
  bytes[end - 3] = bits >>> 16;
  bytes[end - 2] = bits >>> 8;
  bytes[end - 1] = bits;
  for (let at = 0; at < end; at += BLOCK_BYTES) mixBlock(state, words, bytes, at);
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

function mixBlock(state: Int32Array, words: Int32Array, bytes: Uint8Array, from: number): void {
  for (let at = 0, byte = from; at < 16; at++, byte += 4) {
    words[at] =
      ((bytes[byte] as number) << 24) |
      ((bytes[byte + 1] as number) << 16) |
      ((bytes[byte + 2] as number) << 8) |
      (bytes[byte + 3] as number);
  }
  for (let at = 16; at < 64; at++) {
    const [old, recent] = [words[at - 15] as number, words[at - 2] as number];
    const first = right(old, 7) ^ right(old, 18) ^ (old >>> 3);
    const second = right(recent, 17) ^ right(recent, 19) ^ (recent >>> 10);
    words[at] =
      ((((words[at - 16] as number) + first) | 0) + (words[at - 7] as number) + second) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let at = 0; at < 64; at++) {
    const upper = right(e, 6) ^ right(e, 11) ^ right(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (((h + upper) | 0) + choice + (ROUNDS[at] as number) + (words[at] as number)) | 0;
    const lower = right(a, 2) ^ right(a, 13) ^ right(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + lower + majority) | 0;
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

const right = (value: number, by: number): number => (value >>> by) | (value << (32 - by));
