import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { refuse } from '../domain/rejections.ts';
import { readBody } from './body.ts';
import { type Mounted, type RawRequest, refused, type Served } from './mount.ts';
import type { Tally } from './observe.ts';
import type { Page } from './pages.ts';
import type { Router } from './router.ts';

/** What a path leads to, with the tally of what it has served. */
export type Target = (Mounted | Page) & { readonly tally: Tally };

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
  readonly bodyLimitBytes: number;
  readonly trustProxy: boolean;
  readonly closeGraceMs: number;
  readonly log: Logger;
};

export type Listener = {
  listen(): Promise<{ readonly port: number }>;
  /** Takes no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
  /** New connections get the new certificate. Throws when key and certificate do not fit. */
  setTls(tls: TlsFiles): void;
};

/** How long a closing server still listens on connections that look idle. */
const IDLE_GRACE_MS = 300;

/** A request line and headers must arrive within 10 s, a whole request within 30 s. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
const CLOSE_AGAIN_MS = 50;

export function createListener(options: ListenerOptions): Listener {
  const { log } = options;
  let isClosing = false;
  const onRequest = requestHandler(options, () => isClosing);
  const secure =
    options.tls === undefined ? undefined : createHttps({ ...TIMEOUTS, ...options.tls }, onRequest);
  const server = secure ?? createHttp(TIMEOUTS, onRequest);
  return {
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

type RequestHandler = (message: IncomingMessage, response: ServerResponse) => void;

function requestHandler(options: ListenerOptions, isClosing: () => boolean): RequestHandler {
  const { router, unrouted, nextRequestId, bodyLimitBytes, trustProxy, log } = options;
  return (message, response) => {
    const startedMs = performance.now();
    const requestId = nextRequestId();
    const method = message.method ?? '';
    const { path, query } = splitUrl(message.url ?? '');
    const found = router.find(method, path);
    const tally = 'target' in found ? found.target.tally : unrouted;
    const finish = (served: Served): void => {
      respond(response, served, requestId, isClosing());
      tally.add(served.status, (performance.now() - startedMs) / 1_000);
      if (log.isLevelEnabled('debug')) {
        log.debug({ requestId, method, path, status: served.status }, 'served');
      }
    };
    if ('refusal' in found) {
      finish(refused(found.refusal, found.allow === undefined ? [] : ['Allow', found.allow]));
      return;
    }
    const { target } = found;
    if (!('endpoint' in target)) {
      settle(target.serve(), finish);
      return;
    }
    const { headers } = message;
    const address = addressOf(message, trustProxy);
    readBody(message, bodyLimitBytes, (body) => {
      if (body === undefined) finish(tooLarge(bodyLimitBytes));
      else {
        const raw: RawRequest = { method, path, query, body, headers, address, requestId };
        settle(target.serve(raw), finish);
      }
    });
  };
}

function settle(served: Served | Promise<Served>, finish: (served: Served) => void): void {
  if (served instanceof Promise) {
    served.then(finish, () => finish(refused(refuse('INTERNAL'), [])));
  } else finish(served);
}

function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

const tooLarge = (limitBytes: number): Served =>
  refused(refuse('BODY_TOO_LARGE', `at most ${limitBytes} bytes`), []);

const JSON_HEADERS = ['Content-Type', 'application/json', 'Cache-Control', 'no-store'];

function respond(
  response: ServerResponse,
  { status, body, headers }: Served,
  requestId: string,
  isClosing: boolean,
): void {
  if (response.destroyed) return;
  if (isClosing) response.shouldKeepAlive = false;
  const type = headers.includes('Content-Type') ? [] : JSON_HEADERS;
  const length = ['Content-Length', String(Buffer.byteLength(body)), 'X-Request-Id', requestId];
  response.writeHead(status, [...type, ...length, ...headers]);
  response.end(body);
}

/** Behind a trusted proxy its own addition counts: the last one, the others anybody can write. */
function addressOf(message: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? message.headers['x-forwarded-for'] : undefined;
  const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined;
  const address = last ?? message.socket.remoteAddress ?? '';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
