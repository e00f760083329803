import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { SecondFactor } from '../../domain/wallet.ts';

/**
 * Codes of second factors. A code belongs to a step that only increases: its 30 seconds (TOTP), or the
 * counter of the device (Yubico OTP). The core checks whether a step was used before.
 */

/**
 * Every step to which the code belongs, ascending; none if it is wrong. The formats of `secret` are described
 * below.
 */
export function stepsOf(
  factor: SecondFactor,
  secret: string,
  code: string,
  nowMs: number,
): readonly number[] {
  return factor === 'YUBIKEY' ? yubicoSteps(secret, code) : totpSteps(secret, code, nowMs);
}

const STEP_MS = 30_000;
/** The clocks of devices differ, and people are slow: the steps before and after are valid, too. */
const STEP_OFFSETS = [-1, 0, 1];
const DIGITS = 6;

/** RFC 6238 with SHA-1 and six digits, as all authenticators use; the secret is base 32. */
function totpSteps(secret: string, code: string, nowMs: number): readonly number[] {
  const key = bytesOfBase32(secret);
  if (key === undefined || !/^\d{6}$/.test(code)) return [];
  const now = Math.floor(nowMs / STEP_MS);
  return STEP_OFFSETS.map((offset) => now + offset).filter(
    (step) => step >= 0 && timingSafeEqual(Buffer.from(code), Buffer.from(totpCode(key, step))),
  );
}

function totpCode(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash[hash.length - 1] as number) & 15;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function bytesOfBase32(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const character of text) {
    const value = BASE_32.indexOf(character);
    if (value < 0) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
}

const MODHEX = 'cbdefghijklnrtuv';
/** The remainder if the last two bytes are the checksum of the others (ISO 13239). */
const CRC_RESIDUE = 0xf0b8;

/**
 * A Yubico OTP: the device's public id and 16 bytes encrypted with its key, in letters that every keyboard
 * has in the same place. The secret is "public id:private id:key", the first in those letters and the others in
 * hexadecimal digits.
 */
function yubicoSteps(secret: string, code: string): readonly number[] {
  const [publicId = '', privateId = '', keyHex = ''] = secret.split(':');
  const otp = code.toLowerCase();
  if (otp.length !== publicId.length + 32 || !otp.startsWith(publicId)) return [];
  const digits = [...otp.slice(-32)].map((character) => MODHEX.indexOf(character));
  if (digits.includes(-1) || privateId.length !== 12 || keyHex.length !== 32) return [];
  const sealed = Buffer.from(digits.map((digit) => digit.toString(16)).join(''), 'hex');
  const cipher = createDecipheriv('aes-128-ecb', Buffer.from(keyHex, 'hex'), null);
  const opened = Buffer.concat([cipher.setAutoPadding(false).update(sealed), cipher.final()]);
  const isOurs = timingSafeEqual(opened.subarray(0, 6), Buffer.from(privateId, 'hex'));
  if (!isOurs || crcOf(opened) !== CRC_RESIDUE) return [];
  // How often it was plugged in, and how often it was used since.
  return [(opened.readUInt16LE(6) & 0x7fff) * 256 + (opened[11] as number)];
}

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0x8408 : crc >> 1;
  }
  return crc;
}
