import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { HTTP_STATUS } from '../../wire/errors.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import type { Cors } from './cors.ts';
import { type HttpServing, NO_HEAD } from './http-connection.ts';
import { createHttpServer, type TlsFiles } from './http-server.ts';
import { refusalOfMalformed } from './malformed.ts';
import { refused } from './mount.ts';
import type { Tally } from './observe.ts';
import { requestHandler, type Target } from './request-handler.ts';
import { outputOf } from './respond.ts';
import type { Router } from './router.ts';
import type { OtherConnections } from './shared-connections.ts';
import { createTurn, type Turn } from './turn.ts';

export type { TlsFiles };

/** One listening socket: HTTP in, the router's targets, HTTP out. The venue has two of them. */
export type ListenerOptions = {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tls?: TlsFiles;
  readonly turn: Turn;
  readonly router: Router<Target>;
  /** Counts requests without a matching target. */
  readonly unrouted: Tally;
  readonly nextRequestId: () => string;
  readonly limits: ConnectionLimits;
  readonly trustProxy: boolean;
  /** Other threads listen on the same port; the operating system distributes connections. */
  readonly otherConnections?: OtherConnections | undefined;
  /** Pages of other sites that may call; none if absent. */
  readonly cors?: Cors | undefined;
  readonly closeGraceMs: number;
  /** How long a TLS handshake may take. */
  readonly handshakeMs?: number | undefined;
  /** A header of every answer, as a line. */
  readonly everyAnswer?: string | undefined;
  readonly log: Logger;
  /**
   * Takes over the socket of a request that asks for another protocol, as node:http's 'upgrade' event
   * does. Without it such a request is answered like any other.
   */
  readonly upgrade?: HttpServing['upgrade'];
  readonly isUpgraded?: HttpServing['isUpgraded'];
};

export type Listener = {
  readonly connections: Connections;
  /** On the port of the options, unless another one is given. */
  listen(port?: number): Promise<{ readonly port: number }>;
  /** Accepts no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
  /** New connections get the new certificate. Throws if key and certificate do not match. */
  setTls(tls: TlsFiles): void;
};

export function createListener(options: ListenerOptions): Listener {
  const { log, turn, unrouted, nextRequestId } = options;
  let isClosing = false;
  const nowMs = (): number => performance.now();
  const connections = new Connections(options.limits, nowMs, options.otherConnections);
  const dateText = dateTexts(options.everyAnswer);
  const { serve, turnAway } = requestHandler({
    ...options,
    connections,
    dateText,
    isClosing: () => isClosing,
  });
  const server = createHttpServer({
    ...{ connections, turn, serve, turnAway, nowMs, every: everyRealTime },
    ...{ upgrade: options.upgrade, isUpgraded: options.isUpgraded },
    ...(options.tls === undefined ? {} : { tls: options.tls, handshakeMs: options.handshakeMs }),
    // Malformed, too long or too slow requests get the same envelope as everything else.
    malformed: (fault) => {
      const refusal = refusalOfMalformed(fault);
      unrouted.add(HTTP_STATUS[refusal.rejected], 0);
      const answer = { served: refused(refusal, []), requestId: nextRequestId(), isLast: true };
      return outputOf({ ...answer, head: NO_HEAD, date: dateText() });
    },
  });
  const { net } = server;
  return {
    connections,
    listen: (port = options.port) =>
      new Promise((resolve, reject) => {
        net.once('error', reject);
        const { host, otherConnections } = options;
        net.listen({ port, host, reusePort: otherConnections !== undefined }, () => {
          net.off('error', reject);
          net.on('error', (error) => log.error({ err: error }, 'the server failed'));
          resolve({ port: (net.address() as AddressInfo).port });
        });
      }),
    close: () => {
      isClosing = true;
      return server.close(options.closeGraceMs);
    },
    setTls: (tls) => server.setTls(tls),
  };
}

/** A turn of this thread's event loop. */
export const turnOfEventLoop = (): Turn =>
  createTurn({ soon: setImmediate, afterwards: queueMicrotask });

/** The edge's timers do not keep the process alive: its sockets do. */
export function everyRealTime(periodMs: number, run: () => void): () => void {
  const timer = setInterval(run, periodMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The Date header, printed once a second, followed by the header of every answer. */
function dateTexts(everyAnswer: string | undefined): () => string {
  const more = everyAnswer === undefined ? '' : `\r\n${everyAnswer}`;
  let second = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (Math.floor(now / 1_000) === second) return text;
    second = Math.floor(now / 1_000);
    text = new Date(now).toUTCString() + more;
    return text;
  };
}
