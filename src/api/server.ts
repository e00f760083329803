import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { VERSION } from '../domain/version.ts';
import type { Engine } from '../engine/engine.ts';
import type { Every } from '../engine/ticker.ts';
import type { History } from '../history/history.ts';
import { countAttempts } from './access/attempts.ts';
import type { AccessParts, PasswordHashes } from './access/parts.ts';
import { accessRoutes } from './access/routes.ts';
import { accountRoutes } from './account/routes.ts';
import type { ApiConfig } from './config.ts';
import { type DepositAddressOf, depositRoutes } from './deposits/routes.ts';
import { type DocsFiles, docsPages } from './docs/pages.ts';
import { fundingRoutes } from './funding/routes.ts';
import { type Authenticator, createAuthenticator, LastUses } from './http/authenticate.ts';
import { createBearerAuthenticator } from './http/authenticate-bearer.ts';
import { createOperatorAuthenticator, type Operators } from './http/authenticate-operator.ts';
import { corsFor } from './http/cors.ts';
import { createListener, type Listener, type TlsFiles } from './http/listener.ts';
import { type MountOptions, mount, type Route } from './http/mount.ts';
import { type OnRefusedOrder, observe, requestIds, type Tally } from './http/observe.ts';
import { observeConnections } from './http/observe-connections.ts';
import type { Page } from './http/page.ts';
import { type MarketRunning, managementPages, publicPages } from './http/pages.ts';
import type { Target } from './http/request-handler.ts';
import { createRouter, type Router } from './http/router.ts';
import { type LimitLine, shareLimits } from './http/shared-limits.ts';
import type { Site } from './http/site.ts';
import { createThrottle } from './http/throttle.ts';
import { liquidationRoutes } from './liquidations/routes.ts';
import { marketDataRoutes } from './market-data/routes.ts';
import type { PriceSaid } from './operator/markets.ts';
import { refusedActs } from './operator/refused-acts.ts';
import type { BackUp, ChainStatus, Rescan } from './operator/reports.ts';
import { operatorRoutes } from './operator/routes.ts';
import { orderRoutes } from './orders/routes.ts';
import { protectionRoutes } from './protection/routes.ts';
import type { KeyMaker } from './request/key-maker.ts';
import { type SecondFactors, secondFactors } from './request/second-factors.ts';
import { ignoreUnknown, type MemberCheck, refuseUnknown } from './request/strict-members.ts';
import { demoRoutes } from './sandbox/demo-routes.ts';
import { type SandboxChains, sandboxRoutes } from './sandbox/routes.ts';
import { ChannelHub, type OpenFeed } from './stream/hub.ts';
import { observeStream } from './stream/observe-stream.ts';
import { createStream, type Stream } from './stream/stream.ts';
import { systemRoutes } from './system/routes.ts';
import { tradeRoutes } from './trades/routes.ts';
import { transferRoutes } from './transfers/routes.ts';
import { type ReadHeightOf, walletRoutes } from './wallet/routes.ts';
import { whatIfRoutes } from './what-if/routes.ts';
import { withdrawalRoutes } from './withdrawals/routes.ts';

export type { PasswordHashes } from './access/parts.ts';
export { type ApiConfig, DEFAULT_API_CONFIG } from './config.ts';
export type { DepositAddressOf } from './deposits/routes.ts';
export type { DocsFiles } from './docs/pages.ts';
export { ADMIN_ROLE, type Operator, type Operators } from './http/authenticate-operator.ts';
export type { Site, SiteFile, SiteState } from './http/site.ts';
export { operatorFetch } from './operator/fetch.ts';
export type { BackedUp, BackUp, ChainStatus } from './operator/reports.ts';
export type { SandboxChains } from './sandbox/routes.ts';
export type { OpenFeed } from './stream/hub.ts';

/** What the HTTP edge is made of. */
export type ApiOptions = {
  readonly engine: Engine;
  readonly history: History;
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Makes keys, and opens secrets that were sealed with the master key. */
  readonly keys: KeyMaker;
  readonly passwords: PasswordHashes;
  readonly operators: Operators;
  /** What chains say now, for operators; nothing where it is absent. */
  readonly chainStatus?: () => readonly ChainStatus[];
  readonly rescan?: Rescan;
  readonly backUp?: BackUp;
  /** What sources of index prices said last, for operators. */
  readonly pricesSaid?: () => readonly PriceSaid[];
  /** No network has a chain where it is absent. */
  readonly depositAddress?: DepositAddressOf;
  /** Of a venue of `dev`; its endpoints are not served where it is absent. */
  readonly sandbox?: { readonly token: string; readonly chains: SandboxChains } | undefined;
  /** Calls later, once; the machine's timers by default. */
  readonly after?: (delayMs: number, call: () => void) => void;
  /** Which venue this is; shown on the management listener. */
  readonly venueId: string;
  readonly version?: string;
  /** Runs something periodically; real timers by default. */
  readonly every?: Every;
  /** Starts the thread that makes the messages of the stream. */
  readonly openFeed?: OpenFeed;
  /** The engine is on another machine, and its copy here may be behind by a moment. */
  readonly isGateway?: boolean;
  /** To the other nodes of a cluster: limits are those of the venue, not of one process. */
  readonly limitLine?: LimitLine | undefined;
  /** What else keeps this node from being ready, in words. */
  readonly troubles?: () => readonly string[];
  /** A living market runs; /ready says so. */
  readonly market?: MarketRunning;
  /** The trading page; without it `/` shows the endpoints. */
  readonly site?: Site;
  /** What the pages below /docs show beside the declarations. */
  readonly docs?: DocsFiles;
};

export type ApiServer = {
  /** Both listeners, or none: a port that is taken fails the start. */
  listen(): Promise<{ readonly port: number; readonly managementPort: number }>;
  /** Takes no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
  /** New connections get the new certificate. Throws when key and certificate do not fit. */
  setTls(tls: TlsFiles): void;
  /** How many connections the stream has. */
  readonly listeners: number;
};

/**
 * Two listeners: the main one for traders, and one for operators (metrics, readiness, the operator
 * interface). The second has its own sockets, so that load on the first cannot lock operators out.
 */
export function createServer(options: ApiOptions): ApiServer {
  const { config, engine, log } = options;
  let isListening = false;
  const { tally, onRefusedOrder } = observe(options.metrics, engine, options.history);
  const nextRequestId = requestIds();
  const { everyAnswer } = config;
  const shared = { unrouted: tally('-', '-'), nextRequestId, log, everyAnswer };
  const { connections, trustProxy, closeGraceMs } = config;
  const lastUses = new LastUses();
  const authenticate = traderAuthenticator(options, lastUses);
  const stream = streamOf(options, authenticate, onRefusedOrder);
  const main = createListener({
    ...shared,
    ...{ host: config.host, port: config.port, limits: connections, trustProxy, closeGraceMs },
    ...(config.tls === undefined ? {} : { tls: config.tls }),
    ...{ upgrade: stream.upgrade, isUpgraded: stream.isUpgraded, cors: corsFor(config.origins) },
    router: publicRouter(options, { authenticate, lastUses, onRefusedOrder }, tally),
  });
  const management = createListener({
    ...shared,
    ...{ host: config.managementHost, port: config.managementPort },
    ...{ limits: { ...connections, ...MANAGEMENT_MAXIMA }, trustProxy: false, closeGraceMs },
    router: managementRouter(options, tally, () => isListening),
  });
  observeConnections(options.metrics, main.connections);
  return {
    listen: async () => {
      const { port: managementPort } = await listenManagement(management);
      try {
        const { port } = await main.listen();
        isListening = true;
        return { port, managementPort };
      } catch (cause) {
        await management.close();
        throw cause;
      }
    },
    close: async () => {
      isListening = false;
      await stream.close();
      await main.close();
      await management.close();
    },
    setTls: (tls) => main.setTls(tls),
    get listeners() {
      return stream.open;
    },
  };
}

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

type TallyOf = (method: string, path: string) => Tally;

const traderAuthenticator = (
  { engine, keys, config }: ApiOptions,
  lastUses: LastUses,
): Authenticator =>
  createAuthenticator({
    lastUses,
    directory: engine.directory,
    nowMs: () => engine.nowMs(),
    unseal: keys.unseal,
    toleranceMs: config.timestampToleranceMs,
    hostAliases: config.hostAliases,
    boundHost: config.host,
    trustProxy: config.trustProxy,
  });

function streamOf(
  options: ApiOptions,
  authenticate: Authenticator,
  onRefusedOrder: OnRefusedOrder,
): Stream {
  const { engine, config, log, metrics, every = everyRealTime } = options;
  const hub = new ChannelHub({
    ...{ engine, limits: config.stream, every, soon: setImmediate },
    openFeed: options.openFeed ?? noFeed,
    onTrouble: (reason) => log.error({ err: reason }, 'the thread of the stream failed; once more'),
  });
  const stream = createStream({
    ...{ engine, authenticate, limits: config.stream, trustProxy: config.trustProxy },
    onRefusedOrder,
    rememberMs: config.timestampToleranceMs,
    checkMembers: checkMembersBy(config),
    channels: hub,
    steadyMs: () => performance.now(),
    every,
    onFault: (error) => log.error({ err: error }, 'a stream command failed by a fault of ours'),
  });
  observeStream(metrics, stream, hub);
  return stream;
}

/** A server without a venue on disk has nothing to follow: channels stay silent. */
const noFeed: OpenFeed = () => ({ post: () => undefined, stop: () => Promise.resolve() });

const everyRealTime: Every = (periodMs, run) => {
  const timer = setInterval(run, periodMs);
  timer.unref();
  return () => clearInterval(timer);
};

const routeParts = (
  { engine, keys, passwords, config, depositAddress, chainStatus, after }: ApiOptions,
  { lastUses: lastUse, onRefusedOrder }: Shared,
): RouteParts => ({
  onRefusedOrder,
  access: {
    ...{ keys, passwords, lastUse, isOpenToAll: config.openRegistration },
    attempts: countAttempts(() => engine.nowMs()),
  },
  checkMembers: checkMembersBy(config),
  depositAddress: depositAddress ?? (() => undefined),
  readHeight: (network) => chainStatus?.().find((one) => one.network === network)?.height,
  factors: secondFactors({ engine, unseal: keys.unseal, after: after ?? afterRealTime }),
});

const checkMembersBy = ({ isStrict }: ApiConfig): MemberCheck =>
  isStrict ? refuseUnknown : ignoreUnknown;

/** What routes share with the listener and the stream. */
type Shared = {
  readonly authenticate: Authenticator;
  readonly lastUses: LastUses;
  readonly onRefusedOrder: OnRefusedOrder;
};

/** Every declared endpoint has a route, or the server does not start: see `routes`. */
function publicRouter(options: ApiOptions, shared: Shared, tally: TallyOf): Router<Target> {
  const { engine, history, config } = options;
  const { authenticate } = shared;
  const router = createRouter<Target>();
  const throttle = config.limits.isOn
    ? createThrottle(config.limits.rules, () => performance.now(), {
        isShared: options.limitLine !== undefined,
      })
    : undefined;
  const parts = routeParts(options, shared);
  if (options.limitLine !== undefined) {
    const { attempts } = parts.access;
    const { limitLine: line, every = everyRealTime } = options;
    shareLimits({ line, every, throttle, attempts });
  }
  const { emptyUnauthorizedBodies, bodyLimitBytes } = config;
  const settings = {
    ...{ authenticate, throttle, emptyUnauthorizedBodies, bodyLimitBytes },
    catchUp: options.isGateway === true ? () => engine.refreshed() : undefined,
    onFault: onFault(options),
  };
  addRoutes(router, routes(engine, history, parts), settings, tally);
  if (options.sandbox !== undefined) {
    const { token, chains } = options.sandbox;
    const byToken = createBearerAuthenticator('sandbox', token, () => engine.nowMs());
    addRoutes(router, sandboxRoutes(engine, chains), { ...settings, authenticate: byToken }, tally);
    const demo = { engine, keys: options.keys, sandboxToken: token };
    addRoutes(router, demoRoutes(demo), settings, tally);
  }
  addPages(router, publicPages(engine, options.version ?? VERSION, options.site), tally);
  addPages(router, docsPages(options.docs, options.site), tally);
  return router;
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
    onFault: onFault(options),
    onRefusedAct: refusedActs(engine),
  };
  addRoutes(router, operatorRoutes({ ...options, operators }), settings, tally);
  const { market, site, troubles } = options;
  const pages = { engine, history, metrics, venueId, isListening, market, site, troubles };
  addPages(router, managementPages(pages), tally);
  return router;
}

const onFault =
  ({ log }: ApiOptions) =>
  (error: unknown, requestId: string): void =>
    log.error({ err: error, requestId }, 'a request failed by a fault of ours');

function addRoutes(
  router: Router<Target>,
  all: readonly Route[],
  settings: MountOptions,
  tally: TallyOf,
): void {
  for (const route of all) {
    const { method, path, aliases = [] } = route.endpoint;
    const target = { ...mount(route, settings), tally: tally(method, path) };
    for (const served of [path, ...aliases]) router.add(method, served, target);
  }
}

function addPages(router: Router<Target>, pages: readonly Page[], tally: TallyOf): void {
  for (const page of pages) {
    router.add('GET', page.path, { ...page, tally: tally('GET', page.path) });
  }
}

const afterRealTime = (delayMs: number, call: () => void): void => void setTimeout(call, delayMs);

export type RouteParts = {
  readonly access: Omit<AccessParts, 'engine' | 'factors'>;
  readonly checkMembers: MemberCheck;
  readonly depositAddress: DepositAddressOf;
  readonly readHeight?: ReadHeightOf;
  readonly onRefusedOrder?: OnRefusedOrder;
  readonly factors: SecondFactors;
};

/** The handler of each endpoint. */
export const routes = (
  engine: Engine,
  history: History,
  { checkMembers, depositAddress, readHeight = () => undefined, factors, ...parts }: RouteParts,
): Route[] => [
  ...accountRoutes(engine, history),
  ...walletRoutes(engine, history, readHeight),
  ...transferRoutes(engine, history),
  ...depositRoutes(engine, history, depositAddress),
  ...withdrawalRoutes(engine, history, factors),
  ...protectionRoutes({ engine, keys: parts.access.keys, factors }),
  ...accessRoutes({ ...parts.access, engine, factors }),
  ...orderRoutes(engine, history, checkMembers, parts.onRefusedOrder),
  ...tradeRoutes(engine, history),
  ...fundingRoutes(engine, history),
  ...liquidationRoutes(engine, history),
  ...whatIfRoutes(engine, checkMembers),
  ...marketDataRoutes(engine, history),
  ...systemRoutes(engine),
];
