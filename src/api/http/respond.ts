import type { ServerResponse } from 'node:http';
import type { Connections, Exchange } from './connections.ts';
import type { Pieces, Served } from './mount.ts';

const JSON_HEADERS = ['Content-Type', 'application/json', 'Cache-Control', 'no-store'];
/** What the status line and the headers of an answer come to, about. */
const HEAD_BYTES = 256;

export type Response = {
  readonly response: ServerResponse;
  /** Undefined for what is answered out of turn: it is not counted. */
  readonly exchange: Exchange | undefined;
  readonly connections: Connections;
  readonly served: Served;
  readonly requestId: string;
  /** The connection closes after it. */
  readonly isLast: boolean;
};

/** Writes what is served, and counts how much of it nobody has taken yet. */
export function respond(answer: Response): void {
  const { response, exchange, connections, requestId } = answer;
  const { status, body, headers } = answer.served;
  if (response.destroyed) return;
  if (answer.isLast) response.shouldKeepAlive = false;
  const type = headers.includes('Content-Type') ? [] : JSON_HEADERS;
  const id = ['X-Request-Id', requestId];
  if (typeof body !== 'string') {
    response.writeHead(status, [...type, ...id, ...headers]);
    writePieces(answer, body);
    return;
  }
  const bytes = Buffer.byteLength(body);
  if (exchange !== undefined) connections.written(exchange, bytes + HEAD_BYTES);
  response.writeHead(status, [...type, 'Content-Length', String(bytes), ...id, ...headers]);
  response.end(body);
}

/**
 * A long answer, piece by piece: the next is printed when the operating system has taken the one
 * before, and others get their turn between two.
 */
function writePieces({ response, exchange, connections }: Response, pieces: Pieces): void {
  if (exchange !== undefined) connections.written(exchange, pieces.heldBytes);
  const next = (): void => {
    if (response.destroyed) return;
    const piece = pieces.next();
    if (piece === undefined) {
      response.end();
      return;
    }
    const bytes = Buffer.byteLength(piece);
    if (exchange !== undefined) connections.written(exchange, bytes);
    response.write(piece, (error) => {
      if (exchange !== undefined && exchange.unreadBytes >= bytes)
        connections.read(exchange, bytes);
      if (error === undefined || error === null) setImmediate(next);
    });
  };
  next();
}
