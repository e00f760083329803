import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { MemoryRoom } from './memory-room.ts';
import { subnetOf } from './subnet.ts';

/** How much of the program one client, and all clients together, may take up. */
export type ConnectionLimits = {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Requests of one connection that are worked on at a time. */
  readonly runningMax: number;
  /** Requests of one connection that wait for those; beyond them 429. */
  readonly waitingMax: number;
  /** While a connection has this much unread, its next request waits. */
  readonly unreadPauseBytes: number;
  /** Unread by all together: beyond it, who has most is cut. */
  readonly unreadMaxBytes: number;
  /** Who does not take what was sent for this long is cut. */
  readonly unreadMaxMs: number;
  /** Of bodies that are still arriving, all together. */
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

/** One request and its answer. */
export type Exchange = {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Answered or being printed, and not yet taken by the operating system. */
  unreadBytes: number;
};

/** What a connection has under way. Requests begin in the order in which they came. */
export type Connection = {
  readonly socket: Socket;
  readonly running: Set<Exchange>;
  readonly waiting: { readonly exchange: Exchange; readonly begin: () => void }[];
  unreadBytes: number;
  /** When something was last taken, or first had to be. */
  progressAtMs: number;
  /** Runs once nothing is under way any more. */
  whenIdle: (() => void) | undefined;
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
 * The connections of one listener. Bounded: how many there are, in all and from one address; how
 * many requests each has under way; how much of a body not yet whole is held; how much of an answer
 * not yet read. A connection over the limit is closed before a byte of it is read.
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
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #countByAddress = new Map<string, number>();
  #open = 0;

  constructor(limits: ConnectionLimits, nowMs: () => number) {
    this.limits = limits;
    this.#nowMs = nowMs;
    this.unfinished = new MemoryRoom(limits.unfinishedMaxBytes);
    this.unread = new MemoryRoom(limits.unreadMaxBytes);
  }

  get open(): number {
    return this.#open;
  }

  /** Before the server's own listeners: what is refused must not be read. */
  guard(server: Server): void {
    server.maxConnections = this.limits.maxConnections;
    server.on('drop', () => {
      this.counts.refusedTotal++;
    });
    server.prependListener('connection', (socket: Socket) => this.#admit(socket));
  }

  #admit(socket: Socket): void {
    const address = subnetOf(socket.remoteAddress ?? '');
    const count = this.#countByAddress.get(address) ?? 0;
    this.#open++;
    this.#countByAddress.set(address, count + 1);
    socket.once('close', () => this.#left(address));
    if (count < this.limits.maxConnectionsPerAddress) return;
    this.counts.refusedPerAddress++;
    socket.destroy();
  }

  #left(address: string): void {
    this.#open--;
    const count = (this.#countByAddress.get(address) ?? 1) - 1;
    if (count === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, count);
  }

  of(socket: Socket): Connection {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = {
      socket,
      running: new Set(),
      waiting: [],
      unreadBytes: 0,
      progressAtMs: 0,
      whenIdle: undefined,
    };
    this.#bySocket.set(socket, connection);
    socket.once('close', () => this.#drop(connection));
    return connection;
  }

  /** Begins a request, now or when its turn comes; false when too many wait already. */
  enter(
    message: IncomingMessage,
    response: ServerResponse,
    begin: (exchange: Exchange) => void,
  ): boolean {
    const connection = this.of(message.socket);
    const exchange: Exchange = { message, response, connection, unreadBytes: 0 };
    if (connection.waiting.length === 0 && this.#mayBegin(connection)) {
      this.#begin(exchange, begin);
      return true;
    }
    if (connection.waiting.length >= this.limits.waitingMax) {
      this.counts.tooManyRequests++;
      return false;
    }
    connection.waiting.push({ exchange, begin: () => this.#begin(exchange, begin) });
    // Nothing more is read meanwhile but what has arrived with it.
    message.socket.pause();
    return true;
  }

  #mayBegin({ running, unreadBytes }: Connection): boolean {
    const { runningMax, unreadPauseBytes } = this.limits;
    return running.size < runningMax && unreadBytes <= unreadPauseBytes;
  }

  #begin(exchange: Exchange, begin: (exchange: Exchange) => void): void {
    exchange.connection.running.add(exchange);
    exchange.response.once('close', () => this.#end(exchange));
    begin(exchange);
  }

  #end(exchange: Exchange): void {
    const { connection } = exchange;
    if (!connection.running.delete(exchange)) return;
    this.read(exchange, exchange.unreadBytes);
    this.#next(connection);
  }

  #next(connection: Connection): void {
    const { waiting, running, socket } = connection;
    while (waiting.length > 0 && this.#mayBegin(connection)) waiting.shift()?.begin();
    if (waiting.length === 0 && socket.isPaused()) socket.resume();
    if (running.size > 0 || waiting.length > 0) return;
    const { whenIdle } = connection;
    connection.whenIdle = undefined;
    whenIdle?.();
  }

  /** Bytes of an answer were handed to the connection. */
  written(exchange: Exchange, bytes: number): void {
    const { connection } = exchange;
    if (connection.unreadBytes === 0) connection.progressAtMs = this.#nowMs();
    exchange.unreadBytes += bytes;
    connection.unreadBytes += bytes;
    this.unread.add(bytes);
    if (this.unread.isOverfull) this.#cutLargest();
  }

  /** The operating system has taken bytes of it. */
  read(exchange: Exchange, bytes: number): void {
    if (bytes === 0) return;
    const { connection } = exchange;
    exchange.unreadBytes -= bytes;
    connection.unreadBytes -= bytes;
    connection.progressAtMs = this.#nowMs();
    this.unread.give(bytes);
  }

  #cutLargest(): void {
    let largest: Connection | undefined;
    for (const connection of this.#bySocket.values()) {
      if (connection.unreadBytes > (largest?.unreadBytes ?? 0)) largest = connection;
    }
    if (largest === undefined) return;
    this.counts.cutUnread++;
    this.#cut(largest);
  }

  /** Called now and then: who has not taken anything for too long is not waited for. */
  cutSlow(): void {
    const beforeMs = this.#nowMs() - this.limits.unreadMaxMs;
    for (const connection of this.#bySocket.values()) {
      if (connection.unreadBytes === 0 || connection.progressAtMs > beforeMs) continue;
      this.counts.cutSlow++;
      this.#cut(connection);
    }
  }

  #cut(connection: Connection): void {
    this.#drop(connection);
    connection.socket.destroy();
  }

  #drop(connection: Connection): void {
    this.#bySocket.delete(connection.socket);
    connection.waiting.length = 0;
    for (const exchange of connection.running) this.read(exchange, exchange.unreadBytes);
    connection.running.clear();
  }

  /** Runs once every whole request has been answered. One that never became whole is forgotten. */
  afterLast(socket: Socket, run: () => void): void {
    const connection = this.of(socket);
    const { running, waiting } = connection;
    for (const exchange of running) if (!exchange.message.complete) running.delete(exchange);
    if (waiting.at(-1)?.exchange.message.complete === false) waiting.pop();
    connection.whenIdle = run;
    this.#next(connection);
  }
}
