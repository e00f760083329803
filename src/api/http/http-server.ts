import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls, type Server as TlsServer } from 'node:tls';
import type { Connections } from './connections.ts';
import { HttpConnection, type HttpServing } from './http-connection.ts';

export type TlsFiles = { readonly key: string; readonly cert: string };

export type HttpServerOptions = Omit<HttpServing, 'coarseNowMs'> & {
  readonly tls?: TlsFiles;
  /** A connection without a complete TLS handshake is kept for this long. */
  readonly handshakeMs?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
  /** Runs something periodically; returns a function that stops it. */
  readonly every: (periodMs: number, run: () => void) => () => void;
};

export type HttpServer = {
  readonly net: Server;
  /** New connections get the new certificate. Throws if key and certificate do not match. */
  setTls(tls: TlsFiles): void;
  /** Accepts no new connection; resolves when the last one has closed. */
  close(graceMs: number): Promise<void>;
};

/** How long a closing server still listens on connections that look idle. */
const IDLE_GRACE_MS = 300;
const CLOSE_AGAIN_MS = 50;
const HANDSHAKE_MS = 10_000;
const SWEEP_EVERY_MS = 1_000;
/** Slow readers are cut every this many sweeps. */
const CUT_SLOW_EVERY = 5;

/**
 * Accepts sockets, each an `HttpConnection`, with or without TLS. A connection over the limits is closed
 * before a byte of it is read; one sweep a second finds what is too slow, so no request needs a timer.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { connections, nowMs } = options;
  const open = new Set<HttpConnection>();
  let sweptAtMs = nowMs();
  const serving: HttpServing = { ...options, coarseNowMs: () => sweptAtMs };
  const onSocket = (socket: Socket): void => {
    if (socket.destroyed) return;
    const connection = new HttpConnection(socket, serving);
    open.add(connection);
    socket.once('close', () => open.delete(connection));
  };
  const secure =
    options.tls === undefined ? undefined : createSecure(options.tls, options.handshakeMs);
  const net = secure ?? createTcp(SOCKETS);
  const sockets = guard(net, connections);
  net.on(secure === undefined ? 'connection' : 'secureConnection', onSocket);
  let sweeps = 0;
  const stopSweeping = options.every(SWEEP_EVERY_MS, () => {
    sweptAtMs = nowMs();
    for (const connection of open) connection.checkTime(sweptAtMs);
    if (++sweeps % CUT_SLOW_EVERY === 0) connections.cutSlow();
  });
  return {
    net,
    setTls: (tls) => secure?.setSecureContext(tls),
    close: (graceMs) => {
      const ended = closeGently({ net, open, sockets, graceMs });
      return ended.finally(stopSweeping);
    },
  };
}

const SOCKETS = { allowHalfOpen: true, noDelay: true };

/**
 * The runtime closes a connection whose bytes are no handshake. One that stays silent, or whose peer has left
 * in the middle because it does not trust the certificate, it only reports: unless it is closed here, it counts
 * for ever.
 */
function createSecure(tls: TlsFiles, handshakeTimeout = HANDSHAKE_MS): TlsServer {
  const server = createTls({ ...SOCKETS, ...tls, handshakeTimeout, ALPNProtocols: ['http/1.1'] });
  return server.on('tlsClientError', (_error, socket) => socket.destroy());
}

/** Registered before any other listener: a refused connection must not be read. Returns all open sockets. */
function guard(net: Server, connections: Connections): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  net.maxConnections = connections.limits.maxConnections;
  net.on('drop', () => {
    connections.counts.refusedTotal++;
  });
  net.prependListener('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    connections.admit(socket);
  });
  return sockets;
}

type Closing = {
  readonly net: Server;
  readonly open: ReadonlySet<HttpConnection>;
  /** Including those whose handshake is not complete, and those of other protocols. */
  readonly sockets: ReadonlySet<Socket>;
  readonly graceMs: number;
};

/**
 * A request may be in flight on a connection that looks idle. For a moment such connections stay open;
 * requests on them get a response with `Connection: close`. Then idle connections are closed, busy ones after
 * their last response, and after the grace period all that are left.
 */
function closeGently({ net, open, sockets, graceMs }: Closing): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const closeIdle = (): void => {
      for (const connection of open) connection.closeIfIdle();
    };
    let again: NodeJS.Timeout | undefined;
    const idle = setTimeout(() => {
      closeIdle();
      again = setInterval(closeIdle, CLOSE_AGAIN_MS);
    }, IDLE_GRACE_MS);
    const impatient = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    net.close((error) => {
      clearTimeout(idle);
      clearInterval(again);
      clearTimeout(impatient);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}
