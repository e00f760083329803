import { keccak256 } from '../bytes/keccak256.ts';
import { sha256 } from '../bytes/sha256.ts';
import { assert } from './assert.ts';
import type { AddressFormat } from './market.ts';

/**
 * Chain addresses, checked as far as their text allows: characters, lengths and checksums. Only main networks
 * are accepted, because a payment to an address of a test network is lost.
 */
export type AddressFault = 'malformed' | 'wrong checksum' | 'the address of nobody';

const CHARACTERS_MAX = 128;

export function addressFault(format: AddressFormat, address: string): AddressFault | undefined {
  if (address.length > CHARACTERS_MAX) return 'malformed';
  switch (format) {
    case 'evm':
      return evmFault(address);
    case 'bitcoin':
      return address.toLowerCase().startsWith('bc1') ? segwitFault(address) : payFault(address);
    case 'solana':
      return solanaFault(address);
    case 'xrpl':
      return checkedFault(address, RIPPLE, [0x00]);
  }
}

/** An address derived from 32 bytes: valid in its format, and different for different bytes. */
export function addressFrom(format: AddressFormat, bytes: Uint8Array): string {
  assert(bytes.length === 32, 'an address is made from 32 bytes');
  const short = bytes.subarray(12);
  switch (format) {
    case 'evm':
      return withEvmChecksum(`0x${hexOf(short)}`);
    case 'bitcoin':
      return segwitFrom(short);
    case 'solana':
      return baseText(bytes, BITCOIN);
    case 'xrpl': {
      const body = Uint8Array.of(0x00, ...short);
      return baseText(Uint8Array.of(...body, ...checksumOf(body)), RIPPLE);
    }
  }
}

/** An address in a single case has no checksum (EIP-55). */
function evmFault(address: string): AddressFault | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'malformed';
  const digits = address.slice(2);
  if (/^0+$/.test(digits)) return 'the address of nobody';
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return undefined;
  return withEvmChecksum(address) === address ? undefined : 'wrong checksum';
}

/** A letter is upper case if the digit of the hash at its position is 8 or more. */
export function withEvmChecksum(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = hexOf(keccak256(asciiBytes(digits)));
  const marked = [...digits].map((digit, at) =>
    (hash[at] as string) >= '8' ? digit.toUpperCase() : digit,
  );
  return `0x${marked.join('')}`;
}

const BITCOIN = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const RIPPLE = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

/** Pay to the hash of a key or script, on the main network. */
const payFault = (address: string): AddressFault | undefined =>
  checkedFault(address, BITCOIN, [0x00, 0x05]);

function solanaFault(address: string): AddressFault | undefined {
  const bytes = baseBytes(address, BITCOIN);
  if (bytes?.length !== 32) return 'malformed';
  return bytes.every((byte) => byte === 0) ? 'the address of nobody' : undefined;
}

/** Base 58 of a version, 20 bytes and a four-byte checksum. */
function checkedFault(
  address: string,
  alphabet: string,
  versions: readonly number[],
): AddressFault | undefined {
  const bytes = baseBytes(address, alphabet);
  if (bytes?.length !== 25 || !versions.includes(bytes[0] as number)) return 'malformed';
  const checksum = checksumOf(bytes.subarray(0, 21));
  return checksum.every((byte, at) => byte === bytes[21 + at]) ? undefined : 'wrong checksum';
}

const checksumOf = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes)).subarray(0, 4);

/** Base 58: a number, with one zero digit for each leading zero byte. Undefined for other characters. */
function baseBytes(text: string, alphabet: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    let carry = alphabet.indexOf(character);
    if (carry < 0) return undefined;
    for (let at = 0; at < bytes.length; at++) {
      carry += (bytes[at] as number) * 58;
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  for (let at = 0; text[at] === alphabet[0]; at++) bytes.push(0);
  return Uint8Array.from(bytes.reverse());
}

function baseText(bytes: Uint8Array, alphabet: string): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let at = 0; at < digits.length; at++) {
      carry += (digits[at] as number) << 8;
      digits[at] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  for (let at = 0; bytes[at] === 0; at++) digits.push(0);
  return digits
    .reverse()
    .map((digit) => alphabet[digit])
    .join('');
}

/** Segregated witness (BIP-173, BIP-350): version, program and a checksum of six characters. */
const SEGWIT = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const SEGWIT_PREFIX = 'bc';
const CHECKSUM_OF_VERSION_0 = 1;
const CHECKSUM_OF_LATER = 0x2bc830a3;

function segwitFault(address: string): AddressFault | undefined {
  const lower = address.toLowerCase();
  if ((address !== lower && address !== address.toUpperCase()) || address.length > 90) {
    return 'malformed';
  }
  const values = [...lower.slice(SEGWIT_PREFIX.length + 1)].map((one) => SEGWIT.indexOf(one));
  if (values.includes(-1) || values.length < 8) return 'malformed';
  const version = values[0] as number;
  const expected = version === 0 ? CHECKSUM_OF_VERSION_0 : CHECKSUM_OF_LATER;
  if (polymod([...EXPANDED_PREFIX, ...values]) !== expected) return 'wrong checksum';
  const program = bytesOfFives(values.slice(1, -6));
  const hasLength =
    version === 0
      ? program?.length === 20 || program?.length === 32
      : program !== undefined && program.length >= 2 && program.length <= 40;
  return version <= 16 && hasLength ? undefined : 'malformed';
}

/** Version 0: pay to the hash of a key. */
function segwitFrom(program: Uint8Array): string {
  const values = [0, ...fivesOfBytes(program)];
  const rest = polymod([...EXPANDED_PREFIX, ...values, 0, 0, 0, 0, 0, 0]) ^ CHECKSUM_OF_VERSION_0;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (rest >>> shift) & 31);
  return `${SEGWIT_PREFIX}1${[...values, ...checksum].map((value) => SEGWIT[value]).join('')}`;
}

const EXPANDED_PREFIX = [
  ...asciiBytes(SEGWIT_PREFIX).map((byte) => byte >> 5),
  0,
  ...asciiBytes(SEGWIT_PREFIX).map((byte) => byte & 31),
];
const POLYNOMIAL = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function polymod(values: readonly number[]): number {
  let checksum = 1;
  for (const value of values) {
    const top = checksum >>> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, factor] of POLYNOMIAL.entries()) if ((top >> bit) & 1) checksum ^= factor;
  }
  return checksum;
}

/** Converts groups of five bits to bytes; undefined unless fewer than five bits are left over, all of them zero. */
function bytesOfFives(values: readonly number[]): Uint8Array | undefined {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const value of values) {
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  return bits < 5 && (held & ((1 << bits) - 1)) === 0 ? Uint8Array.from(bytes) : undefined;
}

function fivesOfBytes(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let [bits, held] = [0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; ) {
      bits -= 5;
      values.push((held >> bits) & 31);
    }
  }
  return bits === 0 ? values : [...values, (held << (5 - bits)) & 31];
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
