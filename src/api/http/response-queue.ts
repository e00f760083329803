import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import type { Exchange, Output, OutputPieces } from './exchange.ts';
import type { Turn } from './turn.ts';

export type ResponseQueueOptions = {
  readonly socket: Socket;
  readonly connections: Connections;
  readonly turn: Turn;
  /** The last response of the connection has been written. */
  readonly onLast: () => void;
  /** No response is outstanding. */
  readonly onEmpty: () => void;
};

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Outstanding responses of one connection: they are sent in the order of the requests. */
export class ResponseQueue {
  readonly #options: ResponseQueueOptions;
  readonly #queue: Exchange[] = [];
  #isPrinting = false;

  constructor(options: ResponseQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** The newest request without a response. */
  get newest(): Exchange | undefined {
    return this.#queue.at(-1);
  }

  owe(exchange: Exchange): void {
    this.#queue.push(exchange);
  }

  /** The newest request gets no response. */
  forgetNewest(): void {
    this.#queue.pop();
  }

  clear(): void {
    this.#queue.length = 0;
  }

  wantBody(exchange: Exchange): void {
    if (this.#queue[0] === exchange) this.#options.socket.write(CONTINUE, 'latin1');
    else exchange.isBodyWanted = true;
  }

  add(exchange: Exchange, output: Output): void {
    exchange.output = output;
    const { pieces, bytes } = output;
    const isNext = this.#queue[0] === exchange;
    if (pieces !== undefined || !isNext) {
      this.#options.connections.written(exchange, pieces?.heldBytes ?? bytes);
    }
    if (isNext) this.#options.turn.write(this);
  }

  /** Writes every response whose turn has come. */
  writeNow(): void {
    while (!this.#isPrinting) {
      const exchange = this.#queue[0];
      const output = exchange?.output;
      if (exchange === undefined || output === undefined) break;
      if (output.pieces === undefined) this.#write(exchange, output);
      else this.#print(exchange, output, output.pieces);
    }
    const next = this.#queue[0];
    if (next === undefined) this.#options.onEmpty();
    else if (next.isBodyWanted && next.output === undefined) {
      next.isBodyWanted = false;
      this.#options.socket.write(CONTINUE, 'latin1');
    }
  }

  #write(exchange: Exchange, { text, bytes, shared, isLast }: Output): void {
    const { socket, connections, onLast } = this.#options;
    this.#queue.shift();
    socket.write(text, bytes === text.length ? 'latin1' : 'utf8');
    if (shared !== undefined) socket.write(shared);
    this.#finishWhenTaken(exchange);
    if (exchange.isRunning && exchange.unreadBytes === 0) {
      connections.written(exchange, bytes + (shared?.length ?? 0));
    }
    if (isLast) onLast();
  }

  /** A short response is nearly always taken at once; if not, an empty write follows it. */
  #finishWhenTaken(exchange: Exchange): void {
    const { socket, connections } = this.#options;
    if (socket.writableLength === 0) connections.finish(exchange);
    else socket.write('', () => connections.finish(exchange));
  }

  /**
   * A long response, piece by piece: the next is produced when the operating system has taken the one
   * before, and other requests run in between.
   */
  #print(exchange: Exchange, { text: head, isLast }: Output, pieces: OutputPieces): void {
    const { socket, connections, onLast } = this.#options;
    this.#isPrinting = true;
    socket.write(head, 'latin1');
    const next = (): void => {
      if (socket.destroyed) return;
      const piece = pieces.next();
      if (piece === undefined) {
        this.#isPrinting = false;
        this.#queue.shift();
        if (pieces.isChunked) socket.write(LAST_CHUNK, 'latin1');
        this.#finishWhenTaken(exchange);
        if (isLast) onLast();
        this.writeNow();
        return;
      }
      const bytes = Buffer.byteLength(piece);
      connections.written(exchange, bytes);
      const text = pieces.isChunked ? `${bytes.toString(16)}\r\n${piece}\r\n` : piece;
      socket.write(text, 'utf8', (error) => {
        if (exchange.unreadBytes >= bytes) connections.read(exchange, bytes);
        if (error === undefined || error === null) setImmediate(next);
      });
    };
    next();
  }
}
