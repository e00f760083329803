/** What one connection of the stream, and all of them, may do and occupy. */
export type StreamLimits = {
  /** New connections of one address in a minute; more are answered 429. Undefined: as many as come. */
  readonly connectionsPerMinute: number | undefined;
  /** Messages a second, logged in and not: more are answered 20007. Undefined: as many as come. */
  readonly messagesPerSecond: number | undefined;
  /** Order commands a second of one key, over all its connections. */
  readonly commandsPerSecond: number | undefined;
  /** A longer message is answered 20027. */
  readonly messageMaxLength: number;
  /** A frame longer than this ends the connection. */
  readonly frameMaxBytes: number;
  readonly subscriptionsMax: number;
  /** Commands of one connection that are worked on at a time; then it is not read. */
  readonly inFlightMax: number;
  /** Failed logins after which the connection ends. Undefined: as many as come. */
  readonly failedLoginsMax: number | undefined;
  /** Messages in a row that were refused for their rate, after which the connection ends. */
  readonly rapidMax: number;
  /** Without a frame either way a connection ends. */
  readonly idleMs: number;
  /** While this much is unread, messages that the next one replaces are left out. */
  readonly lagBytes: number;
  /** With more unread the connection ends. */
  readonly unreadMaxBytes: number;
  /** Of all connections together: beyond it the one with most ends. */
  readonly unreadTotalMaxBytes: number;
  /** How long a connection that was told to end may take. */
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

  /** Takes one token; false where none is left. */
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
