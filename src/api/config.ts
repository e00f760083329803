import { type ConnectionLimits, DEFAULT_LIMITS } from './http/connections.ts';
import { type ConnectionMaxima, connectionMaxima, descriptorLimit } from './http/descriptors.ts';
import { DEFAULT_RULES, type LimitRule } from './http/throttle.ts';
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream/limits.ts';

export { LOOPBACK_ORIGINS, originFault } from './http/cors.ts';

/** Settings of the HTTP edge, as one typed object; the program reads files and environment. */
export type ApiConfig = {
  /** Loopback by default: exposing a venue on the network is a deliberate setting. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** For metrics, readiness and the operator interface, separate from the traders' listener. */
  readonly managementHost: string;
  readonly managementPort: number;
  /** Host names that clients may sign although they call another. */
  readonly hostAliases: readonly string[];
  /**
   * Origins of other sites' pages that may call, as browsers send them; `loopback` for those of this machine.
   */
  readonly origins: readonly string[];
  /** How far a Timestamp may be from the engine's clock, either way: 1 to 300 s. */
  readonly timestampToleranceMs: number;
  /** The limit of every body; most endpoints accept less. */
  readonly bodyLimitBytes: number;
  readonly connections: ConnectionLimits;
  readonly limits: { readonly isOn: boolean; readonly rules: readonly LimitRule[] };
  readonly stream: StreamLimits;
  /** Trust X-Forwarded-For and X-Forwarded-Host. Only behind a proxy that sets them. */
  readonly trustProxy: boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Send 401 and 429 without a body, as the historical service did: gives ccxt its precise classes. */
  readonly emptyUnauthorizedBodies: boolean;
  /** Refuse unknown members of orders, which are otherwise ignored: for developing a client. */
  readonly isStrict: boolean;
  /** Whether anyone may open an account; otherwise an operator invites. */
  readonly openRegistration: boolean;
  /** A header that every answer carries, as a line: `Name: value`. */
  readonly everyAnswer?: string | undefined;
  /** How long requests in flight may take to finish when the server closes. */
  readonly closeGraceMs: number;
};

export const DEFAULT_API_CONFIG: ApiConfig = {
  host: '127.0.0.1',
  port: 8080,
  managementHost: '127.0.0.1',
  managementPort: 0,
  hostAliases: [
    'api.ox.fun',
    'stgapi.ox.fun',
    'api.opnx.com',
    'stgapi.opnx.com',
    'v2api.coinflex.com',
    'v2stgapi.coinflex.com',
    'localhost',
    '127.0.0.1',
  ],
  origins: [],
  timestampToleranceMs: 60_000,
  bodyLimitBytes: 256 * 1_024,
  connections: { ...DEFAULT_LIMITS, ...connectionMaxima(undefined) },
  limits: { isOn: true, rules: DEFAULT_RULES },
  stream: DEFAULT_STREAM_LIMITS,
  trustProxy: false,
  emptyUnauthorizedBodies: false,
  isStrict: false,
  openRegistration: false,
  closeGraceMs: 10_000,
};

/** The configured number of connections, if the process's descriptors allow it. */
export function connectionLimits(
  set: { readonly [Name in keyof ConnectionMaxima]: number | undefined },
  warn: (message: string) => void,
  /** Descriptors that other parts of the process need beside the usual ones. */
  taken = 0,
): ConnectionLimits {
  const found = descriptorLimit();
  const descriptors = found === undefined ? undefined : found - taken;
  const { isCut, ...maxima } = connectionMaxima(descriptors, set);
  if (isCut) {
    warn(
      `maxConnections ${set.maxConnections} is more than ${descriptors ?? 'an unknown number of'} ` +
        `descriptors allow; it is ${maxima.maxConnections}`,
    );
  }
  return { ...DEFAULT_LIMITS, ...maxima };
}

/** Without rate limits logins may fail any number of times; memory bounds stay. */
export function streamLimits(config: {
  readonly limits: boolean;
  readonly stream: Partial<StreamLimits>;
}): StreamLimits {
  const limits = { ...DEFAULT_STREAM_LIMITS, ...config.stream };
  if (config.limits) return limits;
  return {
    ...limits,
    connectionsPerMinute: undefined,
    messagesPerSecond: undefined,
    commandsPerSecond: undefined,
    failedLoginsMax: undefined,
  };
}
