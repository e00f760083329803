import { StorageType, type StreamInfo } from '@nats-io/jetstream';
import type { NatsServers } from './nats-connection.ts';

/** Older servers lose acknowledged messages or do not honour the expected place. */
const OLDEST = [2, 12, 3] as const;
const REPLICAS_MIN = 3;
/** A group of commands must fit; the servers' default is smaller. */
const MESSAGE_BYTES_MIN = 4 * 1_024 * 1_024;
const ASK_MS = 3_000;
const VARZ = '/varz';

/** The part of a server's monitoring report that matters here. */
type ServerReport = {
  readonly server_name?: string;
  readonly version?: string;
  readonly max_payload?: number;
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } };
};

/**
 * Reasons why this log could lose acknowledged messages, each with what to set; empty if it cannot. The
 * stream itself reports its settings. Only the monitoring port reports whether a server fsyncs before it
 * acknowledges, so each machine that holds a replica must be among `monitors`.
 */
export async function unsafeReasons(
  info: StreamInfo,
  monitors: readonly string[],
): Promise<string[]> {
  const { config, cluster } = info;
  const reasons: string[] = [];
  if (config.storage !== StorageType.File) {
    reasons.push(`the stream is stored in ${config.storage}: it must be in files`);
  }
  if (config.num_replicas < REPLICAS_MIN) {
    reasons.push(
      `the stream has ${config.num_replicas} replicas: ${REPLICAS_MIN} or more survive the loss of one`,
    );
  }
  if (config.deny_delete !== true) {
    reasons.push('messages of the stream may be deleted: it must be made with deny_delete');
  }
  if (config.max_msgs > 0 || config.max_bytes > 0 || config.max_age > 0) {
    reasons.push('the stream drops old messages: max_msgs, max_bytes and max_age must not be set');
  }
  const holders = [cluster?.leader, ...(cluster?.replicas ?? []).map(({ name }) => name)];
  return [...reasons, ...(await unsafeServers(holders, monitors))];
}

async function unsafeServers(
  holders: readonly (string | undefined)[],
  monitors: readonly string[],
): Promise<string[]> {
  if (monitors.length === 0) {
    return [
      'cluster.monitors is empty: without the monitoring addresses of the log servers nobody knows whether they fsync',
    ];
  }
  const reports = new Map<string, ServerReport>();
  const silent: string[] = [];
  for (const monitor of monitors) {
    const report = await reportOf(monitor);
    if (typeof report === 'string') silent.push(report);
    else reports.set(report.server_name ?? '', report);
  }
  const named = holders.filter((name): name is string => name !== undefined && name !== '');
  const faults = named.flatMap((name) => {
    const report = reports.get(name);
    return report === undefined ? [] : faultsOf(name, report);
  });
  const unknown = named.filter((name) => !reports.has(name));
  // A server that is down cannot be asked: it is trusted if the others, which were asked, are a majority.
  const isBelieved = unknown.length <= silent.length && unknown.length * 2 < named.length;
  if (isBelieved) return faults;
  return [
    ...faults,
    ...silent,
    ...unknown.map(
      (name) => `log server ${name} holds a replica; cluster.monitors lacks its address`,
    ),
  ];
}

function faultsOf(name: string, report: ServerReport): string[] {
  const faults: string[] = [];
  if (!isNewEnough(report.version ?? '')) {
    faults.push(
      `log server ${name} is version ${report.version}: ${OLDEST.join('.')} or later is needed`,
    );
  }
  if (report.jetstream?.config?.sync_always !== true) {
    faults.push(
      `log server ${name} acknowledges before it fsyncs: set jetstream { sync_interval: always }`,
    );
  }
  if ((report.max_payload ?? 0) < MESSAGE_BYTES_MIN) {
    faults.push(
      `log server ${name} takes messages up to ${report.max_payload} bytes: set max_payload: 8MB`,
    );
  }
  return faults;
}

/**
 * Why anybody could act as the venue: nodes believe what comes over the log servers, and these know a node only by
 * its certificate or its credentials. Undefined for servers of this machine.
 */
export function openToAnybody({ servers, credentialsFile, tls }: Access): string | undefined {
  if (credentialsFile !== undefined || tls?.certFile !== undefined) return undefined;
  const others = servers.filter((server) => !isLoopback(server));
  if (others.length === 0) return undefined;
  return (
    `this node shows the log servers ${others.join(', ')} neither a certificate (cluster.tls) nor credentials ` +
    '(cluster.credentialsFile): whoever reaches them like this can act as the venue'
  );
}

type Access = Pick<NatsServers, 'servers' | 'credentialsFile' | 'tls'>;

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server.includes('://') ? server : `nats://${server}`);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Those of the log servers that do not answer at their monitoring addresses, in words. */
export async function silentServers(monitors: readonly string[]): Promise<string[]> {
  const reports = await Promise.all(monitors.map(reportOf));
  return reports.filter((report) => typeof report === 'string');
}

async function reportOf(monitor: string): Promise<ServerReport | string> {
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    const response = await fetch(new URL(VARZ, monitor), { signal });
    const report = (await response.json()) as ServerReport;
    if (report.server_name !== undefined) return report;
    return `${monitor} is not the monitoring address of a log server`;
  } catch (cause) {
    return `the monitoring address ${monitor} does not answer: ${reasonOf(cause)}`;
  }
}

/** What went wrong with the connection is in the cause of what `fetch` throws. */
function reasonOf(failure: unknown): string {
  const { cause = failure } = failure as { readonly cause?: unknown };
  return cause instanceof Error ? cause.message : String(cause);
}

function isNewEnough(version: string): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const at = OLDEST.findIndex((part, index) => part !== parts[index]);
  return at === -1 || (parts[at] ?? 0) > (OLDEST[at] ?? 0);
}
