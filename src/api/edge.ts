import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { KeyIndex } from '../domain/units.ts';
import { VERSION } from '../domain/version.ts';
import type { Engine } from '../engine/engine.ts';
import type { Every } from '../engine/ticker.ts';
import type { History } from '../history/history.ts';
import { countAttempts } from './access/attempts.ts';
import { limitNewKeys } from './access/new-keys.ts';
import type { AccessParts, PasswordHashes } from './access/parts.ts';
import { accessRoutes } from './access/routes.ts';
import { accountRoutes } from './account/routes.ts';
import type { ApiConfig } from './config.ts';
import { type DepositAddressOf, depositRoutes } from './deposits/routes.ts';
import { type DocsFiles, docsPages } from './docs/pages.ts';
import { fundingRoutes } from './funding/routes.ts';
import { type Authenticator, createAuthenticator, LastUses } from './http/authenticate.ts';
import { createBearerAuthenticator } from './http/authenticate-bearer.ts';
import { corsFor } from './http/cors.ts';
import { createListener, everyRealTime, type TlsFiles, turnOfEventLoop } from './http/listener.ts';
import { type MountOptions, mount, type Route } from './http/mount.ts';
import { type Observed, type OnRefusedOrder, requestIds, type Tally } from './http/observe.ts';
import { observeConnections } from './http/observe-connections.ts';
import type { Page } from './http/page.ts';
import { publicPages } from './http/pages.ts';
import { reportFaults } from './http/report-faults.ts';
import type { Target } from './http/request-handler.ts';
import { createRouter, type Router } from './http/router.ts';
import type { OtherConnections } from './http/shared-connections.ts';
import { type LimitChannel, shareLimits } from './http/shared-limits.ts';
import type { Site } from './http/site.ts';
import { createThrottle } from './http/throttle.ts';
import type { Turn } from './http/turn.ts';
import { liquidationRoutes } from './liquidations/routes.ts';
import { marketDataRoutes } from './market-data/routes.ts';
import { orderRoutes } from './orders/routes.ts';
import { protectionRoutes } from './protection/routes.ts';
import type { KeyMaker } from './request/key-maker.ts';
import { longReads } from './request/long-reads.ts';
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

export { observeRequests } from './http/observe.ts';
export { SharedConnections, sharedConnectionBytes } from './http/shared-connections.ts';
export type { OpenFeed } from './stream/hub.ts';

/** What the traders' listener consists of: REST, stream and page. */
export type EdgeOptions = {
  readonly engine: Engine;
  readonly history: History;
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Creates keys, and opens secrets that were sealed with the master key. */
  readonly keys: KeyMaker;
  readonly passwords: PasswordHashes;
  /** If absent, no network has a chain. */
  readonly depositAddress?: DepositAddressOf;
  /** The height up to which blocks are read; absent if nobody reads them. */
  readonly readHeight?: ReadHeightOf;
  /** For a `dev` venue; if absent, its endpoints are not served. */
  readonly sandbox?:
    | {
        readonly token: string;
        readonly chains: SandboxChains;
        readonly marketSeed?: number | undefined;
      }
    | undefined;
  /** Calls once, later; the machine's timers by default. */
  readonly after?: (delayMs: number, call: () => void) => void;
  readonly version?: string;
  /** Runs something periodically; real timers by default. */
  readonly every?: Every;
  /** Starts the thread that builds the messages of the stream. */
  readonly openFeed?: OpenFeed;
  /** The engine is elsewhere, and the copy here may be slightly behind. */
  readonly isGateway?: boolean;
  /** A connection to other nodes of the same venue: limits apply to the venue, not to one node. */
  readonly limitChannel?: LimitChannel | undefined;
  /** Threads that listen on the same port, each with its own socket. */
  readonly otherConnections?: OtherConnections | undefined;
  /** The trading page; without it `/` shows the endpoints. */
  readonly site?: Site;
  /** Sources of the pages below /docs, beside the declarations. */
  readonly docs?: DocsFiles;
};

/** Serves traders: on this thread, or on others. */
export type Edge = {
  listen(port?: number): Promise<{ readonly port: number }>;
  /** Accepts no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
  /** New connections get the new certificate. Throws if key and certificate do not match. */
  setTls(tls: TlsFiles): void | Promise<void>;
  /** How many connections the stream has. */
  readonly listeners: number;
  /** Keys with a connection whose end cancels their orders. */
  readonly guarded: readonly KeyIndex[];
};

export function createEdge(
  options: EdgeOptions,
  { tally, onRefusedOrder }: Observed,
  nextRequestId = requestIds(),
): Edge {
  const { config, log } = options;
  const { connections, trustProxy, closeGraceMs, everyAnswer } = config;
  const lastUses = new LastUses();
  const authenticate = traderAuthenticator(options, lastUses);
  const turn = turnOfEventLoop();
  const stream = streamOf(options, turn, authenticate, onRefusedOrder);
  const listener = createListener({
    ...{ turn, unrouted: tally('-', '-'), nextRequestId, log, everyAnswer },
    ...{ host: config.host, port: config.port, limits: connections, trustProxy, closeGraceMs },
    ...(config.tls === undefined ? {} : { tls: config.tls }),
    ...{ upgrade: stream.upgrade, isUpgraded: stream.isUpgraded, cors: corsFor(config.origins) },
    otherConnections: options.otherConnections,
    router: publicRouter(options, { authenticate, lastUses, onRefusedOrder }, tally),
  });
  observeConnections(options.metrics, listener.connections);
  return {
    listen: (port) => listener.listen(port),
    close: async () => {
      await stream.close();
      await listener.close();
    },
    setTls: (tls) => listener.setTls(tls),
    get listeners() {
      return stream.open;
    },
    get guarded() {
      return stream.guarded;
    },
  };
}

export type TallyOf = (method: string, path: string) => Tally;

const traderAuthenticator = (
  { engine, keys, config }: EdgeOptions,
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
  options: EdgeOptions,
  turn: Turn,
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
    ...{ turn, engine, authenticate, limits: config.stream, trustProxy: config.trustProxy },
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

const routeParts = (
  { engine, keys, passwords, config, depositAddress, readHeight, after }: EdgeOptions,
  { lastUses: lastUse, onRefusedOrder }: Shared,
): RouteParts => ({
  onRefusedOrder,
  access: {
    ...{ keys, passwords, lastUse, isOpenToAll: config.openRegistration },
    attempts: countAttempts(() => engine.nowMs()),
    newKeys: config.limits.isOn ? limitNewKeys(() => engine.nowMs()) : () => undefined,
  },
  checkMembers: checkMembersBy(config),
  depositAddress: depositAddress ?? (() => undefined),
  ...(readHeight === undefined ? {} : { readHeight }),
  factors: secondFactors({ engine, unseal: keys.unseal, after: after ?? afterRealTime }),
});

const checkMembersBy = ({ isStrict }: ApiConfig): MemberCheck =>
  isStrict ? refuseUnknown : ignoreUnknown;

/** Shared by routes, listener and stream. */
type Shared = {
  readonly authenticate: Authenticator;
  readonly lastUses: LastUses;
  readonly onRefusedOrder: OnRefusedOrder;
};

/** Every declared endpoint has a route, or the server does not start: see `routes`. */
function publicRouter(options: EdgeOptions, shared: Shared, tally: TallyOf): Router<Target> {
  const { engine, history, config } = options;
  const { authenticate } = shared;
  const router = createRouter<Target>();
  const throttle = config.limits.isOn
    ? createThrottle(config.limits.rules, () => performance.now(), {
        isShared: options.limitChannel !== undefined,
      })
    : undefined;
  const parts = routeParts(options, shared);
  if (options.limitChannel !== undefined) {
    const { attempts } = parts.access;
    const { limitChannel: channel, every = everyRealTime } = options;
    shareLimits({ channel, every, throttle, attempts });
  }
  const { emptyUnauthorizedBodies, bodyLimitBytes } = config;
  const settings = {
    ...{ authenticate, throttle, emptyUnauthorizedBodies, bodyLimitBytes },
    catchUp: options.isGateway === true ? () => engine.refreshed() : undefined,
    onFault: reportFaults(options),
  };
  addRoutes(router, routes(engine, history, parts), settings, tally);
  if (options.sandbox !== undefined) {
    const { token, chains, marketSeed } = options.sandbox;
    const byToken = createBearerAuthenticator('sandbox', token, () => engine.nowMs());
    addRoutes(router, sandboxRoutes(engine, chains), { ...settings, authenticate: byToken }, tally);
    const demo = { engine, keys: options.keys, sandboxToken: token, marketSeed };
    addRoutes(router, demoRoutes(demo), settings, tally);
  }
  addPages(router, publicPages(engine, options.version ?? VERSION, options.site), tally);
  addPages(router, docsPages(options.docs, options.site), tally);
  return router;
}

export function addRoutes(
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

export function addPages(router: Router<Target>, pages: readonly Page[], tally: TallyOf): void {
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
): Route[] => {
  const longRead = longReads(setImmediate);
  const onRefused = parts.onRefusedOrder ?? (() => undefined);
  return [
    ...accountRoutes(engine, history),
    ...walletRoutes(engine, history, readHeight),
    ...transferRoutes(engine, history),
    ...depositRoutes(engine, history, depositAddress),
    ...withdrawalRoutes(engine, history, factors),
    ...protectionRoutes({ engine, keys: parts.access.keys, factors }),
    ...accessRoutes({ ...parts.access, engine, factors }),
    ...orderRoutes(engine, history, { checkMembers, onRefused, longRead }),
    ...tradeRoutes(engine, history),
    ...fundingRoutes(engine, history),
    ...liquidationRoutes(engine, history),
    ...whatIfRoutes(engine, { checkMembers, longRead }),
    ...marketDataRoutes(engine, history),
    ...systemRoutes(engine),
  ];
};
