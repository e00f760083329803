/**
 * Armed dead-man switches: at most one for each account and market, and one per account for all markets. Beside them,
 * without a time, what halted markets keep of absent owners. They are few compared with orders, so a list is enough;
 * `nextAtMs` saves ticks the walk over it.
 */
export type Deadlines = {
  readonly byName: Map<number, Deadline>;
  /** No deadline passes before. */
  nextAtMs: number;
};

export type Deadline = {
  readonly account: number;
  /** ALL_MARKETS for all of them. */
  readonly market: number;
  readonly atMs: number;
};

export const ALL_MARKETS = -1;
/** More markets than there can be, so that account and market together fit into one integer. */
const MARKETS_MAX = 2 ** 16;
const NEVER_MS = Number.MAX_SAFE_INTEGER;

export const newDeadlines = (): Deadlines => ({ byName: new Map(), nextAtMs: NEVER_MS });

/** The time of what waits for a halted market to open. No time is later. */
const WHEN_OPEN_MS = NEVER_MS;

const nameOf = (account: number, market: number): number => account * MARKETS_MAX + market + 1;

/** Replaces the deadline of the same account and market, in its place. What waits for a market has a name of its own. */
export function arm(deadlines: Deadlines, deadline: Deadline): void {
  const name = nameOf(deadline.account, deadline.market);
  deadlines.byName.set(deadline.atMs === WHEN_OPEN_MS ? -name : name, deadline);
  deadlines.nextAtMs = Math.min(deadlines.nextAtMs, deadline.atMs);
}

/** The account's orders in this market, which is halted, are to be cancelled when it opens. */
export const armWhenOpen = (deadlines: Deadlines, account: number, market: number): void =>
  arm(deadlines, { account, market, atMs: WHEN_OPEN_MS });

/** Moves what waited for this market to the end of a list. */
export function takeOpened({ byName }: Deadlines, market: number, opened: Deadline[]): void {
  for (const [name, deadline] of byName) {
    if (deadline.market !== market || deadline.atMs !== WHEN_OPEN_MS) continue;
    opened.push(deadline);
    byName.delete(name);
  }
}

/** Whether a time is awaited; what waits for a market has orders in it, or nothing to do. */
export function isTimed({ byName }: Deadlines): boolean {
  for (const { atMs } of byName.values()) if (atMs !== WHEN_OPEN_MS) return true;
  return false;
}

export function disarm({ byName }: Deadlines, account: number, market: number): void {
  byName.delete(nameOf(account, market));
}

/** The deadline of this account and market, if it is due. */
export function passedOf(
  { byName }: Deadlines,
  account: number,
  market: number,
  nowMs: number,
): Deadline | undefined {
  const armed = byName.get(nameOf(account, market));
  return armed !== undefined && armed.atMs <= nowMs ? armed : undefined;
}

/** Moves those that are due to the end of a list, in the order in which they were first armed. */
export function takePassed(deadlines: Deadlines, nowMs: number, passed: Deadline[]): void {
  if (nowMs < deadlines.nextAtMs) return;
  let nextAtMs = NEVER_MS;
  for (const [name, deadline] of deadlines.byName) {
    if (deadline.atMs > nowMs) nextAtMs = Math.min(nextAtMs, deadline.atMs);
    else {
      passed.push(deadline);
      deadlines.byName.delete(name);
    }
  }
  deadlines.nextAtMs = nextAtMs;
}
