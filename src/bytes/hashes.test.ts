import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { keccak256, sha256 } from './hashes.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('SHA-256 and Keccak-256 match other implementations at every length around their block size', () => {
  for (let length = 0; length <= 280; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256);
    expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(hex(keccak256(bytes))).toBe(hex(keccak_256(bytes)));
  }
});
