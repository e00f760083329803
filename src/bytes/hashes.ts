/**
 * SHA-256 and Keccak-256 for the checksums of addresses. Written here because the core uses no package and no
 * Node API. Not optimised: an address is checked once per withdrawal.
 */

/** Fractional parts of the square and cube roots of the first primes (FIPS 180-4). */
const SHA_START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const SHA_ROUNDS = Uint32Array.of(
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
const SHA_BLOCK_BYTES = 64;

export function sha256(bytes: Uint8Array): Uint8Array {
  const message = padded(bytes, SHA_BLOCK_BYTES, 0x80, 8);
  const view = new DataView(message.buffer);
  view.setBigUint64(message.length - 8, BigInt(bytes.length) * 8n);
  const hash = Uint32Array.from(SHA_START);
  const words = new Uint32Array(64);
  for (let at = 0; at < message.length; at += SHA_BLOCK_BYTES) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(at + index * 4);
    for (let index = 16; index < 64; index++) {
      const [old, recent] = [word(words, index - 15), word(words, index - 2)];
      const first = right(old, 7) ^ right(old, 18) ^ (old >>> 3);
      const second = right(recent, 17) ^ right(recent, 19) ^ (recent >>> 10);
      words[index] = word(words, index - 16) + first + word(words, index - 7) + second;
    }
    mixBlock(hash, words);
  }
  const out = new Uint8Array(32);
  const result = new DataView(out.buffer);
  for (const [index, part] of hash.entries()) result.setUint32(index * 4, part);
  return out;
}

function mixBlock(hash: Uint32Array, words: Uint32Array): void {
  const now = Uint32Array.from(hash);
  for (let round = 0; round < 64; round++) {
    const [a, b, c, e, f, g] = [0, 1, 2, 4, 5, 6].map((at) => word(now, at)) as Six;
    const upper = right(e, 6) ^ right(e, 11) ^ right(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = word(now, 7) + upper + choice + word(SHA_ROUNDS, round) + word(words, round);
    const lower = right(a, 2) ^ right(a, 13) ^ right(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    now.copyWithin(1, 0, 7);
    now[4] = word(now, 4) + first;
    now[0] = first + lower + majority;
  }
  for (let at = 0; at < 8; at++) hash[at] = word(hash, at) + word(now, at);
}
type Six = [number, number, number, number, number, number];

const word = (words: Uint32Array, at: number): number => words[at] as number;
const right = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

/** Pads to whole blocks with space for a length of `tailBytes`; `mark` ends the message. */
function padded(bytes: Uint8Array, block: number, mark: number, tailBytes: number): Uint8Array {
  const whole = new Uint8Array(Math.ceil((bytes.length + 1 + tailBytes) / block) * block);
  whole.set(bytes);
  whole[bytes.length] = mark;
  return whole;
}

const KECCAK_BLOCK_BYTES = 136;
const LANES = 25;
/** By how many bits each lane is rotated, in visiting order. */
const TURNS = [
  1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
];
const VISITED = [
  10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
];

/** With Ethereum's padding, which predates that of SHA-3. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const message = padded(bytes, KECCAK_BLOCK_BYTES, 0x01, 0);
  message[message.length - 1] = (message[message.length - 1] as number) | 0x80;
  const view = new DataView(message.buffer);
  const lanes = new BigUint64Array(LANES);
  for (let at = 0; at < message.length; at += KECCAK_BLOCK_BYTES) {
    for (let lane = 0; lane < KECCAK_BLOCK_BYTES / 8; lane++) {
      lanes[lane] = laneAt(lanes, lane) ^ view.getBigUint64(at + lane * 8, true);
    }
    permute(lanes);
  }
  const out = new Uint8Array(32);
  const result = new DataView(out.buffer);
  for (let lane = 0; lane < 4; lane++) result.setBigUint64(lane * 8, laneAt(lanes, lane), true);
  return out;
}

function permute(lanes: BigUint64Array): void {
  // The round constants are the bits of a shift register (FIPS 202, 3.2.5).
  let register = 1;
  for (let round = 0; round < 24; round++) {
    mixColumns(lanes);
    let carried = laneAt(lanes, 1);
    for (const [index, lane] of VISITED.entries()) {
      const next = laneAt(lanes, lane);
      lanes[lane] = turned(carried, TURNS[index] as number);
      carried = next;
    }
    mixRows(lanes);
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if ((register & 1) === 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1;
    }
    lanes[0] = laneAt(lanes, 0) ^ constant;
  }
}

function mixColumns(lanes: BigUint64Array): void {
  const parities = [0, 1, 2, 3, 4].map((column) => {
    let parity = 0n;
    for (let lane = column; lane < LANES; lane += 5) parity ^= laneAt(lanes, lane);
    return parity;
  });
  for (let lane = 0; lane < LANES; lane++) {
    const left = parities[(lane + 4) % 5] as bigint;
    const next = parities[(lane + 1) % 5] as bigint;
    lanes[lane] = laneAt(lanes, lane) ^ left ^ turned(next, 1);
  }
}

function mixRows(lanes: BigUint64Array): void {
  for (let row = 0; row < LANES; row += 5) {
    const before = [...lanes.subarray(row, row + 5)] as bigint[];
    for (let column = 0; column < 5; column++) {
      const next = before[(column + 1) % 5] as bigint;
      const after = before[(column + 2) % 5] as bigint;
      lanes[row + column] = (before[column] as bigint) ^ (BigInt.asUintN(64, ~next) & after);
    }
  }
}

const laneAt = (lanes: BigUint64Array, at: number): bigint => lanes[at] as bigint;
const turned = (value: bigint, by: number): bigint =>
  BigInt.asUintN(64, (value << BigInt(by)) | (value >> BigInt(64 - by)));
