import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import { type ConnectionLimits, Connections, DEFAULT_LIMITS } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { FakeSocket } from './fake-socket.fixture.ts';
import { HttpConnection, type Malformed } from './http-connection.ts';
import { AT_ONCE } from './turn.fixture.ts';

/** What a parser made of some bytes: complete requests, then perhaps why it stopped. */
export type Parsed = {
  readonly requests: readonly ParsedRequest[];
  readonly refused: string | undefined;
};
export type ParsedRequest = {
  readonly method: string;
  readonly url: string;
  readonly version: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** The same bytes through our connection, in pieces of the given lengths, repeatedly. */
export function parsedByUs(bytes: Buffer, pieces: readonly number[] = [bytes.length]): Parsed {
  const { socket, served, faults } = pretended();
  let at = 0;
  for (let piece = 0; at < bytes.length; piece++) {
    const end = at + Math.max(1, pieces[piece % pieces.length] ?? 1);
    socket.emit('data', bytes.subarray(at, end));
    at = end;
  }
  return { requests: served, refused: faults[0]?.rule };
}

/** A connection over a fake socket, whose every request is answered at once. */
export function pretended(changes: Partial<ConnectionLimits> = {}) {
  const socket = new FakeSocket();
  const limits = { ...DEFAULT_LIMITS, maxConnections: 9, maxConnectionsPerAddress: 9, ...changes };
  const connections = new Connections(limits, () => clock.ms);
  const clock = { ms: 1 };
  const served: ParsedRequest[] = [];
  const faults: Malformed[] = [];
  const answer = (exchange: Exchange, text = 'ok;'): void => {
    const isLast = !exchange.head.keepsAlive;
    exchange.connection.respond(exchange, { text, bytes: text.length, isLast });
  };
  const connection = new HttpConnection(socket.asSocket, {
    connections,
    turn: AT_ONCE,
    coarseNowMs: () => clock.ms,
    serve: (exchange) => {
      const room = { limitBytes: 1_000_000, room: connections.unfinished };
      exchange.readBody(room, (body) => {
        const { method, target: url, minorVersion, headers } = exchange.head;
        const text = 'text' in body ? body.text : body.refused;
        const plain = { ...headers };
        served.push({ method, url, version: `1.${minorVersion}`, headers: plain, body: text });
        answer(exchange);
      });
    },
    turnAway: (exchange) => answer(exchange, 'too many;'),
    malformed: (fault) => {
      faults.push(fault);
      return { text: 'bad;', bytes: 4, isLast: true };
    },
  });
  return { socket, connection, connections, served, faults, clock };
}

/** The same bytes through node:http, at once. */
export async function parsedByNode(bytes: Buffer): Promise<Parsed> {
  const requests: ParsedRequest[] = [];
  let refused: string | undefined;
  const server = createServer({ requireHostHeader: false }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const { method = '', url = '', httpVersion: version, headers } = message;
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push({ method, url, version, headers: { ...headers }, body });
      response.end();
    });
  });
  server.on('checkContinue', (message, response) => server.emit('request', message, response));
  server.on('checkExpectation', (message, response) => server.emit('request', message, response));
  server.on('clientError', (error: NodeJS.ErrnoException) => {
    refused ??= error.code ?? error.message;
  });
  server.on('connect', () => {
    refused ??= 'connect';
  });
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _coding, done) => done() });
  server.emit('connection', socket);
  socket.push(bytes);
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  return { requests, refused };
}
