import { exactNumber } from '../../domain/units.ts';
import { indexAt, numberAt, partsAt } from './columns.ts';
import { markForReview, type Pending } from './pending.ts';

/**
 * Finds the accounts that a change of prices or a fill could have moved across a threshold, without checking
 * the others. Invariant: an account that was not marked for review since its last one is below its threshold.
 *
 * F is what an account may lose before it reaches its next threshold: C - 2 MM below 50, C - MM above it.
 * At its review it has F, positions worth v in all, and other collateral worth K.
 *
 * 1. Prices. The odometer adds up, per command, the largest relative move r of any price (to the larger
 *    from the smaller), and r >= ln(1 + r). So once it has advanced by d, every price is within a factor
 *    e^d of what it was, whatever way it went. Then positions have lost at most v (e^d - 1); MM, which
 *    rises by at most half of what a notional does, netted or not, has risen by at most half of that,
 *    and counts twice; K is priced by two of the prices and has lost at most K (1 - e^-2d), which is at
 *    most 2 K (e^d - 1). In all E (e^d - 1) with the exposure E = 2 v + 2 K. For half of F that is enough
 *    up to d = ln(1 + s), s = F / 2E, which is at least 2s / (2 + s). s is cut at 1/2, so d <= 0.4: a
 *    command whose move was cut at MOVE_MAX makes everybody due.
 * 2. Fills of perpetuals have the other half. One of q at price p and mark m, w = q x max(p, m), loses at
 *    most w at once, w/2 by later moves (e^d - 1 <= s <= 1/2 until the account is due) and 3/2 w by twice
 *    its MM at later prices; its fee and the fee's share of MM are below w; a realised loss may become
 *    debt, of which a tenth counts. So an allowance of F/8 pays for w and a fortieth of the loss.
 * 3. Whatever else takes money from an account, or turns orders that only reduced into others, marks it
 *    for review: spot fills, fees in other assets, holds, transfers, funding, ADL and backstop fills.
 * 4. Figures are rounded to parts: the caller takes that off F first.
 *
 * At 50 there is no allowance: every fill, and every order that comes to rest, causes a review.
 *
 * Cost: a round of prices costs a comparison, and log n for each account that is due; the less an
 * account has left, and the more it is exposed, the sooner it is.
 */
export type Watch = {
  /** Sum of the largest relative moves, in parts of 10^-9. */
  odometer: number;
  /** Accounts by the reading at which they are due, a binary heap. */
  heap: Int32Array;
  count: number;
  /** By account: place in the heap + 1, or 0 for one that needs no watching. */
  place: Int32Array;
  /** By account: the reading it is due at. */
  dueAt: Float64Array;
  /** By account: the size of fills it may still have before a review; below 0 for none. */
  allowance: BigInt64Array;
};

/** Relative moves are counted in these parts. */
export const MOVE_ONE = 1_000_000_000n;
/** No move of one command counts for more: this much makes everybody due. */
export const MOVE_MAX = MOVE_ONE;
/** Of what an account may lose, the part that is a fill's size: half of it, four times over. */
const ALLOWANCE_DIVISOR = 8n;
const ALLOWANCE_MAX = 2n ** 62n;
/** A realised loss counts as this part of a fill's size, at least a fortieth. */
const LOSS_DIVISOR = 32n;
export const NO_ALLOWANCE = -1n;

export const newWatch = (): Watch => ({
  odometer: 0,
  heap: new Int32Array(64),
  count: 0,
  place: new Int32Array(64),
  dueAt: new Float64Array(64),
  allowance: new BigInt64Array(64),
});

/** How far prices may move before half of `slack` could be lost to them, in parts of 10^-9. */
export function quietMove(slack: bigint, exposure: bigint): number {
  if (slack <= 0n) return 0;
  // 2s / (2 + s) with s = slack / 2 exposure, at most 1/2.
  const counted = slack < exposure ? slack : exposure;
  return exactNumber((2n * counted * MOVE_ONE) / (4n * exposure + counted));
}

/** What fills may use of it, as their size. */
export function allowanceOf(slack: bigint): bigint {
  if (slack <= 0n) return NO_ALLOWANCE;
  const allowance = slack / ALLOWANCE_DIVISOR;
  return allowance < ALLOWANCE_MAX ? allowance : ALLOWANCE_MAX;
}

/** Called for every account as it is created. */
export function ensureWatched(watch: Watch, account: number): void {
  if (account < watch.place.length) return;
  const size = Math.max(account + 1, watch.place.length * 2);
  watch.heap = grown(watch.heap, new Int32Array(size));
  watch.place = grown(watch.place, new Int32Array(size));
  watch.dueAt = grown(watch.dueAt, new Float64Array(size));
  const allowance = new BigInt64Array(size);
  allowance.set(watch.allowance);
  watch.allowance = allowance;
}

function grown<Column extends Int32Array | Float64Array>(old: Column, next: Column): Column {
  next.set(old);
  return next;
}

/**
 * A fill of this size, at its price or the mark if that is higher, with what it realised. Returns whether
 * the allowance is used up and the account needs a review.
 */
export function useAllowance(
  watch: Watch,
  account: number,
  size: bigint,
  realised: bigint,
): boolean {
  const { allowance } = watch;
  // Two parts for the rounding of the fee and of the division below.
  const used = BigInt.asIntN(64, size + 2n);
  allowance[account] = BigInt.asIntN(64, partsAt(allowance, account) - used);
  if (realised < 0n) {
    const lost = BigInt.asIntN(64, BigInt.asIntN(64, 0n - realised) / LOSS_DIVISOR);
    allowance[account] = BigInt.asIntN(64, partsAt(allowance, account) - lost);
  }
  if (partsAt(allowance, account) >= 0n) return false;
  allowance[account] = NO_ALLOWANCE;
  return true;
}

/** Whether every order that comes to rest causes a review: the account is at ratio 50, or was at its last. */
export const hasNoAllowance = (watch: Watch, account: number): boolean =>
  watch.place[account] !== 0 && partsAt(watch.allowance, account) < 0n;

/** Due for review once prices have moved this far, in parts of 10^-9. */
export function watchAfter(watch: Watch, account: number, moveParts: number): void {
  watch.dueAt[account] = watch.odometer + moveParts;
  const place = indexAt(watch.place, account) - 1;
  if (place < 0) {
    const last = watch.count++;
    put(watch, last, account);
    rise(watch, last);
    return;
  }
  rise(watch, place);
  sink(watch, indexAt(watch.place, account) - 1);
}

/** Price moves cannot affect the account's margin. */
export function unwatch(watch: Watch, account: number): void {
  const place = indexAt(watch.place, account) - 1;
  if (place < 0) return;
  watch.place[account] = 0;
  const moved = indexAt(watch.heap, --watch.count);
  if (moved === account) return;
  put(watch, place, moved);
  rise(watch, place);
  sink(watch, indexAt(watch.place, moved) - 1);
}

/** Prices have moved: marks the accounts that are due for review. */
export function advanceOdometer(watch: Watch, pending: Pending, moveParts: number): void {
  watch.odometer += moveParts;
  while (watch.count > 0) {
    const account = indexAt(watch.heap, 0);
    if (numberAt(watch.dueAt, account) > watch.odometer) return;
    unwatch(watch, account);
    markForReview(pending, account);
  }
}

/** By reading, then by account, so that the order is the same everywhere. */
function isBefore(watch: Watch, a: number, b: number): boolean {
  const difference = numberAt(watch.dueAt, a) - numberAt(watch.dueAt, b);
  return difference < 0 || (difference === 0 && a < b);
}

function rise(watch: Watch, from: number): void {
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const account = indexAt(watch.heap, at);
    const other = indexAt(watch.heap, above);
    if (!isBefore(watch, account, other)) return;
    put(watch, above, account);
    put(watch, at, other);
    at = above;
  }
}

function sink(watch: Watch, from: number): void {
  let at = from;
  for (;;) {
    let next = 2 * at + 1;
    if (next >= watch.count) return;
    const right = next + 1;
    if (
      right < watch.count &&
      isBefore(watch, indexAt(watch.heap, right), indexAt(watch.heap, next))
    ) {
      next = right;
    }
    const account = indexAt(watch.heap, at);
    const other = indexAt(watch.heap, next);
    if (!isBefore(watch, other, account)) return;
    put(watch, next, account);
    put(watch, at, other);
    at = next;
  }
}

function put(watch: Watch, place: number, account: number): void {
  watch.heap[place] = account;
  watch.place[account] = place + 1;
}
