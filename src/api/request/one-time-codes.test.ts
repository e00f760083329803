import { createCipheriv } from 'node:crypto';
import { expect, test } from 'vitest';
import { bytesOfBase32, stepsOf } from './one-time-codes.ts';

/** "12345678901234567890" in base 32, the secret of RFC 6238. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('codes are those of RFC 6238, one step either way and not two', () => {
  // The RFC prints eight digits; six are its last six.
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    const step = Math.floor(seconds / 30);
    for (const factor of ['GOOGLE', 'AUTHY_SECRET'] as const) {
      for (const offset of [-1, 0, 1]) {
        expect(stepsOf(factor, SECRET, code, (seconds + offset * 30) * 1_000)).toEqual([step]);
      }
      for (const offset of [-2, 2]) {
        expect(stepsOf(factor, SECRET, code, (seconds + offset * 30) * 1_000)).toEqual([]);
      }
    }
  }
  for (const wrong of ['287083', '28708', '2870820', '', 'abcdef', ' 287082', '٢٨٧٠٨٢']) {
    expect(stepsOf('GOOGLE', SECRET, wrong, 59_000)).toEqual([]);
  }
  expect(stepsOf('GOOGLE', 'not base 32', '287082', 59_000)).toEqual([]);
  expect(bytesOfBase32('MZXW6YTB')).toEqual(new TextEncoder().encode('fooba'));
});

/** The sample of Yubico's own manual. */
const KEY = 'ecde18dbe76fbd0c33330f1c354871db';
const DEVICE = `dteffuje:8792ebfe26cc:${KEY}`;
const OTP = 'dteffujehknhfjbrjnlnldnhcujvddbikngjrtgh';

test('a Yubico OTP shows how often its device was plugged in and touched', () => {
  expect(stepsOf('YUBIKEY', DEVICE, OTP, 0)).toEqual([19 * 256 + 17]);
  expect(stepsOf('YUBIKEY', DEVICE, OTP.toUpperCase(), 0)).toEqual([19 * 256 + 17]);
  const others = [
    `dteffujf:8792ebfe26cc:${KEY}`,
    `dteffuje:8792ebfe26cd:${KEY}`,
    `dteffuje:8792ebfe26cc:fcde18dbe76fbd0c33330f1c354871db`,
  ];
  for (const device of others) expect(stepsOf('YUBIKEY', device, OTP, 0)).toEqual([]);
  for (let at = 0; at < OTP.length; at++) {
    const character = OTP[at] === 'c' ? 'b' : 'c';
    const changed = OTP.slice(0, at) + character + OTP.slice(at + 1);
    expect(stepsOf('YUBIKEY', DEVICE, changed, 0)).toEqual([]);
  }
  for (const wrong of ['', OTP.slice(1), `${OTP}c`, `${OTP.slice(0, -1)}a`, '123456']) {
    expect(stepsOf('YUBIKEY', DEVICE, wrong, 0)).toEqual([]);
  }
});

test('a checksum that does not fit is no code, although it was encrypted with the right key', () => {
  const plain = Buffer.from('8792ebfe26cc130030c20011c89f23c8', 'hex');
  const otpOf = (bytes: Buffer): string => {
    const cipher = createCipheriv('aes-128-ecb', Buffer.from(KEY, 'hex'), null);
    const sealed = cipher.setAutoPadding(false).update(bytes).toString('hex');
    const characters = [...sealed].map((digit) => 'cbdefghijklnrtuv'[Number.parseInt(digit, 16)]);
    return `dteffuje${characters.join('')}`;
  };
  expect(otpOf(plain)).toBe(OTP);
  plain[11] = 18;
  expect(stepsOf('YUBIKEY', DEVICE, otpOf(plain), 0)).toEqual([]);
});
