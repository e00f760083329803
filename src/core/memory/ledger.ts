import { assert } from '../../domain/assert.ts';
import {
  type AccountIndex,
  AMOUNT_LIMIT,
  type Amount,
  type AssetIndex,
  amount,
  type Purse,
} from '../../domain/units.ts';

/**
 * Every holding of every asset, in parts.
 *
 * A holder is an account, one of the venue's own, a perpetual's clearing or the outside world; all share
 * the numbers of accounts. A purse is holder x stride + asset, a plain index, because a fill touches half
 * a dozen of them a million times a second and text keys would cost a hundred times the arithmetic.
 * Amounts stay below 2^62, checked after every move, so 64-bit sums cannot wrap.
 */
export type Ledger = {
  available: BigInt64Array;
  reserved: BigInt64Array;
  /** When the purse last changed; 0 while it was never touched. */
  touchedAtMs: Float64Array;
  /** 1 if `available` may fall below zero: outside, clearing, deficit, native of accounts. */
  mayOwe: Uint8Array;
  rows: number;
  /** How many assets each holder has room for: a power of two. */
  stride: number;
  /** By holder: how often anything that its margin depends on has changed, prices apart. */
  touches: Uint32Array;
};

export function newLedger(): Ledger {
  return {
    available: new BigInt64Array(0),
    reserved: new BigInt64Array(0),
    touchedAtMs: new Float64Array(0),
    mayOwe: new Uint8Array(0),
    rows: 0,
    stride: 8,
    touches: new Uint32Array(0),
  };
}

export const purseOf = (ledger: Ledger, holder: AccountIndex, asset: AssetIndex): Purse =>
  (holder * ledger.stride + asset) as Purse;

export const availableIn = (ledger: Ledger, purse: Purse): Amount =>
  amount(at(ledger.available, purse));

export const reservedIn = (ledger: Ledger, purse: Purse): Amount =>
  amount(at(ledger.reserved, purse));

/**
 * The only way value changes hands. What leaves one purse enters another of the same asset, so no
 * sequence of moves can make or lose value: conservation is the shape of the function, not a check
 * after it. Deposits and withdrawals are no exception: their other side is the outside purse.
 */
export function move(ledger: Ledger, from: Purse, to: Purse, parts: Amount, timeMs: number): void {
  assert(parts >= 0n, 'a move has a direction, not a sign');
  assert(((from ^ to) & (ledger.stride - 1)) === 0, 'a move stays within one asset');
  const rest = BigInt.asIntN(64, at(ledger.available, from) - parts);
  assert(rest >= 0n || ledger.mayOwe[from] === 1, 'a purse is not overdrawn');
  ledger.available[from] = rest;
  const sum = BigInt.asIntN(64, at(ledger.available, to) + parts);
  assert(sum < AMOUNT_LIMIT && rest > AMOUNT_MIN, 'a balance stays below 2^62 parts');
  ledger.available[to] = sum;
  touch(ledger, from, timeMs);
  touch(ledger, to, timeMs);
}

/** Sets value aside for an open order or an unfinished withdrawal. The caller has checked it is there. */
export function hold(ledger: Ledger, purse: Purse, parts: Amount, timeMs: number): void {
  const rest = BigInt.asIntN(64, at(ledger.available, purse) - parts);
  assert(parts >= 0n && rest >= 0n, 'only what is available is held');
  ledger.available[purse] = rest;
  ledger.reserved[purse] = BigInt.asIntN(64, at(ledger.reserved, purse) + parts);
  touch(ledger, purse, timeMs);
}

/** Releases held value. */
export function release(ledger: Ledger, purse: Purse, parts: Amount, timeMs: number): void {
  const rest = BigInt.asIntN(64, at(ledger.reserved, purse) - parts);
  assert(parts >= 0n && rest >= 0n, 'no more is released than was held');
  ledger.reserved[purse] = rest;
  ledger.available[purse] = BigInt.asIntN(64, at(ledger.available, purse) + parts);
  touch(ledger, purse, timeMs);
}

/** Pays from what was held: for a resting spot order that is matched. */
export function moveHeld(
  ledger: Ledger,
  from: Purse,
  to: Purse,
  parts: Amount,
  timeMs: number,
): void {
  assert(((from ^ to) & (ledger.stride - 1)) === 0, 'a move stays within one asset');
  const rest = BigInt.asIntN(64, at(ledger.reserved, from) - parts);
  assert(parts >= 0n && rest >= 0n, 'no more is paid than was held');
  ledger.reserved[from] = rest;
  const sum = BigInt.asIntN(64, at(ledger.available, to) + parts);
  assert(sum < AMOUNT_LIMIT, 'a balance stays below 2^62 parts');
  ledger.available[to] = sum;
  touch(ledger, from, timeMs);
  touch(ledger, to, timeMs);
}

/** A new holder. Capacity doubles, so creating accounts costs a constant each. */
export function addLedgerHolder(ledger: Ledger): AccountIndex {
  const holder = ledger.rows++;
  if (ledger.rows * ledger.stride > ledger.available.length) {
    layOut(ledger, ledger.stride, Math.max(16, (ledger.rows - 1) * 2));
  }
  return holder as AccountIndex;
}

/** Makes room for one more asset in every holder. Rare, so the whole ledger is copied. */
export function ensureAssets(ledger: Ledger, count: number): void {
  if (count <= ledger.stride) return;
  layOut(ledger, ledger.stride * 2, ledger.available.length / ledger.stride);
}

function layOut(ledger: Ledger, stride: number, rowCapacity: number): void {
  const available = new BigInt64Array(stride * rowCapacity);
  const reserved = new BigInt64Array(stride * rowCapacity);
  const touchedAtMs = new Float64Array(stride * rowCapacity);
  const mayOwe = new Uint8Array(stride * rowCapacity);
  const touches = new Uint32Array(rowCapacity);
  touches.set(ledger.touches);
  const old = ledger.stride;
  for (let holder = 0; (holder + 1) * old <= ledger.available.length; holder++) {
    available.set(ledger.available.subarray(holder * old, (holder + 1) * old), holder * stride);
    reserved.set(ledger.reserved.subarray(holder * old, (holder + 1) * old), holder * stride);
    touchedAtMs.set(ledger.touchedAtMs.subarray(holder * old, (holder + 1) * old), holder * stride);
    mayOwe.set(ledger.mayOwe.subarray(holder * old, (holder + 1) * old), holder * stride);
  }
  Object.assign(ledger, {
    available,
    reserved,
    touchedAtMs,
    mayOwe,
    touches,
    stride,
  });
}

/** Records when the purse changed, and that its holder's margin may have. */
function touch(ledger: Ledger, purse: Purse, timeMs: number): void {
  ledger.touchedAtMs[purse] = timeMs;
  touchHolder(ledger, purse >>> (31 - Math.clz32(ledger.stride)));
}

/** Something other than a purse of the holder has changed: a position, a liquidation. */
export function touchHolder({ touches }: Ledger, holder: number): void {
  touches[holder] = (touches[holder] as number) + 1;
}

/** Precomputed, because negating a bigint constant is a function call. */
const AMOUNT_MIN = -AMOUNT_LIMIT;

const at = (numbers: BigInt64Array, index: number): bigint => numbers[index] as bigint;
