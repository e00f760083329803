import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { refuse } from '../domain/rejections.ts';
import type { Engine } from '../engine/engine.ts';
import type { History } from '../history/history.ts';
import { createAuthenticator } from './authenticate.ts';
import { readBody } from './body.ts';
import type { ApiConfig } from './config.ts';
import { type Mounted, mount, type RawRequest, type Route, refused, type Served } from './mount.ts';
import { observe, requestIds, type Tally } from './observe.ts';
import { type Page, pages } from './pages.ts';
import { createRouter } from './router.ts';
import { accountRoutes } from './routes/account.ts';
import { fundingRoutes } from './routes/funding.ts';
import { liquidationRoutes } from './routes/liquidations.ts';
import { marketDataRoutes } from './routes/market-data.ts';
import { orderRoutes } from './routes/orders.ts';
import { systemRoutes } from './routes/system.ts';
import { tradeRoutes } from './routes/trades.ts';
import { transferRoutes } from './routes/transfers.ts';
import { walletRoutes } from './routes/wallet.ts';
import { whatIfRoutes } from './routes/what-if.ts';
import { createThrottle } from './throttle.ts';

export { type ApiConfig, DEFAULT_API_CONFIG } from './config.ts';

/** The door of the edge. */
export type ApiOptions = {
  readonly engine: Engine;
  readonly history: History;
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Opens a secret that was sealed with the master key. */
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly version?: string;
};

export type ApiServer = {
  listen(): Promise<{ readonly port: number }>;
  /** Takes no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
};

type Target = (Mounted | Page) & { readonly tally: Tally };

/** How long a closing server still listens on connections that look idle. */
const IDLE_GRACE_MS = 300;

/** A request line and headers must arrive within 10 s, a whole request within 30 s. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
const CLOSE_AGAIN_MS = 50;

export function createServer(options: ApiOptions): ApiServer {
  const { config, engine, log } = options;
  let isClosing = false;
  const observed = observe(options.metrics, engine, options.history);
  const unrouted = observed.tally('-', '-');
  const router = createRouter<Target>();
  mountAll(options, router, observed.tally, () => isClosing);
  const nextRequestId = requestIds();

  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    const startedMs = performance.now();
    const requestId = nextRequestId();
    const method = message.method ?? '';
    const { path, query } = splitUrl(message.url ?? '');
    const found = router.find(method, path);
    const tally = 'target' in found ? found.target.tally : unrouted;
    const finish = (served: Served): void => {
      respond(response, served, requestId, isClosing);
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
    const address = addressOf(message, config.trustProxy);
    readBody(message, config.bodyLimitBytes, (body) => {
      if (body === undefined) finish(tooLarge(config.bodyLimitBytes));
      else {
        const raw: RawRequest = { method, path, query, body, headers, address, requestId };
        settle(target.serve(raw), finish);
      }
    });
  };

  const server =
    config.tls === undefined
      ? createHttp(TIMEOUTS, onRequest)
      : createHttps({ ...TIMEOUTS, ...config.tls }, onRequest);
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(config.port, config.host, () => {
          server.off('error', reject);
          server.on('error', (error) => log.error({ err: error }, 'the server failed'));
          resolve({ port: (server.address() as AddressInfo).port });
        });
      }),
    close: () =>
      new Promise((resolve, reject) => {
        isClosing = true;
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
        const impatient = setTimeout(() => server.closeAllConnections(), config.closeGraceMs);
        server.close((error) => {
          clearInterval(again);
          clearTimeout(impatient);
          if (error === undefined) resolve();
          else reject(error);
        });
      }),
  };
}

/** Every declared endpoint has a route, or the server does not start: see `routes`. */
function mountAll(
  options: ApiOptions,
  router: ReturnType<typeof createRouter<Target>>,
  tally: (method: string, path: string) => Tally,
  isClosing: () => boolean,
): void {
  const { engine, history, config, log, metrics, unseal } = options;
  const throttle = config.limits.isOn
    ? createThrottle(config.limits.rules, () => performance.now())
    : undefined;
  const authenticate = createAuthenticator({
    directory: engine.directory,
    nowMs: () => engine.nowMs(),
    unseal,
    toleranceMs: config.timestampToleranceMs,
    hostAliases: config.hostAliases,
    trustProxy: config.trustProxy,
  });
  const onFault = (error: unknown, requestId: string): void =>
    log.error({ err: error, requestId }, 'a request failed by a fault of ours');
  const { emptyUnauthorizedBodies } = config;
  for (const route of routes(engine, history)) {
    const { method, path, aliases = [] } = route.endpoint;
    const mounted = mount(route, { authenticate, throttle, emptyUnauthorizedBodies, onFault });
    const target = { ...mounted, tally: tally(method, path) };
    for (const served of [path, ...aliases]) router.add(method, served, target);
  }
  const version = options.version ?? '0.1.0';
  for (const page of pages({ engine, history, metrics, version, isClosing })) {
    router.add('GET', page.path, { ...page, tally: tally('GET', page.path) });
  }
}

/** What each endpoint means. */
export const routes = (engine: Engine, history: History): Route[] => [
  ...accountRoutes(engine),
  ...walletRoutes(engine, history),
  ...transferRoutes(engine, history),
  ...orderRoutes(engine, history),
  ...tradeRoutes(engine, history),
  ...fundingRoutes(engine, history),
  ...liquidationRoutes(engine, history),
  ...whatIfRoutes(engine),
  ...marketDataRoutes(engine, history),
  ...systemRoutes(engine),
];

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
