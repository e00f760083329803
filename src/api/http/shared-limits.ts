import type { Throttle } from './throttle.ts';

/** Short messages to all other nodes of a cluster; they may be lost. */
export type LimitChannel = {
  /** The name of this node. */
  readonly node: string;
  send(text: string): void;
  receive(onText: (text: string) => void): void;
};

export type SharedLimits = {
  readonly channel: LimitChannel;
  readonly every: (periodMs: number, run: () => void) => () => void;
  readonly throttle?: Throttle | undefined;
  /** Failed sign-ins. */
  readonly attempts?:
    | { takeUnsent(): string[]; applyRemote(names: readonly string[]): void }
    | undefined;
};

const EXCHANGE_MS = 200;

/**
 * Limits apply to the venue, not to one process: what callers have used at one node is sent to the others
 * five times a second, and taken from the same buckets there. So a bucket may go into debt, which is paid
 * back before anything else is allowed. Over any time a caller therefore gets at most what the rule allows,
 * and once in addition what the other nodes could allow in 200 ms: never more than the rule's count for each
 * of them.
 */
export function shareLimits({ channel, every, throttle, attempts }: SharedLimits): () => void {
  channel.receive((text) => {
    const message = readMessage(text);
    if (message === undefined || message.node === channel.node) return;
    throttle?.applyRemote(message.spent);
    attempts?.applyRemote(message.failed);
  });
  return every(EXCHANGE_MS, () => {
    const spent = throttle?.takeUnsent() ?? [];
    const failed = attempts?.takeUnsent() ?? [];
    if (spent.length === 0 && failed.length === 0) return;
    channel.send(JSON.stringify({ node: channel.node, spent, failed } satisfies UsageMessage));
  });
}

type UsageMessage = {
  readonly node: string;
  readonly spent: ReturnType<Throttle['takeUnsent']>;
  readonly failed: readonly string[];
};

/** Undefined if it is not a valid message: anybody may send to the servers. */
function readMessage(text: string): UsageMessage | undefined {
  try {
    const { node, spent, failed } = JSON.parse(text) as Partial<UsageMessage>;
    if (typeof node !== 'string' || !Array.isArray(spent) || !Array.isArray(failed))
      return undefined;
    return { node, spent, failed: failed.filter((name) => typeof name === 'string') };
  } catch {
    return undefined;
  }
}
