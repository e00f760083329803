/**
 * Which accounts a change of prices could have moved across a threshold, without looking at the others.
 *
 * The odometer adds up how far prices have moved: each round, the largest relative move of any price.
 * An account that was examined knows its slack, what it may lose before it reaches the next threshold,
 * and its exposure, the most it can lose per unit of relative move. So it need not be looked at again
 * before the odometer has advanced by slack / exposure. Accounts stand in a heap by that reading; a
 * round of prices examines the top of the heap and nobody else. What an account does itself eats
 * into its slack, and when that is used up it is examined at once.
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
  /** By account: what it may still lose by its own doing before it must be looked at. */
  slack: BigInt64Array;
  /** Accounts to examine before the next command, in the order they were noticed. */
  readonly unsure: number[];
  /** By account: 1 while it stands in `unsure`. */
  isUnsure: Uint8Array;
};

/** Relative moves are counted in these parts. */
export const MOVE_ONE = 1_000_000_000n;

export const newWatch = (): Watch => ({
  odometer: 0,
  heap: new Int32Array(64),
  count: 0,
  place: new Int32Array(64),
  dueAt: new Float64Array(64),
  slack: new BigInt64Array(64),
  unsure: [],
  isUnsure: new Uint8Array(64),
});

/** Called for every account as it is created. */
export function ensureWatched(watch: Watch, account: number): void {
  if (account < watch.place.length) return;
  const size = Math.max(account + 1, watch.place.length * 2);
  watch.heap = grown(watch.heap, new Int32Array(size));
  watch.place = grown(watch.place, new Int32Array(size));
  watch.dueAt = grown(watch.dueAt, new Float64Array(size));
  watch.isUnsure = grown(watch.isUnsure, new Uint8Array(size));
  const slack = new BigInt64Array(size);
  slack.set(watch.slack);
  watch.slack = slack;
}

function grown<Column extends Int32Array | Float64Array | Uint8Array>(
  old: Column,
  next: Column,
): Column {
  next.set(old);
  return next;
}

/** The account is examined before the next command. */
export function beUnsure(watch: Watch, account: number): void {
  if (watch.isUnsure[account] === 1) return;
  watch.isUnsure[account] = 1;
  watch.unsure.push(account);
}

/** The account may have lost up to this much by its own doing. */
export function useSlack(watch: Watch, account: number, parts: bigint): void {
  const rest = BigInt.asIntN(64, (watch.slack[account] as bigint) - parts);
  watch.slack[account] = rest;
  if (rest < 0n) beUnsure(watch, account);
}

/** Not to be looked at again before prices have moved this far, in parts of 10^-9. */
export function watchAfter(watch: Watch, account: number, moveParts: number): void {
  watch.dueAt[account] = watch.odometer + moveParts;
  const place = (watch.place[account] as number) - 1;
  if (place < 0) {
    const last = watch.count++;
    put(watch, last, account);
    rise(watch, last);
    return;
  }
  rise(watch, place);
  sink(watch, (watch.place[account] as number) - 1);
}

/** The account has nothing that prices could harm. */
export function unwatch(watch: Watch, account: number): void {
  const place = (watch.place[account] as number) - 1;
  if (place < 0) return;
  watch.place[account] = 0;
  const moved = watch.heap[--watch.count] as number;
  if (moved === account) return;
  put(watch, place, moved);
  rise(watch, place);
  sink(watch, (watch.place[moved] as number) - 1);
}

/** Prices have moved: whoever is due becomes unsure. */
export function advanceOdometer(watch: Watch, moveParts: number): void {
  watch.odometer += moveParts;
  while (watch.count > 0) {
    const account = watch.heap[0] as number;
    if ((watch.dueAt[account] as number) > watch.odometer) return;
    unwatch(watch, account);
    beUnsure(watch, account);
  }
}

/** By reading, then by account, so that the order is the same everywhere. */
function isBefore(watch: Watch, a: number, b: number): boolean {
  const difference = (watch.dueAt[a] as number) - (watch.dueAt[b] as number);
  return difference < 0 || (difference === 0 && a < b);
}

function rise(watch: Watch, from: number): void {
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const account = watch.heap[at] as number;
    const other = watch.heap[above] as number;
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
      isBefore(watch, watch.heap[right] as number, watch.heap[next] as number)
    ) {
      next = right;
    }
    const account = watch.heap[at] as number;
    const other = watch.heap[next] as number;
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
