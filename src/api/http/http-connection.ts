import type { Socket } from 'node:net';
import { ChunkedBody, type ChunkFault } from './chunked.ts';
import type { Connections } from './connections.ts';
import { Exchange, type ExchangeConnection, type Output } from './exchange.ts';
import {
  CHUNKED,
  type Fields,
  HEAD_BYTES_MAX,
  type Head,
  type HeadFault,
  readHead,
} from './head.ts';
import { ResponseQueue } from './response-queue.ts';
import type { Turn } from './turn.ts';

/** What a connection needs from its server. */
export type HttpServing = {
  readonly connections: Connections;
  readonly turn: Turn;
  /** Every request whose head could be read, when its turn comes. */
  readonly serve: (exchange: Exchange) => void;
  /** The request arrived when too many waited already. */
  readonly turnAway: (exchange: Exchange) => void;
  /** The response to bytes that are not a request; the connection ends with it. */
  readonly malformed: (fault: Malformed) => Output;
  /** Takes the socket over, with the bytes that came after the head; see `listener.ts`. */
  readonly upgrade?: ((request: UpgradeRequest, socket: Socket, rest: Buffer) => void) | undefined;
  /**
   * Where another protocol is served; everywhere unless set. Elsewhere the request is treated like any other.
   */
  readonly isUpgraded?: ((url: string) => boolean) | undefined;
  /** Milliseconds of a monotonic clock, exact to a second. */
  readonly coarseNowMs: () => number;
};

/** The part of node's IncomingMessage that libraries read when they take over a socket. */
export type UpgradeRequest = {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: '1.1';
  readonly headers: Fields;
  readonly socket: Socket;
};

export type Malformed =
  | HeadFault
  | ChunkFault
  | { readonly rule: 'broken off' | 'too slow' | 'no room' };

/** Timeouts for a head, a whole request, and the next request. */
export const HEAD_MS = 10_000;
export const REQUEST_MS = 30_000;
export const IDLE_MS = 65_000;
/** How long a peer may take to read the last response. */
const LINGER_MS = 1_000;

const [CR, LF] = [0x0d, 0x0a];
const NOTHING = Buffer.alloc(0);
const NOT_NOW = -1;

/**
 * One connection: bytes in, requests in order; responses in the same order, bytes out.
 *
 * Nothing is read ahead of a request that waits, except what arrived in the same turn: at most two reads of the
 * socket. Head and body of an incomplete request are held within `connections.unfinished`.
 */
export class HttpConnection implements ExchangeConnection {
  readonly socket: Socket;
  readonly localAddress: string;
  readonly remoteAddress: string;
  running = 0;
  readonly waiting: Exchange[] = [];
  unreadBytes = 0;
  progressAtMs = 0;
  isGone = false;
  readonly #serving: HttpServing;
  readonly #responses: ResponseQueue;
  /** Arrived in this turn and not looked at yet. */
  #arrival: Buffer | undefined;
  /** Arrived but not yet parsed, from `#at` on. */
  #bytes: Buffer = NOTHING;
  #at = 0;
  /** These bytes are known to hold no complete head; they count as held. */
  #partBytes = 0;
  /** The request whose body is arriving. */
  #current: Exchange | undefined;
  #leftBytes = 0;
  #chunked: ChunkedBody | undefined;
  #isReading = false;
  /** Nothing that arrives is read any more. */
  #isDone = false;
  #hasEnded = false;
  /** Since when the request has been arriving. */
  #startedMs: number;
  #idleSinceMs: number;

  constructor(socket: Socket, serving: HttpServing) {
    this.socket = socket;
    this.#serving = serving;
    this.localAddress = socket.localAddress ?? '';
    this.remoteAddress = socket.remoteAddress ?? '';
    this.#startedMs = serving.coarseNowMs();
    this.#idleSinceMs = this.#startedMs;
    this.#responses = new ResponseQueue({
      socket,
      connections: serving.connections,
      turn: serving.turn,
      onLast: () => this.#close(),
      onEmpty: () => {
        this.#idleSinceMs = serving.coarseNowMs();
        if (this.#hasEnded) this.#close();
      },
    });
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
  }

  endsWith(exchange: Exchange, isClosing: boolean): boolean {
    // What has arrived and is not parsed yet is served, too.
    if (this.#arrival !== undefined) return false;
    return (isClosing || this.#hasEnded) && this.#responses.newest === exchange;
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    if (!this.#isReading) this.#read();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Closes it if no response is outstanding and nothing is arriving. */
  closeIfIdle(): void {
    if (this.#arrival !== undefined) return;
    const isIdle = this.#responses.isEmpty && this.#current === undefined;
    // A finished connection closes by itself, or belongs to another protocol.
    if (!this.#isDone && isIdle && this.#partBytes === 0) this.#close();
  }

  /** Called every second: what arrives too slowly is refused, what was idle for long is closed. */
  checkTime(nowMs: number): void {
    if (this.#isDone || this.waiting.length > 0 || this.#arrival !== undefined) return;
    if (this.#startedMs !== NOT_NOW) {
      const limitMs = this.#current === undefined ? HEAD_MS : REQUEST_MS;
      if (nowMs - this.#startedMs >= limitMs) this.#refuse({ rule: 'too slow' });
    } else if (this.#responses.isEmpty && nowMs - this.#idleSinceMs >= IDLE_MS) this.#close();
  }

  /** Parsed together with what arrives on other connections in this turn; at a second read, at once. */
  readonly #onData = (chunk: Buffer): void => {
    if (this.#isDone) return;
    if (this.#arrival === undefined) {
      this.#arrival = chunk;
      this.#serving.turn.read(this);
    } else {
      this.#arrival = Buffer.concat([this.#arrival, chunk]);
      this.readNow();
    }
  };

  readNow(): void {
    const chunk = this.#arrival;
    if (chunk === undefined) return;
    this.#arrival = undefined;
    if (this.#isDone || this.isGone) return;
    const isRest = this.#at < this.#bytes.length;
    this.#bytes = isRest ? Buffer.concat([this.#bytes.subarray(this.#at), chunk]) : chunk;
    this.#at = 0;
    this.#read();
  }

  readonly #onEnd = (): void => {
    this.readNow();
    this.#hasEnded = true;
    if (this.#isDone) return;
    if (this.#current !== undefined || this.#at < this.#bytes.length) {
      this.#refuse({ rule: 'broken off' });
    } else if (this.#responses.isEmpty) this.#close();
  };

  readonly #onClose = (): void => {
    this.readNow();
    this.#isDone = true;
    this.#forget();
    this.#current?.abandon();
    this.#responses.clear();
    this.#serving.connections.drop(this);
  };

  /** Discards what has arrived and is not parsed. */
  #forget(): void {
    this.#hold(0);
    this.#bytes = NOTHING;
    this.#at = 0;
  }

  #read(): void {
    this.#isReading = true;
    while (!this.#isDone) {
      if (this.#current !== undefined && !this.#readBody(this.#current)) break;
      if (this.#at >= this.#bytes.length || !this.#readHead()) break;
    }
    this.#isReading = false;
    if (this.#isDone || this.#at >= this.#bytes.length) this.#forget();
    if (this.waiting.length === 0 && this.socket.isPaused()) this.socket.resume();
  }

  /** Whether there may be more to read. */
  #readHead(): boolean {
    const bytes = this.#bytes;
    // Programs that end a body with an extra line send empty lines before the next request line.
    while (bytes[this.#at] === CR && bytes[this.#at + 1] === LF) this.#at += 2;
    if (this.#at === bytes.length) return false;
    if (!this.#mayHoldHead()) return this.#awaitMore();
    const head = readHead(bytes, this.#at);
    if (head === undefined) return this.#awaitMore();
    if ('rule' in head) {
      this.#refuse(head);
      return false;
    }
    this.#hold(0);
    this.#at = head.end;
    if (head.isUpgrade && this.#handOver(head)) return false;
    this.#enter(head);
    return true;
  }

  /** Only the end of a line can complete a head or reveal a fault; until then it is not parsed again. */
  #mayHoldHead(): boolean {
    if (this.#partBytes === 0)
      return this.#bytes.length > this.#at + 1 || this.#bytes[this.#at] !== CR;
    const isTooLong = this.#bytes.length - this.#at > HEAD_BYTES_MAX;
    return isTooLong || this.#bytes.indexOf(LF, this.#at + this.#partBytes) >= 0;
  }

  #awaitMore(): false {
    if (this.#startedMs === NOT_NOW) this.#startedMs = this.#serving.coarseNowMs();
    if (!this.#hold(this.#bytes.length - this.#at)) this.#refuse({ rule: 'no room' });
    return false;
  }

  #hold(bytes: number): boolean {
    if (bytes === this.#partBytes) return true;
    const room = this.#serving.connections.unfinished;
    room.give(this.#partBytes);
    this.#partBytes = 0;
    if (!room.take(bytes)) return false;
    this.#partBytes = bytes;
    return true;
  }

  #enter(head: Head): void {
    const exchange = new Exchange(head, this, this.#serving.serve);
    const end = this.#at + head.bodyBytes;
    if (head.bodyBytes !== CHUNKED && end <= this.#bytes.length) {
      if (end > this.#at) exchange.holdBody(this.#bytes.subarray(this.#at, end));
      this.#at = end;
      this.#arrived(exchange);
    } else {
      this.#current = exchange;
      this.#leftBytes = head.bodyBytes;
      this.#chunked = head.bodyBytes === CHUNKED ? new ChunkedBody() : undefined;
      if (this.#startedMs === NOT_NOW) this.#startedMs = this.#serving.coarseNowMs();
    }
    this.#responses.owe(exchange);
    if (!this.#serving.connections.enter(exchange)) this.#serving.turnAway(exchange);
  }

  #arrived(exchange: Exchange): void {
    this.#current = undefined;
    this.#startedMs = NOT_NOW;
    exchange.isWhole = true;
    // What follows the last request of a connection is not read.
    if (!exchange.head.keepsAlive) this.#isDone = true;
  }

  /** Whether all of it has arrived. */
  #readBody(exchange: Exchange): boolean {
    if (this.waiting.at(-1) === exchange) return false;
    if (this.#chunked === undefined) {
      const end = Math.min(this.#bytes.length, this.#at + this.#leftBytes);
      this.#leftBytes -= end - this.#at;
      if (end > this.#at) exchange.take(this.#bytes.subarray(this.#at, end));
      this.#at = end;
      if (this.#leftBytes > 0) return false;
    } else {
      const end = this.#chunked.read(this.#bytes, this.#at, (data) => exchange.take(data));
      if (typeof end === 'object') {
        this.#refuse(end);
        return false;
      }
      this.#at = end;
      if (!this.#chunked.isWhole) return false;
    }
    this.#arrived(exchange);
    exchange.end();
    return true;
  }

  /** Bytes that are not a request get an error after the responses before it, as the last response. */
  #refuse(fault: Malformed): void {
    const current = this.#current;
    this.#isDone = true;
    this.#forget();
    if (current !== undefined) {
      this.#current = undefined;
      current.abandon();
      // Its response was sent, or will be: no second one is sent.
      if (current.output !== undefined) {
        this.#hasEnded = true;
        if (this.#responses.isEmpty) this.#close();
        return;
      }
      this.#responses.forgetNewest();
      if (this.waiting.at(-1) === current) this.waiting.pop();
      this.#serving.connections.finish(current);
    }
    const last = new Exchange(NO_HEAD, this, ignore);
    this.#responses.owe(last);
    this.respond(last, this.#serving.malformed(fault));
  }

  /**
   * Only a plain request with one Host, and without an outstanding response before it; others are served or
   * refused.
   */
  #handOver({ method, target: url, headers, hosts, bodyBytes }: Head): boolean {
    const { upgrade, connections, isUpgraded } = this.#serving;
    if (upgrade === undefined || !this.#responses.isEmpty) return false;
    if (isUpgraded?.(url) === false) return false;
    if (hosts !== 1 || bodyBytes !== 0) return false;
    const { socket } = this;
    const rest = this.#bytes.subarray(this.#at);
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    // Neither flowing nor paused: the next listener starts it, as after node:http.
    (socket as { readableFlowing: boolean | null }).readableFlowing = null;
    this.#isDone = true;
    this.#forget();
    connections.drop(this);
    upgrade({ method, url, httpVersion: '1.1', headers, socket }, socket, rest);
    socket.off('error', ignore);
    return true;
  }

  wantBody(exchange: Exchange): void {
    this.#responses.wantBody(exchange);
  }

  respond(exchange: Exchange, output: Output): void {
    if (this.isGone) return;
    if (output.isLast) {
      this.#isDone = true;
      // What waits came after this request and gets no response, unless this is the newest: then it came before.
      if (this.#responses.newest !== exchange) this.waiting.length = 0;
    }
    this.#responses.add(exchange, output);
  }

  /** All responses are sent. The peer may still be sending, and must be able to read them. */
  #close(): void {
    this.#isDone = true;
    this.#responses.clear();
    const { socket } = this;
    if (socket.writableEnded) return;
    socket.end();
    if (socket.isPaused()) socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

const ignore = (): void => undefined;

/** For bytes that were not a request. */
export const NO_HEAD: Head = {
  method: '',
  target: '',
  minorVersion: 1,
  headers: {},
  hosts: 0,
  bodyBytes: 0,
  keepsAlive: false,
  expectsContinue: false,
  isUpgrade: false,
  end: 0,
};
