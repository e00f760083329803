import { type Static, Type } from 'typebox';
import { isNodeName } from './replication/message.ts';
import type { NatsTls } from './replication/nats-connection.ts';

/** Snapshots that all nodes can reach: a node without a disk begins with one, and the log may be purged up to them. */
const SnapshotsFile = Type.Object(
  {
    /** A folder that every node sees under this path; the object store of the log's servers unless set. */
    folder: Type.Optional(Type.String()),
    /** A standby makes one after so many commands, or after so many bytes of them. */
    everyCommands: Type.Optional(Type.Integer({ minimum: 10, maximum: 1_000_000_000 })),
    everyBytes: Type.Optional(Type.Integer({ minimum: 100_000 })),
    /** So many stay; older ones are removed. */
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

/** A node of a cluster: where the log is, and what this node is called. */
export const ClusterFile = Type.Object(
  {
    node: Type.String(),
    /** Addresses of the log servers: nats://host:port, or tls://host:port. */
    servers: Type.Array(Type.String(), { minItems: 1 }),
    /** Their monitoring addresses, http://host:port: only there they say how they are set up. */
    monitors: Type.Optional(Type.Array(Type.String())),
    stream: Type.Optional(Type.String()),
    /** Where clients reach this node, for the answers of the others. */
    url: Type.Optional(Type.String()),
    credentialsFile: Type.Optional(Type.String()),
    tls: Type.Optional(
      Type.Object(
        {
          caFile: Type.Optional(Type.String()),
          certFile: Type.Optional(Type.String()),
          keyFile: Type.Optional(Type.String()),
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

/** `ownUrl`: where clients reach this node unless it is said. Paths in the file are relative to the file. */
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
