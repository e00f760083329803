import { createHmac } from 'node:crypto';
import { bytesOfBase32 } from '../../src/api/request/one-time-codes.ts';

/** The code that an authenticator shows at that time. */
export function codeAt(secret: string, nowMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const hash = createHmac('sha1', bytesOfBase32(secret) as Uint8Array)
    .update(counter)
    .digest();
  const offset = (hash[19] as number) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}
