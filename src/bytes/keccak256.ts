/**
 * Keccak-256 for the checksums of addresses. Written here because the core uses no package and no Node API.
 * Not optimised: an address is checked once per withdrawal.
 */

const BLOCK_BYTES = 136;
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
  const message = new Uint8Array(Math.ceil((bytes.length + 1) / BLOCK_BYTES) * BLOCK_BYTES);
  message.set(bytes);
  message[bytes.length] = 0x01;
  message[message.length - 1] = (message[message.length - 1] as number) | 0x80;
  const view = new DataView(message.buffer);
  const lanes = new BigUint64Array(LANES);
  for (let at = 0; at < message.length; at += BLOCK_BYTES) {
    for (let lane = 0; lane < BLOCK_BYTES / 8; lane++) {
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
