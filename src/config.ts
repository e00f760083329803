import { dirname, join, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { originFault } from './api/config.ts';
import { refuseUnlessHttp, refuseWrongTokens } from './config-addresses.ts';
import { type ClusterConfig, ClusterFile, clusterOf } from './config-cluster.ts';
import { faultOf } from './config-faults.ts';
import { GATEWAYS_MAX, gatewayCount } from './config-gateways.ts';
import { HistoryFile, historyOf } from './config-history.ts';
import { aliasesOf, refuseMalformedHost, refuseSamePort } from './config-listeners.ts';
import { DEFAULT_DISK_LIMITS, type DiskLimits } from './engine/disk-watch.ts';
import { type Retention, SNAPSHOTS_KEPT } from './engine/retention.ts';
import type { PostgresPlace } from './history/history.ts';
import { isThere, textIn } from './journal/file-faults.ts';
import { withoutComments } from './json-comments.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/** An empty one is a template's missing value: as a host it would listen on every address, as a path name a folder. */
const Text = Type.String({ minLength: 1 });

/**
 * The first prices again and again, a random walk from them, an address that answers JSON, or a file
 * in which the operator writes prices.
 */
const Source = Type.Union([
  Type.Literal('start'),
  Type.Object(
    { seed: Type.Integer(), stepMillionths: Type.Integer({ minimum: 0, maximum: 100_000 }) },
    { additionalProperties: false },
  ),
  Type.Object({ file: Text }, { additionalProperties: false }),
  Type.Object(
    {
      name: Text,
      url: Type.String(),
      paths: Type.Record(Type.String(), Text),
      /** Where the answer has the source's own time, in any form. */
      timePath: Type.Optional(Text),
    },
    { additionalProperties: false },
  ),
]);

const RetentionFile = Type.Object(
  {
    action: Type.Enum(['archive', 'delete']),
    /** For the archive; `archive` in the data directory unless set. */
    folder: Type.Optional(Text),
    /** The newest segments that are this large together stay. */
    journalBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    eventBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    snapshots: Type.Optional(Type.Integer({ minimum: 2, maximum: 1_000 })),
  },
  { additionalProperties: false },
);

/** Who holds the keys of a network's wallets: a sealed file, a program, or a service. */
const KeysFile = Type.Union([
  Type.Object({ file: Text }, { additionalProperties: false }),
  Type.Object(
    {
      command: Text,
      args: Type.Optional(Type.Array(Type.String())),
      timeoutMs: Type.Integer({ minimum: 100, maximum: 600_000 }),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      url: Type.String(),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      timeoutMs: Type.Integer({ minimum: 100, maximum: 600_000 }),
    },
    { additionalProperties: false },
  ),
]);

const EvmNetworkFile = Type.Object(
  {
    chain: Type.Literal('evm'),
    url: Type.String(),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    chainId: Type.Integer({ minimum: 1 }),
    keys: KeysFile,
    /** Of a program or a service that signs. */
    xpub: Type.Optional(Type.String()),
    /** Tokens by asset; `init` writes them into the catalogue. */
    tokens: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          { tokenId: Type.String(), decimals: Type.Integer({ minimum: 0, maximum: 36 }) },
          { additionalProperties: false },
        ),
      ),
    ),
    /** Of a network that the default catalogue does not have. */
    coin: Type.Optional(Type.String()),
    coinDecimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 36 })),
    confirmations: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    startHeight: Type.Optional(Type.Integer({ minimum: 1 })),
    pollMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 600_000 })),
    bumpAfterMs: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 86_400_000 })),
    blocksPerCall: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    pricePerGasMax: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const StreamFile = Type.Object(
  {
    connectionsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    messagesPerSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    commandsPerSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    subscriptionsMax: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    idleMs: Type.Optional(Type.Integer({ minimum: 10_000, maximum: 3_600_000 })),
    unreadMaxBytes: Type.Optional(Type.Integer({ minimum: 65_536, maximum: 67_108_864 })),
  },
  { additionalProperties: false },
);

/**
 * What an operator may set: a JSON file, checked whole before anything starts. The environment has
 * two says, RIALTO_MASTER_KEY and RIALTO_HISTORY_PASSWORD, so that secrets need not lie beside the data they
 * open. Nothing else reads process.env.
 */
const ConfigFile = Type.Object(
  {
    data: Type.Optional(Text),
    host: Type.Optional(Text),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    /** Metrics, readiness and the operator interface; the port above the main one unless set. */
    managementHost: Type.Optional(Text),
    managementPort: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    masterKeyFile: Type.Optional(Text),
    tls: Type.Optional(
      Type.Object({ keyFile: Text, certFile: Text }, { additionalProperties: false }),
    ),
    /** Further host names that clients may have signed for. */
    hostAliases: Type.Optional(Type.Array(Type.String())),
    /** Origins whose pages may call from a browser. */
    origins: Type.Optional(Type.Array(Type.String())),
    /** How far a request's Timestamp may be from the engine's clock. */
    timestampToleranceMs: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 300_000 })),
    bodyLimitBytes: Type.Optional(Type.Integer({ minimum: 1_024, maximum: 16_777_216 })),
    limits: Type.Optional(Type.Boolean()),
    /** Threads that serve traders beside the engine's; by the number of cores unless set. */
    gateways: Type.Optional(Type.Integer({ minimum: 0, maximum: GATEWAYS_MAX })),
    /** Rates and sizes of the stream. */
    stream: Type.Optional(StreamFile),
    /** Connections at a time, in all and from one address; the rest is for files. */
    maxConnections: Type.Optional(Type.Integer({ minimum: 16, maximum: 1_000_000 })),
    maxConnectionsPerAddress: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    trustProxy: Type.Optional(Type.Boolean()),
    /** Refuse unknown members of orders, with the nearest name: for who writes a client. */
    strict: Type.Optional(Type.Boolean()),
    /** Anyone may open an account; else an operator invites. */
    openRegistration: Type.Optional(Type.Boolean()),
    /** 401 and 429 without a body, which gives some clients their precise error classes. */
    emptyUnauthorizedBodies: Type.Optional(Type.Boolean()),
    /** Where index prices come from. `start` repeats the first prices. */
    sources: Type.Optional(Type.Array(Source, { minItems: 1 })),
    /** Free bytes on the disk of `data` below which the log warns, and new orders are refused. */
    diskFreeWarnBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    diskFreeMinBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    /** What happens to segments of journal and event log that nobody needs any more. */
    retention: Type.Optional(RetentionFile),
    /** Networks that a node outside serves, by their names; all others are simulated. */
    chains: Type.Optional(Type.Record(Type.String(), EvmNetworkFile)),
    /** With it the venue runs on several machines: serve --role engine. */
    cluster: Type.Optional(ClusterFile),
    /** Where reads of the past are answered from; a file in the data directory unless set. */
    history: Type.Optional(HistoryFile),
    logLevel: Type.Optional(Type.Enum([...LOG_LEVELS])),
  },
  { additionalProperties: false },
);
export type ConfigFile = Static<typeof ConfigFile>;

export type VenueConfig = {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly managementHost: string;
  readonly managementPort: number;
  readonly masterKeyFile: string;
  readonly masterKeyText: string | undefined;
  readonly tls: { readonly keyFile: string; readonly certFile: string } | undefined;
  readonly hostAliases: readonly string[] | undefined;
  readonly origins: readonly string[];
  readonly timestampToleranceMs: number | undefined;
  readonly bodyLimitBytes: number | undefined;
  readonly limits: boolean;
  readonly stream: Static<typeof StreamFile>;
  readonly gateways: number;
  readonly maxConnections: number | undefined;
  readonly maxConnectionsPerAddress: number | undefined;
  readonly trustProxy: boolean;
  readonly emptyUnauthorizedBodies: boolean;
  readonly strict: boolean;
  readonly openRegistration: boolean;
  readonly sources: readonly Static<typeof Source>[];
  readonly disk: DiskLimits;
  readonly retention: Retention | undefined;
  readonly chains: Readonly<Record<string, Static<typeof EvmNetworkFile>>>;
  readonly cluster: ClusterConfig | undefined;
  /** Undefined for the embedded one. */
  readonly history: PostgresPlace | undefined;
  readonly logLevel: string;
};

export function readConfigFile(file: string): {
  readonly found: ConfigFile;
  readonly base: string;
} {
  if (!isThere(file)) throw new Error(`${file} does not exist: rialto init --config ${file}`);
  const text = textIn(file);
  let found: unknown;
  try {
    found = JSON.parse(withoutComments(text));
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${(cause as Error).message}`);
  }
  const fault = faultOf(ConfigFile, found);
  if (fault !== undefined) throw new Error(`${file}: ${fault}`);
  return { found: found as ConfigFile, base: dirname(resolve(file)) };
}

/** Paths in the file are relative to the file. */
export function venueConfig(found: ConfigFile, base: string): VenueConfig {
  const at = (path: string): string => resolve(base, path);
  const data = at(found.data ?? 'data');
  const port = found.port ?? DEFAULT_PORT;
  const listeners = {
    host: found.host ?? '127.0.0.1',
    port,
    managementHost: found.managementHost ?? '127.0.0.1',
    managementPort: found.managementPort ?? portAfter(port),
  };
  refuseMalformedHost('host', listeners.host);
  refuseMalformedHost('managementHost', listeners.managementHost);
  refuseSamePort(listeners);
  return {
    data,
    ...listeners,
    masterKeyFile:
      found.masterKeyFile === undefined ? join(data, 'master.key') : at(found.masterKeyFile),
    masterKeyText: process.env['RIALTO_MASTER_KEY'],
    tls:
      found.tls === undefined
        ? undefined
        : { keyFile: at(found.tls.keyFile), certFile: at(found.tls.certFile) },
    hostAliases: aliasesOf(found.hostAliases),
    origins: originsOf(found.origins ?? []),
    timestampToleranceMs: found.timestampToleranceMs,
    bodyLimitBytes: found.bodyLimitBytes,
    limits: found.limits ?? true,
    stream: found.stream ?? {},
    gateways: gatewaysOf(found),
    maxConnections: found.maxConnections,
    maxConnectionsPerAddress: found.maxConnectionsPerAddress,
    trustProxy: found.trustProxy ?? false,
    emptyUnauthorizedBodies: found.emptyUnauthorizedBodies ?? false,
    strict: found.strict ?? false,
    openRegistration: found.openRegistration ?? false,
    sources: sourcesOf(found.sources ?? ['start'], at),
    disk: {
      warnBytes: found.diskFreeWarnBytes ?? DEFAULT_DISK_LIMITS.warnBytes,
      minBytes: found.diskFreeMinBytes ?? DEFAULT_DISK_LIMITS.minBytes,
    },
    retention: found.retention === undefined ? undefined : retentionOf(found.retention, data, at),
    chains: chainsOf(found.chains ?? {}, at),
    cluster:
      found.cluster === undefined
        ? undefined
        : clusterOf(
            found.cluster,
            `http://${found.host ?? '127.0.0.1'}:${found.port ?? DEFAULT_PORT}`,
            at,
          ),
    history: found.history === undefined ? undefined : historyOf(found.history, at),
    logLevel: found.logLevel ?? 'info',
  };
}

/** None in a cluster: there machines are gateways, and reads need the lease of the leader. */
function gatewaysOf({ gateways = 0, cluster }: ConfigFile): number {
  const count = gatewayCount('gateways', gateways, process.platform);
  if (count === 0 || cluster === undefined) return count;
  throw new Error('gateways: a node of a cluster has none; serve --role gateway is one');
}

function sourcesOf(
  found: readonly Static<typeof Source>[],
  at: (path: string) => string,
): VenueConfig['sources'] {
  return found.map((source, index) => {
    if (typeof source !== 'object') return source;
    if ('url' in source) refuseUnlessHttp(`sources[${index}].url`, source.url);
    return 'file' in source ? { file: at(source.file) } : source;
  });
}

/** A file of keys is relative to the configuration, like every other. */
function chainsOf(
  found: Readonly<Record<string, Static<typeof EvmNetworkFile>>>,
  at: (path: string) => string,
): VenueConfig['chains'] {
  const placed = Object.entries(found).map(([name, network]) => {
    const { keys, pricePerGasMax } = network;
    if (pricePerGasMax !== undefined && !/^[1-9]\d{0,30}$/.test(pricePerGasMax)) {
      throw new Error(
        `chains.${name}.pricePerGasMax is a whole number of wei in quotes, such as "500000000000", not ` +
          JSON.stringify(pricePerGasMax),
      );
    }
    refuseUnlessHttp(`chains.${name}.url`, network.url);
    refuseWrongTokens(name, network.tokens ?? {});
    if ('url' in keys) refuseUnlessHttp(`chains.${name}.keys.url`, keys.url);
    if (!('file' in keys) && network.xpub === undefined) {
      throw new Error(
        `chains.${name}.xpub is missing: keys outside of the venue need it, for the addresses of account m/44'/60'/0'`,
      );
    }
    return [name, 'file' in keys ? { ...network, keys: { file: at(keys.file) } } : network];
  });
  return Object.fromEntries(placed) as VenueConfig['chains'];
}

function originsOf(found: readonly string[]): readonly string[] {
  for (const [at, origin] of found.entries()) {
    const fault = originFault(origin);
    if (fault !== undefined) throw new Error(`origins[${at}] ${fault}`);
  }
  return found;
}

function retentionOf(
  found: Static<typeof RetentionFile>,
  data: string,
  at: (path: string) => string,
): Retention {
  const { action, folder, journalBytes, eventBytes, snapshots } = found;
  return {
    action,
    folder: folder === undefined ? join(data, 'archive') : at(folder),
    mayBeMade: folder === undefined,
    journalBytes: journalBytes ?? RETAINED_BYTES,
    eventBytes: eventBytes ?? RETAINED_BYTES,
    snapshots: snapshots ?? SNAPSHOTS_KEPT,
  };
}

/** Of journal and event log each. */
const RETAINED_BYTES = 1_073_741_824;

const DEFAULT_PORT = 3000;
const PORT_MAX = 65_535;

/** 0 takes a free one, and so does who has no port above. */
const portAfter = (port: number): number => (port === 0 || port === PORT_MAX ? 0 : port + 1);
