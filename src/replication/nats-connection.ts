import { readFileSync } from 'node:fs';
import {
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { LogUnavailable } from './log.ts';

export type NatsServers = {
  readonly servers: readonly string[];
  /** Shown in the servers' connection lists. */
  readonly name: string;
  readonly credentialsFile?: string | undefined;
  readonly tls?: NatsTls | undefined;
};
export type NatsTls = {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
};

/**
 * A dead connection is dropped at the third ping, when two have no answer: after 1 to 1.5 s. The client's own
 * default is minutes.
 */
const PING_MS = 500;
const PINGS_OUT = 2;
const RECONNECT_MS = 100;
/** How long one server may take to accept a connection; then the next one is tried. */
const GREET_MS = 1_500;

/** A connection to one of the servers; when that is gone, to another one. */
export async function connectToServers(options: NatsServers): Promise<NatsConnection> {
  // Nodes should not all use the first one.
  const servers = shuffled(options.servers);
  const connection = await connect(connectionOptions(options, servers)).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LogUnavailable(`no log server answers at ${options.servers.join(', ')}: ${reason}`);
  });
  // The client forgets servers that did not answer its first attempt, and would never try them again. The one
  // in use comes last: when its connection is lost, another one is tried first.
  const used = servers.findIndex((server) => hostOf(server) === connection.getServer());
  connection.setServers([...servers.slice(used + 1), ...servers.slice(0, used + 1)]);
  void leaveCutLines(connection);
  return connection;
}

/**
 * The client writes once more to a connection that it gives up, and waits until that was sent. On a dead
 * connection with full buffers that never happens, so the socket is destroyed.
 */
async function leaveCutLines(connection: NatsConnection): Promise<void> {
  const { protocol } = connection as unknown as ClientInside;
  for await (const { type } of connection.status()) {
    if (type === 'staleConnection') await protocol.transport.close();
  }
}

/** Internals of the client; test/cluster/lines.test.ts fails if another version lacks them. */
type ClientInside = {
  readonly protocol: { readonly transport: { close(): Promise<void> } };
};

function shuffled(servers: readonly string[]): string[] {
  const drawn = servers.map((server) => ({ server, at: Math.random() }));
  return drawn.sort((one, other) => one.at - other.at).map(({ server }) => server);
}

/** In the form that the client uses. */
function hostOf(server: string): string {
  const { hostname, port } = new URL(server.includes('://') ? server : `nats://${server}`);
  return `${hostname}:${port === '' ? DEFAULT_PORT : port}`;
}

const DEFAULT_PORT = 4_222;

function credentialsIn(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cluster.credentialsFile cannot be read: ${reason}`);
  }
}

function connectionOptions(options: NatsServers, servers: string[]): NodeConnectionOptions {
  const { name, credentialsFile, tls } = options;
  return {
    servers,
    name,
    noRandomize: true,
    // Only the operator's list is used: addresses that servers announce may belong to another network.
    ignoreClusterUpdates: true,
    pingInterval: PING_MS,
    maxPingOut: PINGS_OUT,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    timeout: GREET_MS,
    ...(credentialsFile === undefined
      ? {}
      : { authenticator: credsAuthenticator(credentialsIn(credentialsFile)) }),
    ...(tls === undefined
      ? {}
      : {
          tls: {
            ...(tls.caFile === undefined ? {} : { caFile: tls.caFile }),
            ...(tls.certFile === undefined ? {} : { certFile: tls.certFile }),
            ...(tls.keyFile === undefined ? {} : { keyFile: tls.keyFile }),
          },
        }),
  };
}
