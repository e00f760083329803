/**
 * Armed dead-man switches: at most one for each account and market, and one per account for all markets. They
 * are few compared with orders, so a list is enough; `nextAtMs` saves ticks the walk over it.
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

const nameOf = (account: number, market: number): number => account * MARKETS_MAX + market + 1;

/** Replaces the deadline of the same account and market, in its place. */
export function arm(deadlines: Deadlines, deadline: Deadline): void {
  deadlines.byName.set(nameOf(deadline.account, deadline.market), deadline);
  deadlines.nextAtMs = Math.min(deadlines.nextAtMs, deadline.atMs);
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

/** Removes and returns those that are due, in the order in which they were first armed. */
export function takePassed(deadlines: Deadlines, nowMs: number): Deadline[] {
  if (nowMs < deadlines.nextAtMs) return [];
  const passed: Deadline[] = [];
  let nextAtMs = NEVER_MS;
  for (const [name, deadline] of deadlines.byName) {
    if (deadline.atMs > nowMs) nextAtMs = Math.min(nextAtMs, deadline.atMs);
    else {
      passed.push(deadline);
      deadlines.byName.delete(name);
    }
  }
  deadlines.nextAtMs = nextAtMs;
  return passed;
}
