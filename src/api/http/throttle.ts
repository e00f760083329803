import { dropOldest } from './drop-oldest.ts';

/**
 * Rate limits by key and by address.
 *
 * Token buckets, each kept as one number: the time at which the bucket will be full again. A full bucket
 * equals one that was never used, so dropping it changes nothing, and memory holds only subjects that were
 * active within the longest period. A refused request takes no token from any bucket.
 *
 * Cost: two map lookups and a handful of additions per request.
 */
export type Budget = 'orders' | 'money' | 'estimates';

export type LimitRule = {
  /** Which requests count: all of them, or those with a separate budget. */
  readonly of: 'all' | Budget;
  readonly per: 'key' | 'address';
  readonly count: number;
  readonly perMs: number;
};

/** Acts are counted by key: two desks behind one address do not block each other. */
export const DEFAULT_RULES: readonly LimitRule[] = [
  { of: 'all', per: 'key', count: 100, perMs: 1_000 },
  { of: 'all', per: 'address', count: 100, perMs: 1_000 },
  { of: 'all', per: 'address', count: 2_500, perMs: 300_000 },
  { of: 'orders', per: 'key', count: 20, perMs: 1_000 },
  { of: 'estimates', per: 'key', count: 10, perMs: 1_000 },
  { of: 'money', per: 'key', count: 1, perMs: 1_000 },
  { of: 'money', per: 'key', count: 2, perMs: 10_000 },
];

export type Verdict = {
  readonly isAllowed: boolean;
  /** The rule that refused, or the one with the fewest tokens left. */
  readonly rule: LimitRule;
  readonly remaining: number;
  /** The time until that rule's bucket is full again. */
  readonly resetMs: number;
  /** The time until the same request would be allowed; 0 if it is. */
  readonly waitMs: number;
};

export type Throttle = {
  take(who: Who): Verdict | undefined;
  /**
   * For a caller who names a key without having proved possession: checks the key's buckets but spends only
   * from the address's, so that nobody can use up a stranger's limit.
   */
  admit(who: Who): Verdict | undefined;
  /** Spends what `admit` left unspent, once the key is proved. */
  takeKey(accessKey: string, budget: Budget | undefined): Verdict | undefined;
  /** What was spent here since the last call, for other nodes; nothing unless the throttle is shared. */
  takeUnsent(): Spent[];
  /** What was spent at other nodes: a bucket may go into debt. Invalid elements are ignored. */
  applyRemote(spent: readonly unknown[]): void;
  /** How many subjects are remembered. */
  readonly size: number;
};

/** How many tokens were taken for each rule of the kind, in the order of the rules. */
export type Spent = readonly [per: LimitRule['per'], subject: string, counts: readonly number[]];
export type Who = {
  readonly accessKey?: string | undefined;
  readonly address: string;
  readonly budget?: Budget | undefined;
};

const SWEEP_EVERY_MS = 10_000;
const SUBJECTS_MAX = 100_000;

/** The most subjects sent to other nodes at once; the rest of a crowd is not sent. */
const UNSENT_MAX = 5_000;
/** Nobody can have spent more between two messages. */
const COUNT_MAX = 100_000;

export type ThrottleOptions = {
  readonly subjectsMax?: number;
  /** Records what is spent, for other nodes. */
  readonly isShared?: boolean;
};

export function createThrottle(
  rules: readonly LimitRule[],
  nowMs: () => number,
  { subjectsMax = SUBJECTS_MAX, isShared = false }: ThrottleOptions = {},
): Throttle {
  const byKey = new Buckets(rules, 'key', { subjectsMax, isShared });
  const byAddress = new Buckets(rules, 'address', { subjectsMax, isShared });
  let sweptAtMs = nowMs();
  const sweep = (now: number): void => {
    if (now - sweptAtMs < SWEEP_EVERY_MS) return;
    sweptAtMs = now;
    byKey.dropIdle(now);
    byAddress.dropIdle(now);
  };
  const judgeBoth = ({ accessKey, address, budget }: Who, now: number): Verdict | undefined =>
    stricter(
      byAddress.check(address, budget, now),
      accessKey === undefined ? undefined : byKey.check(accessKey, budget, now),
    );
  return {
    take(who) {
      const now = nowMs();
      sweep(now);
      const verdict = judgeBoth(who, now);
      if (verdict?.isAllowed === true) {
        byAddress.spend(who.address, who.budget, now);
        if (who.accessKey !== undefined) byKey.spend(who.accessKey, who.budget, now);
      }
      return verdict;
    },
    admit(who) {
      const now = nowMs();
      sweep(now);
      const verdict = judgeBoth(who, now);
      if (verdict?.isAllowed === true) byAddress.spend(who.address, who.budget, now);
      return verdict;
    },
    takeKey(accessKey, budget) {
      const now = nowMs();
      const verdict = byKey.check(accessKey, budget, now);
      if (verdict?.isAllowed === true) byKey.spend(accessKey, budget, now);
      return verdict;
    },
    takeUnsent: () => [...byKey.takeUnsent(), ...byAddress.takeUnsent()],
    applyRemote(spent) {
      const now = nowMs();
      for (const one of spent) {
        if (!Array.isArray(one)) continue;
        const [per, subject, counts] = one as unknown[];
        if (typeof subject !== 'string' || !Array.isArray(counts)) continue;
        if (per === 'key') byKey.charge(subject, counts, now);
        if (per === 'address') byAddress.charge(subject, counts, now);
      }
    },
    get size() {
      return byKey.size + byAddress.size;
    },
  };
}

/** The one with the longer wait, else with less left. */
export function stricter(
  one: Verdict | undefined,
  other: Verdict | undefined,
): Verdict | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.waitMs !== other.waitMs) return one.waitMs > other.waitMs ? one : other;
  return one.remaining <= other.remaining ? one : other;
}

/** The buckets of all subjects of one kind: for each subject, when each of its buckets is full. */
class Buckets {
  readonly #rules: readonly LimitRule[];
  readonly #subjectsMax: number;
  readonly #fullAtMs = new Map<string, Float64Array>();
  readonly #per: LimitRule['per'];
  /** Spent since the last news; undefined if nobody needs it. */
  readonly #spent: Map<string, number[]> | undefined;

  constructor(
    rules: readonly LimitRule[],
    per: LimitRule['per'],
    { subjectsMax, isShared }: Required<ThrottleOptions>,
  ) {
    this.#rules = rules.filter((rule) => rule.per === per);
    this.#per = per;
    this.#subjectsMax = subjectsMax;
    this.#spent = isShared ? new Map() : undefined;
  }

  takeUnsent(): Spent[] {
    const unsent = [...(this.#spent ?? [])].map(
      ([subject, counts]): Spent => [this.#per, subject, counts],
    );
    this.#spent?.clear();
    return unsent;
  }

  charge(subject: string, counts: readonly unknown[], now: number): void {
    if (counts.length !== this.#rules.length || !counts.every(isCount)) return;
    const fullAtMs = this.#of(subject);
    this.#rules.forEach(({ perMs, count }, index) => {
      const spent = counts[index] as number;
      if (spent === 0) return;
      fullAtMs[index] = Math.max(fullAtMs[index] as number, now) + (spent * perMs) / count;
    });
  }

  get size(): number {
    return this.#fullAtMs.size;
  }

  check(subject: string, budget: Budget | undefined, now: number): Verdict | undefined {
    const fullAtMs = this.#fullAtMs.get(subject);
    let strictest: Verdict | undefined;
    for (let index = 0; index < this.#rules.length; index++) {
      const rule = this.#rules[index] as LimitRule;
      if (rule.of !== 'all' && rule.of !== budget) continue;
      const usedMs = Math.max(0, (fullAtMs?.[index] ?? 0) - now);
      strictest = stricter(strictest, judge(rule, usedMs));
    }
    return strictest;
  }

  spend(subject: string, budget: Budget | undefined, now: number): void {
    const fullAtMs = this.#of(subject);
    for (let index = 0; index < this.#rules.length; index++) {
      const rule = this.#rules[index] as LimitRule;
      if (rule.of !== 'all' && rule.of !== budget) continue;
      fullAtMs[index] = Math.max(fullAtMs[index] as number, now) + rule.perMs / rule.count;
      this.#note(subject, index);
    }
  }

  #note(subject: string, index: number): void {
    if (this.#spent === undefined) return;
    let counts = this.#spent.get(subject);
    if (counts === undefined) {
      if (this.#spent.size >= UNSENT_MAX) return;
      counts = this.#rules.map(() => 0);
      this.#spent.set(subject, counts);
    }
    counts[index] = (counts[index] as number) + 1;
  }

  dropIdle(now: number): void {
    for (const [subject, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs.every((timeMs) => timeMs <= now)) this.#fullAtMs.delete(subject);
    }
  }

  #of(subject: string): Float64Array {
    const known = this.#fullAtMs.get(subject);
    if (known !== undefined) return known;
    // Full of active subjects: those known longest are dropped, so memory stays bounded.
    if (this.#fullAtMs.size >= this.#subjectsMax) dropOldest(this.#fullAtMs);
    const fresh = new Float64Array(this.#rules.length);
    this.#fullAtMs.set(subject, fresh);
    return fresh;
  }
}

const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= COUNT_MAX;

/** `usedMs`: how long the bucket needs until it is full. A token refills in perMs / count. */
function judge(rule: LimitRule, usedMs: number): Verdict {
  const tokenMs = rule.perMs / rule.count;
  // Rounded to the microsecond, so that sums of fractions do not refuse the last token.
  const waitMs = Math.max(0, Math.round((usedMs + tokenMs - rule.perMs) * 1_000) / 1_000);
  const isAllowed = waitMs === 0;
  const afterMs = isAllowed ? usedMs + tokenMs : usedMs;
  const remaining = Math.max(0, Math.floor((rule.perMs - afterMs) / tokenMs + 1e-6));
  return { isAllowed, rule, remaining: isAllowed ? remaining : 0, resetMs: afterMs, waitMs };
}
