import type { Throttle } from './throttle.ts';

/** Short messages to all other nodes of a cluster; they may be lost. */
export type LimitLine = {
  /** The name of this node. */
  readonly node: string;
  send(text: string): void;
  hear(onText: (text: string) => void): void;
};

export type SharedLimits = {
  readonly line: LimitLine;
  readonly every: (periodMs: number, run: () => void) => () => void;
  readonly throttle?: Throttle | undefined;
  /** Failed sign-ins. */
  readonly attempts?: { news(): string[]; heard(names: readonly string[]): void } | undefined;
};

const EXCHANGE_MS = 200;

/**
 * Limits apply to the venue, not to one process: what callers have used at one node is sent to the others
 * five times a second, and taken from the same buckets there. So a bucket may go into debt, which is paid
 * back before anything else is allowed. Over any time a caller therefore gets at most what the rule allows,
 * and once in addition what the other nodes could allow in 200 ms: never more than the rule's count for each
 * of them.
 */
export function shareLimits({ line, every, throttle, attempts }: SharedLimits): () => void {
  line.hear((text) => {
    const told = toldIn(text);
    if (told === undefined || told.node === line.node) return;
    throttle?.heard(told.spent);
    attempts?.heard(told.failed);
  });
  return every(EXCHANGE_MS, () => {
    const spent = throttle?.news() ?? [];
    const failed = attempts?.news() ?? [];
    if (spent.length === 0 && failed.length === 0) return;
    line.send(JSON.stringify({ node: line.node, spent, failed } satisfies Told));
  });
}

type Told = {
  readonly node: string;
  readonly spent: ReturnType<Throttle['news']>;
  readonly failed: readonly string[];
};

/** Undefined if it is not a valid message: anybody may send to the servers. */
function toldIn(text: string): Told | undefined {
  try {
    const { node, spent, failed } = JSON.parse(text) as Partial<Told>;
    if (typeof node !== 'string' || !Array.isArray(spent) || !Array.isArray(failed))
      return undefined;
    return { node, spent, failed: failed.filter((name) => typeof name === 'string') };
  } catch {
    return undefined;
  }
}
