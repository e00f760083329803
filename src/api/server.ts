import type { KeyIndex } from '../domain/units.ts';
import {
  addPages,
  addRoutes,
  createEdge,
  type Edge,
  type EdgeOptions,
  type TallyOf,
} from './edge.ts';
import { createOperatorAuthenticator, type Operators } from './http/authenticate-operator.ts';
import { createListener, type Listener, type TlsFiles, turnOfEventLoop } from './http/listener.ts';
import { observeEngine, observeRequests, requestIds } from './http/observe.ts';
import { type MarketRunning, managementPages, type SummedMetrics } from './http/pages.ts';
import { reportFaults } from './http/report-faults.ts';
import type { Target } from './http/request-handler.ts';
import { createRouter, type Router } from './http/router.ts';
import type { SourcePrices } from './operator/markets.ts';
import { refusedActs } from './operator/refused-acts.ts';
import type { BackUp, ChainStatus, Rescan } from './operator/reports.ts';
import { operatorRoutes } from './operator/routes.ts';

export type { PasswordHashes } from './access/parts.ts';
export { type ApiConfig, DEFAULT_API_CONFIG } from './config.ts';
export type { DepositAddressOf } from './deposits/routes.ts';
export type { DocsFiles } from './docs/pages.ts';
export { type Edge, type EdgeOptions, type RouteParts, routes } from './edge.ts';
export { ADMIN_ROLE, type Operator, type Operators } from './http/authenticate-operator.ts';
export type { SummedMetrics } from './http/pages.ts';
export type { Site, SiteFile, SiteState } from './http/site.ts';
export { operatorFetch } from './operator/fetch.ts';
export type { BackedUp, BackUp, ChainStatus } from './operator/reports.ts';
export type { SandboxChains } from './sandbox/routes.ts';
export type { OpenFeed } from './stream/hub.ts';

/** What the HTTP side consists of: the edge for traders, and the operator interface. */
export type ApiOptions = Omit<EdgeOptions, 'readHeight' | 'otherConnections'> & {
  readonly operators: Operators;
  /** The current state of the chains, for operators; nothing if absent. */
  readonly chainStatus?: () => readonly ChainStatus[];
  readonly rescan?: Rescan;
  readonly backUp?: BackUp;
  /** The last prices of the index sources, for operators. */
  readonly sourcePrices?: () => readonly SourcePrices[];
  /** Which venue this is; shown on the management listener. */
  readonly venueId: string;
  /** Other reasons why this node is not ready. */
  readonly troubles?: () => readonly string[];
  /** A living market runs; /ready says so. */
  readonly market?: MarketRunning;
  /** Threads that serve traders; if absent, this one does. */
  readonly gateways?: Gateways | undefined;
};

export type Gateways = Edge & {
  /** How many of them accept connections now. */
  readonly serving: number;
  readonly metrics: SummedMetrics;
};

export type ApiServer = {
  /** Both listeners, or none: a port that is taken fails the start. */
  listen(): Promise<{ readonly port: number; readonly managementPort: number }>;
  /** Accepts no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
  /** New connections get the new certificate. Throws if key and certificate do not match. */
  setTls(tls: TlsFiles): void | Promise<void>;
  /** How many connections the stream has. */
  readonly listeners: number;
  /** Keys with a connection whose end cancels their orders. */
  readonly guarded: readonly KeyIndex[];
};

/**
 * Two listeners: the main one for traders, and one for operators (metrics, readiness, the operator
 * interface). The second has its own sockets, so that load on the first cannot lock operators out.
 */
export function createServer(options: ApiOptions): ApiServer {
  const { config, engine, log, gateways, metrics } = options;
  let isListening = false;
  const observed = observeRequests(metrics);
  observeEngine(metrics, engine, options.history);
  const nextRequestId = requestIds();
  const { tally } = observed;
  const { connections, closeGraceMs, everyAnswer } = config;
  const edge = gateways ?? createEdge(withHeights(options), observed, nextRequestId);
  const isServing = (): boolean => isListening && (gateways?.serving ?? 1) > 0;
  const management = createListener({
    ...{ turn: turnOfEventLoop(), unrouted: tally('-', '-'), nextRequestId, log, everyAnswer },
    ...{ host: config.managementHost, port: config.managementPort },
    ...{ limits: { ...connections, ...MANAGEMENT_MAXIMA }, trustProxy: false, closeGraceMs },
    router: managementRouter(options, tally, isServing),
  });
  return {
    listen: async () => {
      const { port: managementPort } = await listenManagement(management);
      try {
        const { port } = await edge.listen();
        isListening = true;
        return { port, managementPort };
      } catch (cause) {
        await management.close();
        throw cause;
      }
    },
    close: async () => {
      isListening = false;
      await edge.close();
      await management.close();
    },
    setTls: (tls) => edge.setTls(tls),
    get listeners() {
      return edge.listeners;
    },
    get guarded() {
      return edge.guarded;
    },
  };
}

const withHeights = (options: ApiOptions): EdgeOptions => ({
  ...options,
  readHeight: (network) => options.chainStatus?.().find((one) => one.network === network)?.height,
});

/** Taken from the reserve that the main listener leaves, so that operators can always connect. */
const MANAGEMENT_MAXIMA = { maxConnections: 64, maxConnectionsPerAddress: 64 };

/** Names the setting: the operating system's message has only an address. */
async function listenManagement(listener: Listener): Promise<{ readonly port: number }> {
  try {
    return await listener.listen();
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`management listener (managementHost, managementPort): ${message}`, { cause });
  }
}

function managementRouter(
  options: ApiOptions,
  tally: TallyOf,
  isListening: () => boolean,
): Router<Target> {
  const { config, engine, history, metrics, venueId, keys, operators } = options;
  const router = createRouter<Target>();
  const authenticate = createOperatorAuthenticator({
    operators,
    nowMs: () => engine.nowMs(),
    unseal: keys.unseal,
    toleranceMs: config.timestampToleranceMs,
    hostAliases: config.hostAliases,
    boundHost: config.managementHost,
  });
  const settings = {
    authenticate,
    throttle: undefined,
    emptyUnauthorizedBodies: false,
    onFault: reportFaults(options),
    onRefusedAct: refusedActs(engine),
  };
  addRoutes(router, operatorRoutes({ ...options, operators }), settings, tally);
  const { market, site, troubles, gateways } = options;
  const pages = {
    engine,
    history,
    metrics,
    venueId,
    isListening,
    market,
    site,
    troubles,
    gateways,
  };
  addPages(router, managementPages(pages), tally);
  return router;
}
