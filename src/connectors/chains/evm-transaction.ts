/**
 * The Ethereum formats that the venue needs beside addresses (`domain/addresses.ts`): transactions of type 2
 * (EIP-1559) as bytes, and the call of an ERC-20 transfer. Written here because it is so little: a library
 * adds 79 MB. `test/chains/evm-vectors.json` holds bytes made by one, and the suite's node reads what this
 * writes.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { withEvmChecksum } from '../../domain/addresses.ts';
import { assert } from '../../domain/assert.ts';
import type { Fee } from './chain.ts';

export const bytesOf = (hex: string): Uint8Array =>
  new Uint8Array(Buffer.from(hex.slice(2), 'hex'));
export const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
export const keccak = (bytes: Uint8Array): Uint8Array => keccak_256(bytes);

/** From a public key, compressed or not. */
export function addressFromPublicKey(publicKey: Uint8Array): string {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return withEvmChecksum(hexOf(keccak(uncompressed.subarray(1)).subarray(12)));
}

export type UnsignedTransaction = {
  readonly chainId: bigint;
  readonly nonce: number;
  readonly tipPerGas: bigint;
  readonly pricePerGas: bigint;
  readonly gasMax: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: Uint8Array;
};
export type Signature = { readonly r: bigint; readonly s: bigint; readonly yParity: 0 | 1 };

const TYPE_2 = 2;

export const unsignedBytes = (transaction: UnsignedTransaction): Uint8Array =>
  concat([Uint8Array.of(TYPE_2), list(fieldsOf(transaction))]);

export const signedBytes = (
  transaction: UnsignedTransaction,
  { r, s, yParity }: Signature,
): Uint8Array =>
  concat([
    Uint8Array.of(TYPE_2),
    list([...fieldsOf(transaction), whole(BigInt(yParity)), whole(r), whole(s)]),
  ]);

/** The address that signed a digest; undefined if the signature is invalid. */
export function signerOf(digest: Uint8Array, { r, s, yParity }: Signature): string | undefined {
  try {
    const bytes = concat([Uint8Array.of(yParity), word(r), word(s)]);
    return addressFromPublicKey(secp256k1.recoverPublicKey(bytes, digest, { prehash: false }));
  } catch {
    return undefined;
  }
}

const ORDER = secp256k1.Point.CURVE().n;

/** Each signature has a twin with the larger `s`, which nodes refuse and some signers return. */
export const withLowerS = ({ r, s, yParity }: Signature): Signature =>
  s > ORDER / 2n ? { r, s: ORDER - s, yParity: yParity === 0 ? 1 : 0 } : { r, s, yParity };

/** Deterministic (RFC 6979), with the lower of the two possible `s`, as nodes demand. */
export function signatureWith(privateKey: Uint8Array, digest: Uint8Array): Signature {
  const options = { prehash: false, lowS: true, format: 'recovered' } as const;
  const bytes = secp256k1.sign(digest, privateKey, options);
  const yParity = bytes[0];
  assert(yParity === 0 || yParity === 1, 'a signature has one of two parities');
  const at = (from: number): bigint => BigInt(hexOf(bytes.subarray(from, from + 32)));
  return { r: at(1), s: at(33), yParity };
}

const TRANSFER_SELECTOR = '0xa9059cbb';
const BALANCE_SELECTOR = '0x70a08231';
export const DECIMALS_SELECTOR = '0x313ce567';
/** keccak256('Transfer(address,address,uint256)') */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export const topicOf = (address: string): string =>
  `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
export const transferCall = (to: string, amount: bigint): Uint8Array =>
  concat([bytesOf(TRANSFER_SELECTOR), bytesOf(topicOf(to)), word(amount)]);
export const balanceCall = (address: string): string =>
  `${BALANCE_SELECTOR}${topicOf(address).slice(2)}`;

function fieldsOf(t: UnsignedTransaction): Uint8Array[] {
  assert(Number.isSafeInteger(t.nonce) && t.nonce >= 0, 'a nonce is a whole number');
  return [
    whole(t.chainId),
    whole(BigInt(t.nonce)),
    whole(t.tipPerGas),
    whole(t.pricePerGas),
    whole(t.gasMax),
    text(bytesOf(t.to)),
    whole(t.value),
    text(t.data),
    // The access list, which payments do not use.
    list([]),
  ];
}

/** The fee in the bytes of one of our signed transactions. */
export function feeOfBytes(rawBytes: Uint8Array): Fee {
  assert(rawBytes[0] === TYPE_2, 'a payment is a transaction of type 2');
  const fields = itemsOf(contentAt(rawBytes, 1).content).slice(2, 5);
  const [tipPerUnit, pricePerUnit, unitsMax] = fields.map((field) =>
    field.length === 0 ? 0n : BigInt(hexOf(field)),
  ) as [bigint, bigint, bigint];
  return { unitsMax, pricePerUnit, tipPerUnit };
}

function itemsOf(bytes: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { content, end } = contentAt(bytes, at);
    items.push(content);
    at = end;
  }
  return items;
}

/** One RLP item: a single byte, or a header with the length and the content after it. */
function contentAt(bytes: Uint8Array, at: number): { content: Uint8Array; end: number } {
  const head = bytes[at] as number;
  if (head < 0x80) return { content: bytes.subarray(at, at + 1), end: at + 1 };
  const short = head & 0x3f;
  const digits = short < 56 ? 0 : short - 55;
  const from = at + 1 + digits;
  const length = digits === 0 ? short : Number(BigInt(hexOf(bytes.subarray(at + 1, from))));
  return { content: bytes.subarray(from, from + length), end: from + length };
}

/** RLP of an integer: its bytes without leading zeros. */
function whole(value: bigint): Uint8Array {
  assert(value >= 0n && value < 2n ** 256n, 'a number of a transaction has 256 bits');
  if (value === 0n) return text(new Uint8Array(0));
  const digits = value.toString(16);
  return text(bytesOf(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`));
}

function word(value: bigint): Uint8Array {
  assert(value >= 0n && value < 2n ** 256n, 'a word has 256 bits');
  return bytesOf(`0x${value.toString(16).padStart(64, '0')}`);
}

/** RLP of a string of bytes. */
function text(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) return bytes;
  return concat([lengthOf(bytes.length, 0x80), bytes]);
}

/** RLP of a list of encoded items. */
function list(items: readonly Uint8Array[]): Uint8Array {
  const body = concat(items);
  return concat([lengthOf(body.length, 0xc0), body]);
}

function lengthOf(length: number, start: number): Uint8Array {
  if (length < 56) return Uint8Array.of(start + length);
  const digits = length.toString(16);
  const bytes = bytesOf(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`);
  return concat([Uint8Array.of(start + 55 + bytes.length), bytes]);
}

const concat = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
