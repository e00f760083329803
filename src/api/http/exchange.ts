import { type Body, type BodyLimits, BodyReader, bodyOf } from './body.ts';
import type { BoundExchange, Connection } from './connections.ts';
import { CHUNKED, type Head } from './head.ts';

/** A response: text in one piece, or a head and pieces that are produced while it is sent. */
export type Output = {
  readonly text: string;
  /** The length of `text` in UTF-8; equal to its characters if all of them are ASCII. */
  readonly bytes: number;
  readonly pieces?: OutputPieces;
  /** Follows `text`: bytes that all responses share. With TLS, each gets a copy after all. */
  readonly shared?: Buffer;
  /** The connection closes after it. */
  readonly isLast: boolean;
};
export type OutputPieces = {
  /** Each piece is preceded by its size; otherwise the end of the connection is the end. */
  readonly isChunked: boolean;
  /** Roughly the bytes that are kept for it until it is sent. */
  readonly heldBytes: number;
  next(): string | undefined;
};

/** The connection that an exchange came on; see http-connection.ts. */
export type ExchangeConnection = Connection & {
  readonly localAddress: string;
  readonly remoteAddress: string;
  /** Whether the connection ends with the response to this request, the last outstanding one. */
  endsWith(exchange: Exchange, isClosing: boolean): boolean;
  /** Sends 100 Continue, once the responses before it are out. */
  wantBody(exchange: Exchange): void;
  /** Sends the response at the end of the turn, after those to the requests before it. */
  respond(exchange: Exchange, output: Output): void;
};

/** One request and its response on a connection. Responses are sent in the order of the requests. */
export class Exchange implements BoundExchange {
  readonly head: Head;
  readonly connection: ExchangeConnection;
  readonly #serve: (exchange: Exchange) => void;
  unreadBytes = 0;
  isRunning = false;
  /** Every byte of the request has arrived. */
  isWhole = false;
  output: Output | undefined;
  /** A 100 Continue is to be sent in its turn. */
  isBodyWanted = false;
  #reader: BodyReader | undefined;
  #text: Buffer | undefined;

  constructor(head: Head, connection: ExchangeConnection, serve: (exchange: Exchange) => void) {
    this.head = head;
    this.connection = connection;
    this.#serve = serve;
  }

  begin(): void {
    this.#serve(this);
  }

  /** Bytes of the body as declared; 0 if the sender does not say. */
  get declaredBytes(): number {
    return this.head.bodyBytes === CHUNKED ? 0 : this.head.bodyBytes;
  }

  /** All of the body came with the head. */
  holdBody(bytes: Buffer): void {
    this.#text = bytes;
  }

  /** Reads the body, once: it is handed over whole, or refused. Without this call it is discarded. */
  readBody(limits: BodyLimits, done: (body: Body) => void): void {
    if (this.isWhole) {
      done(this.#text === undefined ? { text: '' } : bodyOf(this.#text));
      return;
    }
    this.#reader = new BodyReader(limits, done);
    if (this.head.expectsContinue) this.connection.wantBody(this);
  }

  take(bytes: Buffer): void {
    this.#reader?.take(bytes);
  }

  end(): void {
    this.#reader?.end();
  }

  abandon(): void {
    this.#reader?.abandon();
  }
}
