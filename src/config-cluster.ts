import { type Static, Type } from 'typebox';
import { refuseUnlessHttp, refuseUnlessServer } from './config-addresses.ts';
import { isNodeName } from './replication/message.ts';
import type { NatsTls } from './replication/nats-connection.ts';

const Text = Type.String({ minLength: 1 });

/**
 * Snapshots that all nodes can reach: a node with an empty disk starts from one, and the log may be purged up
 * to them.
 */
const SnapshotsFile = Type.Object(
  {
    /** A folder that every node reaches under this path; default: the object store of the log servers. */
    folder: Type.Optional(Text),
    /** A standby takes one after this many commands, or this many bytes of them. */
    everyCommands: Type.Optional(Type.Integer({ minimum: 10, maximum: 1_000_000_000 })),
    everyBytes: Type.Optional(Type.Integer({ minimum: 100_000 })),
    /** This many are kept; older ones are removed. */
    keep: Type.Optional(Type.Integer({ minimum: 2, maximum: 100 })),
  },
  { additionalProperties: false },
);
const SNAPSHOT_DEFAULTS = { everyCommands: 500_000, everyBytes: 268_435_456, keep: 3 };

export type SnapshotsConfig = {
  readonly folder: string | undefined;
  readonly everyCommands: number;
  readonly everyBytes: number;
  readonly keep: number;
};

/** A node of a cluster: where the log is, and the name of this node. */
export const ClusterFile = Type.Object(
  {
    node: Type.String(),
    /** Addresses of the log servers: nats://host:port, or tls://host:port. */
    servers: Type.Array(Type.String(), { minItems: 1 }),
    /** Their monitoring addresses, http://host:port: only these report how the servers are configured. */
    monitors: Type.Optional(Type.Array(Type.String())),
    stream: Type.Optional(Type.String()),
    /** Where clients reach this node; other nodes return this address. */
    url: Type.Optional(Type.String()),
    credentialsFile: Type.Optional(Text),
    tls: Type.Optional(
      Type.Object(
        {
          caFile: Type.Optional(Text),
          certFile: Type.Optional(Text),
          keyFile: Type.Optional(Text),
        },
        { additionalProperties: false },
      ),
    ),
    snapshots: Type.Optional(SnapshotsFile),
  },
  { additionalProperties: false },
);

export type ClusterConfig = {
  readonly node: string;
  readonly servers: readonly string[];
  readonly monitors: readonly string[];
  readonly stream: string;
  readonly url: string;
  readonly credentialsFile: string | undefined;
  readonly tls: NatsTls | undefined;
  readonly snapshots: SnapshotsConfig;
};

/** `ownUrl`: the default of `url`. Paths in the file are relative to the file. */
export function clusterOf(
  found: Static<typeof ClusterFile>,
  ownUrl: string,
  at: (path: string) => string,
): ClusterConfig {
  const { node, servers, monitors, stream, url, credentialsFile, tls, snapshots } = found;
  if (!isNodeName(node)) {
    throw new Error('cluster.node is small letters, digits and hyphens, like engine-1');
  }
  if (stream !== undefined && !isNodeName(stream)) {
    throw new Error('cluster.stream is small letters, digits and hyphens, like rialto');
  }
  for (const [index, server] of servers.entries()) {
    refuseUnlessServer(`cluster.servers[${index}]`, server);
  }
  for (const [index, monitor] of (monitors ?? []).entries()) {
    refuseUnlessHttp(`cluster.monitors[${index}]`, monitor);
  }
  if (url !== undefined) refuseUnlessHttp('cluster.url', url);
  const file = (path: string | undefined): string | undefined => path && at(path);
  return {
    node,
    servers,
    monitors: monitors ?? [],
    stream: stream ?? 'rialto',
    url: url ?? ownUrl,
    credentialsFile: file(credentialsFile),
    tls: tls && {
      caFile: file(tls.caFile),
      certFile: file(tls.certFile),
      keyFile: file(tls.keyFile),
    },
    snapshots: {
      folder: file(snapshots?.folder),
      everyCommands: snapshots?.everyCommands ?? SNAPSHOT_DEFAULTS.everyCommands,
      everyBytes: snapshots?.everyBytes ?? SNAPSHOT_DEFAULTS.everyBytes,
      keep: snapshots?.keep ?? SNAPSHOT_DEFAULTS.keep,
    },
  };
}
