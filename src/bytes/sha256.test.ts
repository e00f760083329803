import { createHash, createHmac } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { keccak256 } from './keccak256.ts';
import { HmacSha256, longestMessage, roomFor, sha256 } from './sha256.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const sample = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256);

test('SHA-256 and Keccak-256 match other implementations at every length around their block size', () => {
  for (let length = 0; length <= 280; length++) {
    const bytes = sample(length);
    expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(hex(keccak256(bytes))).toBe(hex(keccak_256(bytes)));
  }
});

test('HMAC-SHA256 matches Node for messages of every length and keys around a block, in the same memory', () => {
  const room = roomFor(new Uint8Array(448));
  const out = new Uint8Array(32);
  for (const keyLength of [0, 1, 20, 32, 63, 64, 65, 100, 200]) {
    const secret = sample(keyLength);
    const hmac = new HmacSha256(secret);
    for (let length = 0; length <= longestMessage(room.bytes.length); length++) {
      const message = sample(length);
      room.bytes.fill(0xff);
      room.bytes.set(message);
      hmac.write(room, length, out);
      expect(hex(out)).toBe(createHmac('sha256', secret).update(message).digest('hex'));
    }
  }
});

test('two keys do not affect each other', () => {
  const [one, other] = [new HmacSha256(sample(32)), new HmacSha256(sample(33))];
  const out = new Uint8Array(32);
  for (const [hmac, keyLength] of [
    [one, 32],
    [other, 33],
    [one, 32],
  ] as const) {
    hmac.write(roomFor(new Uint8Array(64)), 5, out);
    const expected = createHmac('sha256', sample(keyLength)).update(new Uint8Array(5));
    expect(hex(out)).toBe(expected.digest('hex'));
  }
});
