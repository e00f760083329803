/**
 * A 64-bit running digest of bytes, in two 32-bit lanes so that no bigint is made on the way.
 *
 * It finds differences between two runs of the same code; it does not withstand an attacker (the
 * journal's chained SHA-256 does that). About a nanosecond a byte.
 */
export type Digest = { lo: number; hi: number };

/** Mixes bytes into the digest, in place. Order and length count. */
export function mixBytes(digest: Digest, bytes: Uint8Array): void {
  let lo = (digest.lo ^ bytes.length) | 0;
  let hi = (digest.hi ^ 0x9e3779b9) | 0;
  let i = 0;
  for (const end = bytes.length - 3; i < end; i += 4) {
    const word =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    lo = Math.imul(lo ^ word, 0x85ebca6b);
    lo = (lo << 13) | (lo >>> 19);
    hi = Math.imul(hi + lo + word, 0xc2b2ae35);
    hi = (hi << 17) | (hi >>> 15);
  }
  for (; i < bytes.length; i++) {
    lo = Math.imul(lo ^ (bytes[i] as number), 0x01000193);
    hi = (Math.imul(hi ^ lo, 0x85ebca6b) + (bytes[i] as number)) | 0;
  }
  lo ^= hi >>> 15;
  hi = Math.imul(hi ^ (lo >>> 13), 0xc2b2ae35);
  digest.lo = (lo ^ (hi >>> 16)) >>> 0;
  digest.hi = hi >>> 0;
}

export const digestText = ({ lo, hi }: Readonly<Digest>): string =>
  hi.toString(16).padStart(8, '0') + lo.toString(16).padStart(8, '0');
