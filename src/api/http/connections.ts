import type { Socket } from 'node:net';
import { MemoryRoom } from './memory-room.ts';
import type { OtherConnections } from './shared-connections.ts';
import { subnetOf } from './subnet.ts';

/** How much one client, and all clients together, may occupy. */
export type ConnectionLimits = {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Requests of one connection that run at a time. */
  readonly runningMax: number;
  /** Requests of one connection that wait for those; more get 429. */
  readonly waitingMax: number;
  /** While a connection has this much unread, its next request waits. */
  readonly unreadPauseBytes: number;
  /** Unread by all together: beyond it, the connection with the most is closed. */
  readonly unreadMaxBytes: number;
  /** A connection that reads nothing for this long is closed. */
  readonly unreadMaxMs: number;
  /** Bytes of requests that are still arriving, all together. */
  readonly unfinishedMaxBytes: number;
};

export const DEFAULT_LIMITS: Omit<ConnectionLimits, 'maxConnections' | 'maxConnectionsPerAddress'> =
  {
    runningMax: 32,
    waitingMax: 256,
    unreadPauseBytes: 262_144,
    unreadMaxBytes: 67_108_864,
    unreadMaxMs: 30_000,
    unfinishedMaxBytes: 67_108_864,
  };

/** The bounds of one request and its response. */
export type BoundExchange = {
  readonly connection: Connection;
  /** Response bytes not yet taken by the operating system. */
  unreadBytes: number;
  /** Begun and not finished. */
  isRunning: boolean;
  begin(): void;
};

/** The requests of a connection in progress. They start in the order in which they arrived. */
export type Connection = {
  running: number;
  readonly waiting: BoundExchange[];
  unreadBytes: number;
  /** When bytes were last taken, or first had to be. */
  progressAtMs: number;
  /** Closed: nothing of it counts any more. */
  isGone: boolean;
  /** Reads nothing more for now. */
  pause(): void;
  /** Nothing waits any more. */
  resume(): void;
  /** Closes it at once. */
  destroy(): void;
};

export type ConnectionCounts = {
  refusedTotal: number;
  refusedPerAddress: number;
  cutUnread: number;
  cutSlow: number;
  tooManyRequests: number;
  noRoomForBody: number;
};

/**
 * The connections of one listener. Bounded: how many there are, in total and from one address; how many
 * requests each has in progress; how many bytes of incomplete requests are held; how many bytes of responses
 * are unread. A connection over the limit is closed before a byte of it is read.
 */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly unfinished: MemoryRoom;
  readonly unread: MemoryRoom;
  readonly counts: ConnectionCounts = {
    refusedTotal: 0,
    refusedPerAddress: 0,
    cutUnread: 0,
    cutSlow: 0,
    tooManyRequests: 0,
    noRoomForBody: 0,
  };
  readonly #nowMs: () => number;
  readonly #others: OtherConnections | undefined;
  /** Those with something unread. */
  readonly #unread = new Set<Connection>();
  readonly #countByAddress = new Map<string, number>();
  #open = 0;

  constructor(limits: ConnectionLimits, nowMs: () => number, others?: OtherConnections) {
    this.limits = limits;
    this.#nowMs = nowMs;
    this.#others = others;
    this.unfinished = new MemoryRoom(limits.unfinishedMaxBytes);
    this.unread = new MemoryRoom(limits.unreadMaxBytes);
  }

  get open(): number {
    return this.#open;
  }

  /**
   * Counts a socket until it closes; returns false, and closes it, if there are too many in total or from its
   * address.
   */
  admit(socket: Socket): boolean {
    const address = subnetOf(socket.remoteAddress ?? '');
    const own = this.#countByAddress.get(address) ?? 0;
    const count = this.#others?.from(address) ?? own;
    const isFull = (this.#others?.open() ?? 0) >= this.limits.maxConnections;
    this.#open++;
    this.#countByAddress.set(address, own + 1);
    this.#others?.entered(address);
    socket.once('close', () => this.#left(address));
    if (!isFull && count < this.limits.maxConnectionsPerAddress) return true;
    if (isFull) this.counts.refusedTotal++;
    else this.counts.refusedPerAddress++;
    socket.destroy();
    return false;
  }

  #left(address: string): void {
    this.#open--;
    this.#others?.left(address);
    const count = (this.#countByAddress.get(address) ?? 1) - 1;
    if (count === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, count);
  }

  /** Starts a request, now or when its turn comes; false if too many wait already. */
  enter(exchange: BoundExchange): boolean {
    const { connection } = exchange;
    if (connection.waiting.length === 0 && this.#mayBegin(connection)) {
      this.#begin(exchange);
      return true;
    }
    if (connection.waiting.length >= this.limits.waitingMax) {
      this.counts.tooManyRequests++;
      return false;
    }
    connection.waiting.push(exchange);
    // Nothing more is read meanwhile, except what has arrived with it.
    connection.pause();
    return true;
  }

  #mayBegin({ running, unreadBytes }: Connection): boolean {
    return running < this.limits.runningMax && unreadBytes <= this.limits.unreadPauseBytes;
  }

  #begin(exchange: BoundExchange): void {
    exchange.connection.running++;
    exchange.isRunning = true;
    exchange.begin();
  }

  /** Its response was sent and taken, or never will be. */
  finish(exchange: BoundExchange): void {
    const { connection } = exchange;
    if (exchange.unreadBytes > 0) this.read(exchange, exchange.unreadBytes);
    if (exchange.isRunning) connection.running--;
    exchange.isRunning = false;
    if (connection.waiting.length > 0) this.#next(connection);
  }

  #next(connection: Connection): void {
    const { waiting } = connection;
    while (waiting.length > 0 && this.#mayBegin(connection)) {
      this.#begin(waiting.shift() as BoundExchange);
    }
    if (waiting.length === 0) connection.resume();
  }

  /** Response bytes were written to the connection and not yet taken by the operating system. */
  written(exchange: BoundExchange, bytes: number): void {
    const { connection } = exchange;
    if (connection.isGone) return;
    if (connection.unreadBytes === 0) {
      connection.progressAtMs = this.#nowMs();
      this.#unread.add(connection);
    }
    exchange.unreadBytes += bytes;
    connection.unreadBytes += bytes;
    this.unread.add(bytes);
    if (this.unread.isOverfull) this.#cutLargest();
  }

  /** The operating system has taken bytes of it. */
  read(exchange: BoundExchange, bytes: number): void {
    const { connection } = exchange;
    if (connection.isGone) return;
    exchange.unreadBytes -= bytes;
    connection.unreadBytes -= bytes;
    connection.progressAtMs = this.#nowMs();
    this.unread.give(bytes);
    if (connection.unreadBytes === 0) this.#unread.delete(connection);
  }

  #cutLargest(): void {
    let largest: Connection | undefined;
    for (const connection of this.#unread) {
      if (connection.unreadBytes > (largest?.unreadBytes ?? 0)) largest = connection;
    }
    if (largest === undefined) return;
    this.counts.cutUnread++;
    this.#cut(largest);
  }

  /** Called periodically: closes connections that have read nothing for too long. */
  cutSlow(): void {
    const beforeMs = this.#nowMs() - this.limits.unreadMaxMs;
    for (const connection of this.#unread) {
      if (connection.progressAtMs > beforeMs) continue;
      this.counts.cutSlow++;
      this.#cut(connection);
    }
  }

  #cut(connection: Connection): void {
    this.drop(connection);
    connection.destroy();
  }

  /** It is closed: what was unread is discarded, what waits never starts. */
  drop(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    connection.waiting.length = 0;
    this.unread.give(connection.unreadBytes);
    connection.unreadBytes = 0;
    this.#unread.delete(connection);
  }
}
