/** Limits of one stream connection, and of all of them. */
export type StreamLimits = {
  /** New connections from one address per minute; more are answered 429. Undefined: no limit. */
  readonly connectionsPerMinute: number | undefined;
  /** Messages per second, logged in or not: more are answered 20007. Undefined: no limit. */
  readonly messagesPerSecond: number | undefined;
  /** Order commands per second of one key, over all its connections. */
  readonly commandsPerSecond: number | undefined;
  /** A longer message is answered 20027. */
  readonly messageMaxLength: number;
  /** A longer frame closes the connection. */
  readonly frameMaxBytes: number;
  readonly subscriptionsMax: number;
  /** Commands of one connection that may be in flight; beyond that its socket is not read. */
  readonly inFlightMax: number;
  /** Failed logins after which the connection is closed. Undefined: no limit. */
  readonly failedLoginsMax: number | undefined;
  /** Consecutive messages refused for their rate, after which the connection is closed. */
  readonly rapidMax: number;
  /** A connection without a frame either way for this long is closed. */
  readonly idleMs: number;
  /** While this much is unread, messages that the next one replaces are skipped. */
  readonly lagBytes: number;
  /** A connection with more unread bytes is closed. */
  readonly unreadMaxBytes: number;
  /** For all connections together: beyond it the one with the most is closed. */
  readonly unreadTotalMaxBytes: number;
  /** How long closing a connection may take. */
  readonly closeGraceMs: number;
};

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  connectionsPerMinute: 200,
  messagesPerSecond: 50,
  commandsPerSecond: 50,
  messageMaxLength: 4_096,
  frameMaxBytes: 65_536,
  subscriptionsMax: 200,
  inFlightMax: 32,
  failedLoginsMax: 5,
  rapidMax: 500,
  idleMs: 90_000,
  lagBytes: 65_536,
  unreadMaxBytes: 1_048_576,
  unreadTotalMaxBytes: 268_435_456,
  closeGraceMs: 2_000,
};

/** A bucket of a second's tokens, kept as the time at which it is full again. */
export class TokenBucket {
  readonly #perMs: number;
  #fullAtMs = 0;

  constructor(perSecond: number) {
    this.#perMs = 1_000 / perSecond;
  }

  /** Takes one token; false if none is left. */
  take(nowMs: number): boolean {
    const fullAtMs = Math.max(this.#fullAtMs, nowMs) + this.#perMs;
    if (fullAtMs - nowMs > 1_000) return false;
    this.#fullAtMs = fullAtMs;
    return true;
  }

  /** A full bucket equals a new one. */
  isFull(nowMs: number): boolean {
    return this.#fullAtMs <= nowMs;
  }
}
