import {
  type ApiConfig,
  connectionLimits,
  DEFAULT_API_CONFIG,
  streamLimits,
} from './api/config.ts';
import type { VenueConfig } from './config.ts';
import type { TlsPair } from './tls.ts';

/**
 * Descriptors of a gateway thread itself: its event loop, its files, its stream thread. A few fit into the
 * usual reserve.
 */
const DESCRIPTORS_OF_A_THREAD = 32;
const THREADS_IN_RESERVE = 4;

/** What is not set keeps the edge's own default. */
export function apiConfig(
  config: VenueConfig,
  tls: TlsPair | undefined,
  warn: (words: string) => void,
): ApiConfig {
  const base = DEFAULT_API_CONFIG;
  return {
    ...base,
    host: config.host,
    port: config.port,
    managementHost: config.managementHost,
    managementPort: config.managementPort,
    limits: { ...base.limits, isOn: config.limits },
    stream: streamLimits(config),
    connections: connectionLimits(
      config,
      warn,
      Math.max(0, config.gateways - THREADS_IN_RESERVE) * DESCRIPTORS_OF_A_THREAD,
    ),
    trustProxy: config.trustProxy,
    emptyUnauthorizedBodies: config.emptyUnauthorizedBodies,
    isStrict: config.strict,
    openRegistration: config.openRegistration,
    hostAliases: [...base.hostAliases, ...(config.hostAliases ?? [])],
    origins: config.origins,
    bodyLimitBytes: config.bodyLimitBytes ?? base.bodyLimitBytes,
    timestampToleranceMs: config.timestampToleranceMs ?? base.timestampToleranceMs,
    ...(tls === undefined ? {} : { tls }),
  };
}
