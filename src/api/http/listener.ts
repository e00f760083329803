import { createServer as createHttp } from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { refuse } from '../../domain/rejections.ts';
import { HTTP_STATUS } from '../../wire/errors.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { parserRefusal, rawAnswer } from './malformed.ts';
import type { Tally } from './observe.ts';
import { requestHandler, type Target } from './request-handler.ts';
import type { Router } from './router.ts';

export type TlsFiles = { readonly key: string; readonly cert: string };

/** One listening socket: HTTP in, the router's targets, HTTP out. The venue has two of them. */
export type ListenerOptions = {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tls?: TlsFiles;
  readonly router: Router<Target>;
  /** Counts what no target was found for. */
  readonly unrouted: Tally;
  readonly nextRequestId: () => string;
  readonly limits: ConnectionLimits;
  readonly trustProxy: boolean;
  readonly closeGraceMs: number;
  readonly log: Logger;
};

export type Listener = {
  readonly connections: Connections;
  listen(): Promise<{ readonly port: number }>;
  /** Takes no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
  /** New connections get the new certificate. Throws when key and certificate do not fit. */
  setTls(tls: TlsFiles): void;
};

/** How long a closing server still listens on connections that look idle. */
const IDLE_GRACE_MS = 300;

/**
 * A request line and headers must arrive within 10 s, a whole request within 30 s; looked at every
 * 5 s. A missing Host is refused by us, in our own words.
 */
const HTTP_OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false,
};
/** Until then a connection that speaks no TLS is kept. */
const HANDSHAKE_MS = 10_000;
const CLOSE_AGAIN_MS = 50;
const CUT_SLOW_EVERY_MS = 5_000;
/** How long who is refused by the parser may take to read why. */
const LINGER_MS = 1_000;

export function createListener(options: ListenerOptions): Listener {
  const { log } = options;
  let isClosing = false;
  const connections = new Connections(options.limits, () => performance.now());
  const onRequest = requestHandler({ ...options, connections, isClosing: () => isClosing });
  const secure =
    options.tls === undefined
      ? undefined
      : createHttps(
          { ...HTTP_OPTIONS, handshakeTimeout: HANDSHAKE_MS, ...options.tls },
          (message, response) => onRequest(message, response),
        );
  const server =
    secure ?? createHttp(HTTP_OPTIONS, (message, response) => onRequest(message, response));
  connections.guard(server);
  answerMalformed(server, options, connections);
  // Who asks before sending a body hears first whether it is wanted.
  server.on('checkContinue', (message, response) =>
    onRequest(message, response, () => response.writeContinue()),
  );
  server.on('checkExpectation', (message, response) => onRequest(message, response));
  const cutSlow = setInterval(() => connections.cutSlow(), CUT_SLOW_EVERY_MS);
  cutSlow.unref();
  return {
    connections,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, options.host, () => {
          server.off('error', reject);
          server.on('error', (error) => log.error({ err: error }, 'the server failed'));
          resolve({ port: (server.address() as AddressInfo).port });
        });
      }),
    close: () => {
      isClosing = true;
      clearInterval(cutSlow);
      return closeServer(server, options.closeGraceMs);
    },
    setTls: (tls) => secure?.setSecureContext(tls),
  };
}

type AnyServer = ReturnType<typeof createHttp> | HttpsServer;

function closeServer(server: AnyServer, closeGraceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // A request may be on its way on a connection that looks idle. For a moment such connections
    // are kept; whatever comes on them is answered, and told that the connection closes.
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => undefined;
    setTimeout(() => {
      server.closeIdleConnections = closeIdle;
      closeIdle();
    }, IDLE_GRACE_MS);
    // Then idle connections close, busy ones after their answer, which says so; one whose answer
    // had gone out before its body was all in is caught by looking again.
    const again = setInterval(() => server.closeIdleConnections(), CLOSE_AGAIN_MS);
    const impatient = setTimeout(() => server.closeAllConnections(), closeGraceMs);
    server.close((error) => {
      clearInterval(again);
      clearTimeout(impatient);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/**
 * What is no HTTP, too long or too slow is answered in the same envelope as everything else, after
 * the answers to the whole requests before it on that connection. A client that has closed its own
 * end gets its answer too.
 */
function answerMalformed(
  server: AnyServer,
  { unrouted, nextRequestId }: ListenerOptions,
  connections: Connections,
): void {
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  const refused = new WeakSet<object>();
  const answer = (socket: Socket, refusal: ReturnType<typeof refuse>): void => {
    unrouted.add(HTTP_STATUS[refusal.rejected], 0);
    connections.afterLast(socket, () => {
      socket.end(rawAnswer(refusal, nextRequestId()));
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
  };
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Whatever else arrives on it is the same fault again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const refusal = parserRefusal(error);
    if (refusal === undefined || !socket.writable) socket.destroy();
    else answer(socket, refusal);
  });
  server.on('connect', (_message, stream) => {
    answer(stream as Socket, refuse('METHOD_UNKNOWN', 'CONNECT is for proxies'));
  });
}
